#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// Rules of `fim` that the CPU and the GPU share.

/// Relative change of tau below which a node counts as unchanged: a few units in the last place.
template <class Real, int Order>
inline constexpr Real fim_tolerance = sizeof(Real) == 8 ? Real(1e-13)
                                      : Order == 1      ? Real(1.2e-7)
                                                        : Real(5e-7);

/// Second-order values may rise as well as fall, so two nodes at a shock could alternate for ever.
/// After this many visits the values of a block or tile may only fall.
inline constexpr int fim_free_visits = 30;

/// Where rounding decides, times may fall for ever, and on a GPU nothing could stop the solve. So a
/// tile is left as it is after this many visits; require_resolved then refuses the result.
inline constexpr unsigned fim_most_visits = 5000;

/// Whether a node's tau moved by more than rounding.
template <class Real>
FERMAT_HD_INLINE bool fim_moved(Real now, Real old, Real tolerance) {
    return std::abs(now - old) > tolerance * now;
}

/// Whether the values of a block or tile may only fall after so many visits.
FERMAT_HD_INLINE bool fim_only_falls(int order, unsigned visits) {
    return order == 1 || visits >= static_cast<unsigned>(fim_free_visits);
}

/// Whether a block or tile waits. Those that the wave reaches for the first time do not wait: level
/// by level from the source, each is visited after those it depends on, and in smooth media one
/// visit suffices. Those that must be visited again wait while an active one is earlier by more
/// than `patience`. So a wave round an obstacle or through a fast channel is followed in few
/// visits.
FERMAT_HD_INLINE bool fim_waits(unsigned visits, float key, float first, float patience) {
    return visits > 0 && key > first + patience;
}

/// The key of a block or tile that did not settle: the earliest arrival that it passed on, or 0 if
/// there is none.
FERMAT_HD_INLINE float fim_unsettled_key(float earliest) {
    return earliest < INFINITY ? earliest : 0.0F;
}

/// Whether a node is so late that no node with a time up to `until` depends on it. In factored form
/// a node may depend on a slightly later neighbour: from (1 + gamma)^2 (r_1/r)^2 <= 1 + 4 eta its
/// own time T is at least T_1 / sqrt(1 + 4 eta). `until2` is the square of until/s0, infinite if
/// the caller wants all times.
template <class Real>
FERMAT_HD_INLINE bool fim_too_late(Real tau, Real inverse_r2, Real h2, Real until2) {
    return tau * tau > until2 * inverse_r2 * (1 + 4 * h2 * inverse_r2);
}

/// Calls visit(node) for a start node and for the nodes whose equations read it.
template <class Node, class Shape3, class Visit>
void for_each_reader(const Node& start, int order, const Shape3& shape, Visit visit) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int shift = -order; shift <= order; ++shift) {
            Node near = start;
            near[axis] = std::clamp(near[axis] + shift, 0, shape[axis] - 1);
            visit(near);
        }
    }
}

/// Whether one spacing is so much larger than another that second order must start from the
/// first-order solution. In long cells second order has several solutions. From unreached nodes it
/// may find a wrong one (by 0.02 % at a ratio of 6, by 15 % at 40); from the first-order solution
/// it does not.
inline bool has_long_cells(const Grid& grid, double most = 4) {
    const Vec3 h = grid.spacing;
    const double shortest = grid.is_2d() ? std::min(h.x, h.z) : std::min({h.x, h.y, h.z});
    const double longest = grid.is_2d() ? std::max(h.x, h.z) : std::max({h.x, h.y, h.z});
    return longest > most * shortest;
}

/// Which of x, y, z are the axes `outer`, `lane` and `run`; -1 for none.
inline std::array<int, 3> fim_axis_order(const Grid& grid) {
    return grid.is_2d() ? std::array{-1, 0, 2} : std::array{0, 1, 2};
}

/// Values along x, y, z as `outer`, `lane` and `run`. A 2-D grid (nx, 1, nz) has the same memory as
/// (1, nx, nz), so x becomes the lane axis.
template <class T>
std::array<T, 3> fim_axes(const Grid& grid, T x, T y, T z, T absent) {
    return grid.is_2d() ? std::array{absent, x, z} : std::array{x, y, z};
}

}  // namespace fermat
