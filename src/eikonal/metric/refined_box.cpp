#include "eikonal/metric/refined_box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "eikonal/metric/factor.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

/// The nodes of an axis from one to another, with the middles between them.
std::vector<double> halved(const std::vector<double>& nodes, int first, int last) {
    std::vector<double> out;
    for (auto n = static_cast<std::size_t>(first); n <= static_cast<std::size_t>(last); ++n) {
        if (!out.empty()) out.push_back(0.5 * (nodes[n - 1] + nodes[n]));
        out.push_back(nodes[n]);
    }
    return out;
}

}  // namespace

double rows_to_jump(const std::vector<double>& jumps, double row) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < jumps.size(); ++k) {
        if (jumps[k] != 1) least = std::min(least, std::abs(static_cast<double>(k) - row));
    }
    return least;
}

std::optional<RefinedBox> refined_box(const Model& model, Vec3 point, int reach) {
    const CoordinateNumbers& whole = model.coordinates();
    const bool known =
        whole.system == Coordinates::spherical || whole.system == Coordinates::graded;
    if (!known || !model.is_isotropic()) return {};
    const Grid& grid = model.grid();
    const Vec3 at = grid.to_index(point);
    if (rows_to_jump(whole.jumps, at.z) > reach / 2) return {};
    Index3 first;
    Index3 last;
    Grid fine = grid;
    for (int axis = 0; axis < 3; ++axis) {
        const int end = grid.shape[axis] - 1;
        if (end == 0) continue;
        const int centre = static_cast<int>(std::lround(at[axis]));
        first[axis] = std::max(0, centre - reach);
        last[axis] = std::min(end, centre + reach);
        fine.origin[axis] = grid.coordinate(axis, first[axis]);
        fine.spacing[axis] = grid.spacing[axis] / 2;
    }
    fine.shape = {2 * (last.x - first.x) + 1, 2 * (last.y - first.y) + 1,
                  2 * (last.z - first.z) + 1};
    Field<float> velocity(fine.shape);
    for (int i = 0; i < fine.shape.x; ++i) {
        for (int j = 0; j < fine.shape.y; ++j) {
            for (int k = 0; k < fine.shape.z; ++k) {
                const Index3 node{first.x + i / 2, first.y + j / 2, first.z + k / 2};
                if (model.is_air(node)) return {};
                const Vec3 q = fine.position({i, j, k});
                // The nodes of a row of jumps hold the velocity above it.
                const double slowness =
                    k % 2 == 0 ? slowness_at(model, q) : metric_slowness(model, q);
                velocity(i, j, k) = static_cast<float>(1 / slowness);
            }
        }
    }
    CoordinateNumbers numbers = whole;
    numbers.jumps.assign(static_cast<std::size_t>(fine.shape.z), 1.0);
    for (int k = 0; k < fine.shape.z; k += 2) {
        numbers.jumps[static_cast<std::size_t>(k)] =
            whole.jumps[static_cast<std::size_t>(first.z + k / 2)];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (whole.axes[axis].size() < 2) continue;
        const int a = static_cast<int>(axis);
        numbers.axes[axis] = halved(whole.axes[axis], first[a], last[a]);
    }
    return RefinedBox{
        Model(fine, std::move(velocity)).with_metric(std::make_shared<const Metric>(fine, numbers)),
        first, last};
}

}  // namespace fermat
