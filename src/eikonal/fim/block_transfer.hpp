#pragma once

#include <algorithm>
#include <cmath>

#include "eikonal/fim/block.hpp"

namespace fermat {

/// Prefetches the values of the block. They lie in short lines, which the prefetcher of the
/// processor does not predict.
template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::prefetch(const FimProblem<Real>& problem,
                                          const BlockExtent& extent) const {
    const auto ask_line = [&](const auto* values, int o, int l) {
        constexpr int step = 64 / sizeof(*values);
        const auto* const first = values + problem.offset(o, l, extent.begin[2]);
        for (int r = 0; r < extent.size(2); r += step) __builtin_prefetch(first + r, 0, 2);
        __builtin_prefetch(first + extent.size(2), 0, 2);
    };
    const auto low = [&](int axis) { return std::max(extent.begin[axis] - halo, 0); };
    const auto high = [&](int axis) {
        return std::min(extent.end[axis] + halo, problem.shape[axis]);
    };
    for (int o = low(0); o < high(0); ++o) {
        for (int l = low(1); l < high(1); ++l) ask_line(problem.tau, o, l);
    }
    for (int o = extent.begin[0]; o < extent.end[0]; ++o) {
        for (int l = extent.begin[1]; l < extent.end[1]; ++l) ask_line(problem.velocity, o, l);
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::load_tau(const FimProblem<Real>& problem,
                                          const BlockExtent& extent, bool blank) {
    const int outer_count = extent.size(0);
    const int run_count = extent.size(2);
    for (int o = -first_plane; o < outer_count + first_plane; ++o) clear_plane(tau_, o, extent);
    const auto load_line = [&](int o, int l) {
        const int outer = extent.begin[0] + o;
        const int lane = extent.begin[1] + l;
        if (outer < 0 || outer >= problem.shape[0] || lane < 0 || lane >= problem.shape[1]) return;
        const Real* const from = problem.tau + problem.offset(outer, lane, extent.begin[2]);
        Real* const to = tau_.data() + at_node(o, l, 0);
        for (int r = 0; r < run_count; ++r) to[r * pitch] = from[r];
    };
    const int below = extent.begin[2];
    const int above = problem.shape[2] - extent.end[2];
    const auto load_ends = [&](int o, int l) {
        const Real* const from =
            problem.tau + problem.offset(extent.begin[0] + o, extent.begin[1] + l, extent.begin[2]);
        Real* const to = tau_.data() + at_node(o, l, 0);
        if (below > 0) to[-pitch] = from[-1];
        if (below > 1) to[-2 * pitch] = from[-2];
        if (above > 0) to[run_count * pitch] = from[run_count];
        if (above > 1) to[(run_count + 1) * pitch] = from[run_count + 1];
    };
    for (int o = 0; o < outer_count; ++o) {
        for (int l = 0; l < lanes_; ++l) {
            load_ends(o, l);
            if (!blank) load_line(o, l);
        }
        for (const int l : {-2, -1, lanes_, lanes_ + 1}) load_line(o, l);
    }
    if constexpr (Dim == 3) {
        for (const int o : {-2, -1, outer_count, outer_count + 1}) {
            for (int l = 0; l < lanes_; ++l) load_line(o, l);
        }
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::load_medium(const FimProblem<Real>& problem,
                                             const BlockExtent& extent) {
    const int rows_used = row_count(extent);
    // Velocities are in the user's units and may be of any size.
    const Real unit = static_cast<Real>(problem.slowness_unit);
    const Real inverse_s0 = static_cast<Real>(problem.slowness_unit / problem.source_slowness);
    const Real y_first = static_cast<Real>(problem.coordinate(1, extent.begin[1] + lane_of(0)));
    const Real y_step =
        static_cast<Real>(mirrored_ ? -problem.factor.step[1] : problem.factor.step[1]);
    const Real z_step = static_cast<Real>(problem.factor.step[2]);
    for (int o = 0; o < extent.size(0); ++o) {
        // Stores velocity first and then replaces it by f. Where it stays 0 there is no node of the
        // block.
        std::fill_n(f_.begin() + at_medium(o, 0, 0), rows_used * width, Real(0));
        for (int l = 0; l < lanes_; ++l) {
            const std::ptrdiff_t first =
                problem.offset(extent.begin[0] + o, extent.begin[1] + l, extent.begin[2]);
            Real* const to = f_.data() + at_medium(o, lane_of(l), lane_of(l));
            if (sizeof(Real) == 8 && problem.exact_slowness != nullptr) {
                const double* const from = problem.exact_slowness + first;
                for (int r = 0; r < extent.size(2); ++r) {
                    to[r * width] = static_cast<Real>(1 / from[r]);
                }
            } else {
                const float* const from = problem.velocity + first;
                for (int r = 0; r < extent.size(2); ++r) to[r * width] = static_cast<Real>(from[r]);
            }
        }
        const double x = Dim == 3 ? problem.coordinate(0, extent.begin[0] + o) : 0;
        const Real x2 = static_cast<Real>(x * x + problem.factor.far2);
        for (int row = 0; row < rows_used; ++row) {
            Real* const f = f_.data() + at_medium(o, row, 0);
            Real* const inverse_r2 = inverse_r2_.data() + at_medium(o, row, 0);
            const Real z_first = static_cast<Real>(problem.coordinate(2, extent.begin[2] + row));
            for (int lane = 0; lane < width; ++lane) {
                const Real y = y_first + static_cast<Real>(lane) * y_step;
                const Real z = z_first - static_cast<Real>(lane) * z_step;
                const Real r2 = x2 + y * y + z * z;
                const bool rock = f[lane] > 0;
                const Real v = rock ? unit * f[lane] : Real(1);
                // One division gives both 1/r^2 and 1/(v r).
                const Real quotient = 1 / (v * r2);
                inverse_r2[lane] = v * quotient;
                f[lane] = rock ? inverse_s0 * std::sqrt(r2) * quotient : unreached<Real>;
            }
        }
    }
    hold_starts(problem, extent);
    find_mine(extent);
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::hold_starts(const FimProblem<Real>& problem,
                                             const BlockExtent& extent) {
    for (const auto& node : problem.starts) {
        if (!extent.contains(node)) continue;
        const int o = node[0] - extent.begin[0];
        const int lane = lane_of(node[1] - extent.begin[1]);
        const int row = node[2] - extent.begin[2] + lane;
        f_[static_cast<std::size_t>(at_medium(o, row, lane))] = unreached<Real>;
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::find_mine(const BlockExtent& extent) {
    std::fill(mine_.begin(), mine_.end(), Bits{0});
    for (int o = 0; o < extent.size(0); ++o) {
        for (int row = 0; row < row_count(extent); ++row) {
            const Real* const f = f_.data() + at_medium(o, row, 0);
            Bits mine = 0;
            for (int lane = 0; lane < width; lane += lane_count<Real>) {
                mine |= lane_bits(load(f + lane) < reached_limit<Real>) << lane;
            }
            mine_[at_row(o, row)] = mine;
        }
    }
}

/// The neighbour across a face reads the nearest two layers (second order) or the nearest one, and
/// only nodes that are earlier than its own.
template <class Real, int Dim, int Order>
float FimBlock<Real, Dim, Order>::earliest_through(const FimProblem<Real>& problem,
                                                   const BlockExtent& extent, int axis, int side,
                                                   bool blank) const {
    Real earliest2 = INFINITY;
    const bool grid_ends = side ? extent.end[axis] == problem.shape[axis] : extent.begin[axis] == 0;
    if (grid_ends) return INFINITY;
    const auto step = steps();
    const auto& stride = problem.stride;
    const int a = axis == 0 ? 1 : 0;
    const int b = axis == 2 ? 1 : 2;
    const int edge = side ? extent.size(axis) - 1 : 0;
    const int outward = side ? 1 : -1;
    const bool two_layers = Order == 2 && extent.size(axis) > 1;
    const Real h = static_cast<Real>(problem.factor.spacing[axis]);
    const Real up = static_cast<Real>(outward) * h *
                    static_cast<Real>(problem.coordinate(axis, extent.begin[axis] + edge));
    const int corner = at_node(0, 0, 0) + edge * step[axis];
    const std::array<int, 3> medium_step{rows * width, mirrored_ ? -(width + 1) : width + 1, width};
    const int medium_corner = at_medium(0, lane_of(0), lane_of(0)) + edge * medium_step[axis];
    const Real* const first_old =
        problem.tau + problem.offset(extent.begin[0], extent.begin[1], extent.begin[2]) +
        edge * stride[axis];
    const Real until2 = static_cast<Real>(problem.until * problem.until);
    const auto moved = [](Real now, Real old) { return fim_moved(now, old, tolerance); };
    for (int i = 0; i < extent.size(a); ++i) {
        for (int j = 0; j < extent.size(b); ++j) {
            const int here = corner + i * step[a] + j * step[b];
            const Real* const old = first_old + i * stride[a] + j * stride[b];
            const Real now = tau_[static_cast<std::size_t>(here)];
            if (!(now < reached_limit<Real>)) continue;
            bool matters = blank || moved(now, *old);
            if (two_layers && !matters) {
                matters = moved(tau_[static_cast<std::size_t>(here - outward * step[axis])],
                                old[-outward * stride[axis]]);
            }
            if (!matters) continue;
            const Real inverse_r2 = inverse_r2_[static_cast<std::size_t>(
                medium_corner + i * medium_step[a] + j * medium_step[b])];
            const Real next = tau_[static_cast<std::size_t>(here + outward * step[axis])];
            const Real toward = -up * inverse_r2;
            const Real eta = h * h * inverse_r2;
            bool feeds = may_feed(now, next, toward, eta, tolerance);
            if constexpr (Order == 2) {
                const Real second = tau_[static_cast<std::size_t>(here + 2 * outward * step[axis])];
                feeds |= may_feed_second(now, second, toward, eta, tolerance);
            }
            if (!feeds) continue;
            if (fim_too_late(now, inverse_r2, h * h, until2)) continue;
            earliest2 = std::min(earliest2, now * now / inverse_r2);
        }
    }
    return static_cast<float>(std::sqrt(earliest2));
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::store_tau(const FimProblem<Real>& problem,
                                           const BlockExtent& extent) const {
    for (int o = 0; o < extent.size(0); ++o) {
        for (int l = 0; l < extent.size(1); ++l) {
            Real* const to = problem.tau + problem.offset(extent.begin[0] + o, extent.begin[1] + l,
                                                          extent.begin[2]);
            const Real* const from = tau_.data() + at_node(o, l, 0);
            for (int r = 0; r < extent.size(2); ++r) to[r] = from[r * pitch];
        }
    }
}

}  // namespace fermat
