#pragma once

#include <array>
#include <cmath>

#include "core/field.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {

/// The gradient of T on nodes. It points in the direction in which the wave travels, and its length
/// is the slowness there.
///
///     grad T = T0 grad(tau) + tau grad(T0)
///
/// The differences are those of tau, which is smooth at the source where T is not. Along each axis
/// they are one-sided and of second order; each side uses the three nodes with the smallest second
/// difference (Harten, Osher, Engquist & Chakravarthy 1987). Of the two sides the upwind one is
/// taken, as in Godunov's scheme: where two waves meet, the gradient is that of the first arrival
/// and not the mean of both.

/// Slope of tau on one side of a node, in units of the spacing; NaN where no neighbour is reached.
struct SideSlopes {
    double low = NAN;   ///< from the nodes below
    double high = NAN;  ///< from those above
};

/// The nodes, numbered as `tau` of side_bends, round which the second difference of each side is
/// taken: the one with the smaller difference; 0 where none is known.
struct SideBends {
    int low = 0;
    int high = 0;
};

FERMAT_HD inline double bend_at(const double (&tau)[5], int n) {
    return n == 0 ? 0 : tau[n - 1] - 2 * tau[n] + tau[n + 1];
}

/// `tau` holds the values at two nodes below, at the node itself and at two nodes above; infinite
/// where no wave arrives.
FERMAT_HD inline SideBends side_bends(const double (&tau)[5]) {
    constexpr int at = 2;
    const auto smaller = [&](int a, int b) {
        const double of_a = bend_at(tau, a);
        const double of_b = bend_at(tau, b);
        if (!std::isfinite(of_a)) return std::isfinite(of_b) ? b : 0;
        return !std::isfinite(of_b) || std::abs(of_a) <= std::abs(of_b) ? a : b;
    };
    return {smaller(at - 1, at), smaller(at + 1, at)};
}

FERMAT_HD inline SideSlopes side_slopes(const double (&tau)[5]) {
    constexpr int at = 2;
    const SideBends bends = side_bends(tau);
    SideSlopes slopes;
    if (std::isfinite(tau[at - 1])) {
        slopes.low = tau[at] - tau[at - 1] + 0.5 * bend_at(tau, bends.low);
    }
    if (std::isfinite(tau[at + 1])) {
        slopes.high = tau[at + 1] - tau[at] - 0.5 * bend_at(tau, bends.high);
    }
    return slopes;
}

/// Chooses the upwind one of dT/dx on both sides; NaN means that a side has none. If the wave comes
/// from neither side, returns the mean.
FERMAT_HD inline double upwind_slope(double low, double high) {
    if (std::isnan(low)) return high;
    if (std::isnan(high)) return low;
    if (low > 0 && low >= -high) return low;
    if (high < 0) return high;
    return 0.5 * (low + high);
}

/// The gradient at a node; NaN where no wave arrives and at the source itself, where it is not
/// defined. Along an axis without reached neighbours, the component is that of T0.
template <class Real, Space S>
FERMAT_HD Vec3 node_gradient(const TimeFieldView<Real, S>& field, Index3 node) {
    const Vec3 place = field.grid.position(node);
    const double r = field.factor.radius(place);
    const double here = field.tau(node);
    // Rounding may put a source that is given on a node slightly beside it.
    const bool at_source = r < 1e-9 * field.grid.spacing_along(2);
    if (at_source || !std::isfinite(here)) return {NAN, NAN, NAN};
    const Vec3 own = (here / r) * field.factor.from_source(place);
    Vec3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && field.grid.is_2d()) continue;
        double tau[5];
        for (int n = 0; n < 5; ++n) {
            Index3 next = node;
            next[axis] += n - 2;
            const bool inside = next[axis] >= 0 && next[axis] < field.grid.shape[axis];
            tau[n] = inside ? static_cast<double>(field.tau(next)) : double{INFINITY};
        }
        const SideSlopes slopes = side_slopes(tau);
        const double per_length = r / field.grid.spacing_along(axis);
        const double slope =
            upwind_slope(per_length * slopes.low + own[axis], per_length * slopes.high + own[axis]);
        gradient[axis] = field.factor.slowness * (std::isnan(slope) ? own[axis] : slope);
    }
    return gradient;
}

/// The components of the gradient on all nodes. In 2-D the component along y is empty.
template <class Real>
std::array<Field<Real>, 3> time_gradient(const BasicTimeField<Real>& field, int threads = 1);

}  // namespace fermat
