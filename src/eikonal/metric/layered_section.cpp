#include "eikonal/metric/layered_section.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/refined_box.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr int parts = 4;  ///< of a step of the model

struct NodeBox {
    Index3 first;
    Index3 last;
};

NodeBox box_round(const Grid& grid, Vec3 u, int reach) {
    NodeBox box;
    for (int axis = 0; axis < 3; ++axis) {
        const int centre = static_cast<int>(std::lround(u[axis]));
        box.first[axis] = std::max(0, centre - reach);
        box.last[axis] = std::min(grid.shape[axis] - 1, centre + reach);
    }
    return box;
}

bool is_layered(const Model& model, const NodeBox& box) {
    for (int i = box.first.x; i <= box.last.x; ++i) {
        for (int j = box.first.y; j <= box.last.y; ++j) {
            for (int k = box.first.z; k <= box.last.z; ++k) {
                const float here = model.velocity()(i, j, k);
                if (here == 0 || here != model.velocity()(box.first.x, box.first.y, k)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace

Vec3 LayeredSection::point(Vec3 place, double depth) const {
    const double angle = std::atan2(norm(crossed(direction, place)), dot(direction, place));
    return {source.x + angle / degree, source.y, depth};
}

std::optional<LayeredSection> layered_section(const Model& model, Vec3 source, int reach) {
    const Metric& metric = *model.metric();
    const CoordinateNumbers& whole = metric.coordinates();
    const Grid& grid = model.grid();
    if (whole.system != Coordinates::spherical || !metric.isotropic() || grid.is_2d()) return {};
    const Vec3 at = grid.to_index(source);
    if (rows_to_jump(whole.jumps, at.z) > reach) return {};
    const NodeBox served = box_round(grid, at, reach);
    const NodeBox known = box_round(grid, at, reach + reach / 2);
    if (!is_layered(model, known)) return {};

    const Vec3 direction = metric.mapping().place(source);
    double farthest = 0;  // degrees
    for (const int i : {served.first.x, served.last.x}) {
        for (const int j : {served.first.y, served.last.y}) {
            const Vec3 corner = metric.mapping().place(grid.position({i, j, 0}));
            const double angle =
                std::atan2(norm(crossed(direction, corner)), dot(direction, corner));
            farthest = std::max(farthest, angle / degree);
        }
    }
    // Some columns lie behind the source, and some beyond what is asked for.
    constexpr int behind = 8;
    constexpr double room = 1.25;
    constexpr double most_columns = 800;
    constexpr double most_degrees = 60;
    if (farthest * room > most_degrees) return {};
    const double along = std::min({grid.spacing.x, grid.spacing.y * std::cos(source.x * degree),
                                   grid.spacing.z / (whole.radius * degree)});
    const double step = std::max(along / parts, room * farthest / most_columns);
    const int columns = behind + static_cast<int>(std::ceil(room * farthest / step)) + 1;
    const int rows = parts * (known.last.z - known.first.z) + 1;
    const Grid section{{columns, 1, rows},
                       {-behind * step, 0, grid.coordinate(2, known.first.z)},
                       {step, 1, grid.spacing.z / parts}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.radius = whole.radius;
    numbers.jumps.assign(static_cast<std::size_t>(rows), 1.0);
    Field<float> velocity(section.shape);
    for (int k = 0; k < rows; ++k) {
        const bool on_row = k % parts == 0;
        const int row = known.first.z + k / parts;
        const Vec3 q{source.x, source.y, section.coordinate(2, k)};
        // The nodes of a row of jumps hold the velocity above it.
        const double v =
            on_row ? static_cast<double>(model.velocity()(known.first.x, known.first.y, row))
                   : 1 / metric_slowness(model, q);
        for (int i = 0; i < columns; ++i) velocity(i, 0, k) = static_cast<float>(v);
        if (on_row) {
            numbers.jumps[static_cast<std::size_t>(k)] = whole.jumps[static_cast<std::size_t>(row)];
        }
    }
    return LayeredSection{Model(section, std::move(velocity))
                              .with_metric(std::make_shared<const Metric>(section, numbers)),
                          {0, 0, source.z},
                          served.first,
                          served.last,
                          direction};
}

}  // namespace fermat
