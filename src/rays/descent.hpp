#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Makes a gradient of T at p into the unit direction of descent; false where it vanishes. At a
/// face of the box the part that leads out is taken off: the ray slides along the face.
FERMAT_HD inline bool descent_direction(const Grid& grid, Vec3 p, Vec3 gradient, Vec3& direction) {
    direction = -1.0 * gradient;
    const Vec3 low = grid.origin;
    const Vec3 high = grid.far_corner();
    for (int axis = 0; axis < 3; ++axis) {
        const bool out = (p[axis] <= low[axis] && direction[axis] < 0) ||
                         (p[axis] >= high[axis] && direction[axis] > 0);
        if (out) direction[axis] = 0;
    }
    const double length = norm(direction);
    if (!(length > 0)) return false;
    direction = direction / length;
    return true;
}

/// Length of a step along a direction that crosses at most `cells` cells along any axis.
FERMAT_HD inline double step_length(const Grid& grid, Vec3 direction, double cells) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double rate = std::abs(direction[axis]) / grid.spacing[axis];
        most = rate > most ? rate : most;
    }
    return cells / most;
}

/// Continuous descent: midpoint steps (second order) of about a cell, shortened until the ray's
/// direction turns little over one step and the time falls as a ray's time must.
template <class Real, Space S>
struct DescentProposal {
    TimeFieldView<Real, S> field;

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        constexpr double shortest = 1.0 / 16;
        constexpr double least_cosine = 0.97;
        const Grid& grid = field.grid;
        const Vec3 gradient = gradient_at(field, at.point);
        const double steepness = norm(gradient);
        Vec3 start;
        if (!descent_direction(grid, at.point, gradient, start)) return false;
        for (double cells = 1; cells >= shortest; cells /= 2) {
            const double h = step_length(grid, start, cells);
            const Vec3 half = grid.clamp(at.point + (0.5 * h) * start);
            Vec3 middle;
            if (!descent_direction(grid, half, gradient_at(field, half), middle)) continue;
            if (dot(start, middle) < least_cosine && cells > shortest) continue;
            next.point = grid.clamp(at.point + h * middle);
            next.time = time_at(field, next.point);
            if (at.time - next.time > 0.3 * steepness * h) return true;
        }
        return false;
    }
};

}  // namespace fermat
