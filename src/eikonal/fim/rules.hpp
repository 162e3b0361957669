#pragma once

#include <algorithm>
#include <array>

#include "core/grid.hpp"

namespace fermat {

/// What `fim` keeps to on the CPU and on the GPU alike.

/// Relative change of tau below which a node counts as unchanged: a few units in the last place.
template <class Real, int Order>
inline constexpr Real fim_tolerance = sizeof(Real) == 8 ? Real(1e-13)
                                      : Order == 1      ? Real(1.2e-7)
                                                        : Real(5e-7);

/// Second order may rise as well as fall, so two nodes at a shock could take turns for ever: after
/// this many visits the values of a block or tile may only fall.
inline constexpr int fim_free_visits = 30;

/// Where rounding decides, times may fall for ever. On a GPU nobody could stop it: a tile that was
/// visited this often is left as it is. resolution.hpp refuses the outcome.
inline constexpr unsigned fim_most_visits = 5000;

/// Whether some spacing is so much larger than another that second order is to start from the
/// solution of first order. In long cells it has several solutions: from blank nodes it may settle
/// in a wrong one (by 0.02 % at a ratio of 6, by 15 % at 40), from the first order's it does not.
inline bool has_long_cells(const Grid& grid, double most = 4) {
    const Vec3 h = grid.spacing;
    const double shortest = grid.is_2d() ? std::min(h.x, h.z) : std::min({h.x, h.y, h.z});
    const double longest = grid.is_2d() ? std::max(h.x, h.z) : std::max({h.x, h.y, h.z});
    return longest > most * shortest;
}

/// Values along x, y, z as `outer`, `lane` and `run`. A 2-D grid (nx, 1, nz) has the same memory as
/// (1, nx, nz): x takes the lanes.
template <class T>
std::array<T, 3> fim_axes(const Grid& grid, T x, T y, T z, T absent) {
    return grid.is_2d() ? std::array{absent, x, z} : std::array{x, y, z};
}

}  // namespace fermat
