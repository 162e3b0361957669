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
inline Mat3 steps_of(const Grid& grid, const Metric& metric, const MappedPoint& here) {
    const Mat3& j = here.jacobian;
    if (!is_aligned(metric)) {
        Mat3 step = inverse(j);
        for (int axis = 0; axis < 3; ++axis) {
            for (int c = 0; c < 3; ++c) step(axis, c) /= grid.spacing[axis];
        }
        return step;
    }
    Mat3 step;
    for (int axis = 0; axis < 3; ++axis) {
        const double square =
            j(0, axis) * j(0, axis) + j(1, axis) * j(1, axis) + j(2, axis) * j(2, axis);
        step(axis, axis) = 1 / (std::sqrt(square) * grid.spacing[axis]);
    }
    return step;
}

}  // namespace fermat
