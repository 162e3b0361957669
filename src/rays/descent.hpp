#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Direction in which T at p falls most: against its gradient. On a face of the box, the component
/// that leads out is removed, so that the ray slides along the face.
template <int Dim>
FERMAT_HD_INLINE Vec3 descent_from(const Grid& grid, Vec3 p, Vec3 gradient) {
    Vec3 descent = -1.0 * gradient;
    const Vec3 low = grid.origin;
    const Vec3 high = grid.far_corner();
    for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
        const bool out = (p[axis] <= low[axis] && descent[axis] < 0) ||
                         (p[axis] >= high[axis] && descent[axis] > 0);
        descent[axis] = out ? 0 : descent[axis];
    }
    return descent;
}

/// Largest number of cells along any axis that a step crosses.
template <int Dim>
FERMAT_HD_INLINE double cells_crossed(const Grid& grid, Vec3 step) {
    double most = 0;
    for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
        const double cells = std::abs(step[axis]) * (1 / grid.spacing[axis]);
        most = cells > most ? cells : most;
    }
    return most;
}

/// Continuous descent by midpoint steps (second order). A step is shortened until the ray turns
/// little over it and the time falls along it as the gradient predicts. Where the ray is straight,
/// steps grow to four cells. Descent stops short of the source, so that the last straight piece
/// leads on to it and not back.
template <class Real, Space S>
struct DescentProposal {
    TimeFieldView<Real, S> field;
    double cells = 1;  ///< length of the next step, in cells
    /// End of the last step and the gradient there, which the evaluation of the time also gave.
    Vec3 known_point{INFINITY, INFINITY, INFINITY};
    Vec3 known_gradient{};

    FERMAT_HD bool operator()(const Walker& at, Walker& next) {
        return field.grid.is_2d() ? step<2>(at, next) : step<3>(at, next);
    }

    template <int Dim>
    FERMAT_HD_INLINE bool step(const Walker& at, Walker& next) {
        constexpr double shortest = 1.0 / 16;
        constexpr double longest = 4;
        constexpr double least_cosine = 0.99;
        constexpr double straight_cosine = 0.99998;
        const Grid& grid = field.grid;
        const double room = room_before_source<Dim>(at.point);
        if (cells > room) cells = room;
        const Vec3 gradient =
            at.point == known_point ? known_gradient : time_point<Dim>(field, at.point).gradient;
        const Vec3 start = descent_from<Dim>(grid, at.point, gradient);
        const double start_crosses = cells_crossed<Dim>(grid, start);
        if (!(start_crosses > 0)) return false;
        const double start_norm = norm(start);
        for (; cells >= shortest; cells /= 2) {
            const double scale = cells / start_crosses;
            const Vec3 half = grid.clamp(at.point + (0.5 * scale) * start);
            const Vec3 gradient_there = time_point<Dim>(field, half).gradient;
            const Vec3 middle = descent_from<Dim>(grid, half, gradient_there);
            const double middle_norm = norm(middle);
            if (!(middle_norm > 0)) continue;
            const double cosine = dot(start, middle) / (start_norm * middle_norm);
            if (cosine < least_cosine && cells > shortest) continue;
            const double h = scale * start_norm;
            const Vec3 way = (h / middle_norm) * middle;
            next.point = grid.clamp(at.point + way);
            // Successive steps read distant memory. Prefetch what the next step reads if the ray
            // goes straight on.
            prefetch_tau(field, next.point + 0.5 * way);
            prefetch_tau(field, next.point + way);
            const TimePoint there = time_point<Dim>(field, next.point);
            next.time = there.time;
            const double fall = at.time - next.time;
            const double expected = h * norm(gradient_there);
            const bool as_expected = std::abs(fall - expected) < 0.02 * expected;
            if (cells > 1 ? !as_expected : !(fall > 0.3 * expected)) continue;
            if (cosine > straight_cosine && as_expected) {
                cells = 2 * cells < longest ? 2 * cells : longest;
            }
            known_point = next.point;
            known_gradient = there.gradient;
            return true;
        }
        cells = 1;
        return false;
    }

  private:
    /// Longest allowed step, in cells. The last piece of a ray is a straight line to the source. It
    /// must keep at least half a cell, so that an error of its first point turns it little.
    template <int Dim>
    FERMAT_HD_INLINE double room_before_source(Vec3 point) const {
        constexpr double longest_leg = 0.9;
        constexpr double shortest_leg = 0.5;
        const double away = cells_crossed<Dim>(field.grid, field.factor.position - point);
        const double room = away - longest_leg;
        return room > shortest_leg ? room : shortest_leg;
    }
};

}  // namespace fermat
