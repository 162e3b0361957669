#pragma once

#include <algorithm>
#include <cmath>

#include "core/grid.hpp"
#include "core/mat3.hpp"
#include "model/metric.hpp"

namespace fermat {

/// Whether the axes of the grid lie along those of the frame.
inline bool is_aligned(const Metric& metric) {
    const Coordinates system = metric.coordinates().system;
    return system == Coordinates::cartesian || system == Coordinates::graded ||
           system == Coordinates::spherical;
}

/// Whether some tensor of a metric couples the axes of the grid.
inline bool couples_axes(const Metric& metric) {
    if (!is_aligned(metric) || metric.has_thomsen()) return true;
    if (metric.isotropic()) return false;
    const auto& a = metric.anisotropy().values;
    const auto all_zero = [](const Field<float>& field) {
        return std::all_of(field.begin(), field.end(), [](float v) { return v == 0; });
    };
    return !(all_zero(a[3]) && all_zero(a[4]) && all_zero(a[5]));
}

/// Nodes per length along the directions of the frame, at a node; columns are directions.
FERMAT_HD inline Mat3 node_steps(const Mat3& jacobian, Vec3 spacing, bool aligned) {
    Mat3 step;
    if (!aligned) {
        step = inverse(jacobian);
        for (int axis = 0; axis < 3; ++axis) {
            for (int c = 0; c < 3; ++c) step(axis, c) /= spacing[axis];
        }
        return step;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 along{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
        step(axis, axis) = 1 / (std::sqrt(dot(along, along)) * spacing[axis]);
    }
    return step;
}
inline Mat3 steps_of(const Grid& grid, const Metric& metric, const MappedPoint& here) {
    return node_steps(here.jacobian, grid.spacing, is_aligned(metric));
}

}  // namespace fermat
