#include "cli/report_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/json.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

constexpr std::size_t most_nodes = 2'000'000;  // 11 MB of page a field

/// Whether nodes have equal steps of the coordinates of users.
bool is_regular(const Model& model) {
    const CoordinateNumbers& numbers = model.coordinates();
    if (numbers.system == Coordinates::spherical) return !numbers.geodetic;
    return numbers.system == Coordinates::cartesian;
}

/// The box of all nodes in the coordinates of users: the ground may be highest anywhere.
Corners box_of(const Model& model) {
    const Grid& grid = model.grid();
    const Mapping& mapping = model.mapping();
    Corners box = model.place().corners();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (const int k : {0, grid.shape.z - 1}) {
                const Vec3 user = mapping.to_user(grid.position({i, j, k}));
                for (int axis = 0; axis < 3; ++axis) {
                    box.low[axis] = std::min(box.low[axis], user[axis]);
                    box.high[axis] = std::max(box.high[axis], user[axis]);
                }
            }
        }
    }
    return box;
}

/// Nodes along an axis of the coordinates of users: as fine as the model's, to a bound.
int count_along(const Model& model, int axis, double extent) {
    const int count = model.grid().shape[axis];
    if (count == 1) return 1;
    const CoordinateNumbers& numbers = model.coordinates();
    double least = model.grid().spacing[axis];
    const std::vector<double>& nodes = numbers.axes[static_cast<std::size_t>(axis)];
    for (std::size_t n = 1; n < nodes.size(); ++n) {
        least = n == 1 ? nodes[1] - nodes[0] : std::min(least, nodes[n] - nodes[n - 1]);
    }
    constexpr int finest = 4;
    return std::clamp(static_cast<int>(std::lround(extent / least)) + 1, count, finest * count);
}

/// Linear between the two nearest along each axis. Air has no share.
float value_at(FieldView<const float> values, Vec3 at) {
    const Shape shape = values.shape();
    Index3 low;
    Vec3 part;
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::clamp(static_cast<int>(at[axis]), 0, std::max(0, shape[axis] - 2));
        part[axis] = shape[axis] == 1 ? 0 : at[axis] - low[axis];
    }
    double sum = 0;
    double weight = 0;
    for (int corner = 0; corner < 8; ++corner) {
        Index3 n = low;
        double share = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const bool up = (corner >> axis & 1) != 0;
            share *= up ? part[axis] : 1 - part[axis];
            if (up) n[axis] = std::min(n[axis] + 1, shape[axis] - 1);
        }
        const float value = values(n);
        if (share <= 0 || value == 0 || !std::isfinite(value)) continue;
        sum += share * value;
        weight += share;
    }
    return weight > 0 ? static_cast<float>(sum / weight) : 0.0F;
}

}  // namespace

ReportGrid::ReportGrid(const Model& model) : model_(model), grid_(model.grid()) {
    if (is_regular(model)) {
        thin();
    } else {
        make_regular();
    }
}

void ReportGrid::thin() {
    const Grid& full = model_.grid();
    while (grid_.shape.count() > most_nodes) {
        ++step_;
        const auto fewer = [&](int n) { return n == 1 ? 1 : (n - 1) / step_ + 1; };
        grid_.shape = {fewer(full.shape.x), fewer(full.shape.y), fewer(full.shape.z)};
    }
    grid_.spacing = step_ * full.spacing;
}

void ReportGrid::make_regular() {
    is_read_ = true;
    const Corners box = box_of(model_);
    const Vec3 extent = box.high - box.low;
    const auto count = [&](int axis) { return count_along(model_, axis, extent[axis]); };
    grid_.shape = {count(0), count(1), count(2)};
    while (grid_.shape.count() > most_nodes) {
        const auto fewer = [](int n) { return n == 1 ? 1 : (n + 1) / 2; };
        grid_.shape = {fewer(grid_.shape.x), fewer(grid_.shape.y), fewer(grid_.shape.z)};
    }
    grid_.origin = box.low;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid_.shape[axis] > 1) grid_.spacing[axis] = extent[axis] / (grid_.shape[axis] - 1);
    }
}

std::vector<float> ReportGrid::nodes(FieldView<const float> values) const {
    if (is_read_) return nodes_between(values);
    std::vector<float> kept;
    kept.reserve(grid_.shape.count());
    for (int i = 0; i < grid_.shape.x; ++i) {
        for (int j = 0; j < grid_.shape.y; ++j) {
            for (int k = 0; k < grid_.shape.z; ++k) {
                kept.push_back(values({i * step_, j * step_, k * step_}));
            }
        }
    }
    return kept;
}

std::vector<float> ReportGrid::cells(FieldView<const float> values) const {
    if (is_read_) return cells_between(values);
    const Shape many = values.shape();
    const auto few = [](int nodes) { return std::max(1, nodes - 1); };
    const Shape shape{few(grid_.shape.x), few(grid_.shape.y), few(grid_.shape.z)};
    std::vector<float> kept(shape.count(), 0.0F);
    for (int i = 0; i < many.x; ++i) {
        for (int j = 0; j < many.y; ++j) {
            for (int k = 0; k < many.z; ++k) {
                float& cell = kept[shape.offset(std::min(i / step_, shape.x - 1),
                                                std::min(j / step_, shape.y - 1),
                                                std::min(k / step_, shape.z - 1))];
                cell = std::max(cell, values({i, j, k}));
            }
        }
    }
    return kept;
}

std::vector<float> ReportGrid::nodes_between(FieldView<const float> values) const {
    std::vector<float> read;
    read.reserve(grid_.shape.count());
    for (int i = 0; i < grid_.shape.x; ++i) {
        for (int j = 0; j < grid_.shape.y; ++j) {
            for (int k = 0; k < grid_.shape.z; ++k) {
                const Vec3 user = grid_.position({i, j, k});
                read.push_back(
                    model_.place().holds(user)
                        ? value_at(values, model_.grid().to_index(model_.place().nearest(user)))
                        : 0.0F);
            }
        }
    }
    return read;
}

std::vector<float> ReportGrid::cells_between(FieldView<const float> values) const {
    const Grid middles = grid_.cell_middles();
    const Shape many = values.shape();
    std::vector<float> read;
    read.reserve(middles.shape.count());
    for (int i = 0; i < middles.shape.x; ++i) {
        for (int j = 0; j < middles.shape.y; ++j) {
            for (int k = 0; k < middles.shape.z; ++k) {
                const Vec3 user = middles.position({i, j, k});
                if (!model_.place().holds(user)) {
                    read.push_back(0.0F);
                    continue;
                }
                const Vec3 at = model_.grid().to_index(model_.place().nearest(user));
                Index3 cell;
                for (int axis = 0; axis < 3; ++axis) {
                    cell[axis] = std::clamp(static_cast<int>(at[axis]), 0, many[axis] - 1);
                }
                read.push_back(values(cell));
            }
        }
    }
    return read;
}

std::string ReportGrid::axes_json(const UnitNames& units) const {
    const std::string length = json_text(units.length);
    if (!on_sphere(model_)) {
        return fmt::format(
            R"("sphere":false,"axes":[["x",{0}],["y",{0}],["depth",{0}]],"reach":[1,1,1])", length);
    }
    constexpr double degree = std::numbers::pi / 180;
    const double north = model_.coordinates().radius * degree;
    const double middle = grid_.coordinate(0, 0.5 * (grid_.shape.x - 1));
    return fmt::format(R"("sphere":true,"axes":[["latitude","°"],["longitude","°"],["depth",{}]],)"
                       R"("reach":[{},{},1])",
                       length, north, north * std::cos(middle * degree));
}

}  // namespace fermat::cli
