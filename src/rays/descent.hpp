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

/// Continuous descent by midpoint steps (second order). A step is shortened until the ray turns
/// little over it and the time falls along it as the gradient says, and lengthened to four cells
/// where the ray runs straight.
template <class Real, Space S>
struct DescentProposal {
    TimeFieldView<Real, S> field;
    double cells = 1;  ///< length of the next step, in cells
    /// Where the last step led, and the gradient there, which came with the time.
    Vec3 known_point{INFINITY, INFINITY, INFINITY};
    Vec3 known_gradient{};

    FERMAT_HD bool operator()(const Walker& at, Walker& next) {
        constexpr double shortest = 1.0 / 16;
        constexpr double longest = 4;
        constexpr double least_cosine = 0.99;
        constexpr double straight_cosine = 0.99998;
        const Grid& grid = field.grid;
        const Vec3 gradient =
            at.point == known_point ? known_gradient : gradient_at(field, at.point);
        Vec3 start;
        if (!descent_direction(grid, at.point, gradient, start)) return false;
        for (; cells >= shortest; cells /= 2) {
            const double h = step_length(grid, start, cells);
            const Vec3 half = grid.clamp(at.point + (0.5 * h) * start);
            const Vec3 gradient_there = gradient_at(field, half);
            Vec3 middle;
            if (!descent_direction(grid, half, gradient_there, middle)) continue;
            const double cosine = dot(start, middle);
            if (cosine < least_cosine && cells > shortest) continue;
            next.point = grid.clamp(at.point + h * middle);
            // From one step to the next the field lies far apart in memory: what the next step
            // will read, if the ray runs on straight, is asked for ahead.
            prefetch_tau(field, next.point + (0.5 * h) * middle);
            prefetch_tau(field, next.point + h * middle);
            const TimePoint there = time_point(field, next.point);
            next.time = there.time;
            const double fall = at.time - next.time;
            const double expected = h * norm(gradient_there);
            const bool as_expected = std::abs(fall - expected) < 0.02 * expected;
            if (cells > 1 ? !as_expected : !(fall > 0.3 * expected)) continue;
            if (cosine > straight_cosine && as_expected && cells < longest) cells *= 2;
            known_point = next.point;
            known_gradient = there.gradient;
            return true;
        }
        cells = 1;
        return false;
    }
};

}  // namespace fermat
