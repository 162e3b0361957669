#include "eikonal/vidale/source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/corner_weight.hpp"

namespace fermat::vidale {
namespace {

/// Samples of slowness per spacing along the line.
constexpr double samples_per_cell = 4;

bool meets_air(const Model& model, Vec3 point) {
    bool air = false;
    for_each_corner(model.grid(), point, [&](Index3 node, double weight) {
        air |= weight > least_corner_weight && model.is_air(node);
    });
    return air;
}

}  // namespace

NodeBox nodes_round(const Grid& grid, Vec3 point, Vec3 radius) {
    const Vec3 at = grid.to_index(grid.clamp(point));
    NodeBox box;
    for (int axis = 0; axis < 3; ++axis) {
        const int last = grid.shape[axis] - 1;
        box.low[axis] = std::clamp(static_cast<int>(std::ceil(at[axis] - radius[axis])), 0, last);
        box.high[axis] = std::clamp(static_cast<int>(std::floor(at[axis] + radius[axis])), 0, last);
    }
    return box;
}

double straight_time(const Model& model, Vec3 source, Index3 node) {
    const Grid& grid = model.grid();
    if (model.is_air(node)) return std::numeric_limits<double>::infinity();
    Vec3 way = grid.position(node) - source;
    if (grid.is_2d()) way.y = 0;
    const Vec3 steps{way.x / grid.spacing.x, way.y / grid.spacing.y, way.z / grid.spacing.z};
    const double longest = std::max({std::abs(steps.x), std::abs(steps.y), std::abs(steps.z), 1.0});
    const int samples = static_cast<int>(std::ceil(samples_per_cell * longest));
    const Index3 source_cell = locate(grid, source).cell;
    const bool on_surface = model.has_air() && meets_air(model, source);
    const auto blocked = [&](Vec3 point) {
        const bool exempt = on_surface && locate(grid, point).cell == source_cell;
        return model.has_air() && !exempt && meets_air(model, point);
    };

    double sum = 0;
    for (int i = 0; i < samples; ++i) {
        const Vec3 point = source + (i + 0.5) / samples * way;
        if (blocked(point)) return std::numeric_limits<double>::infinity();
        sum += slowness_at(model, point);
    }
    return norm(way) * sum / samples;
}

}  // namespace fermat::vidale
