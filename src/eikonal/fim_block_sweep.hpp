#pragma once

#include "eikonal/fim_block.hpp"

namespace fermat {

template <class Real, int Dim, int Order>
template <Accept accept>
std::array<int, 3> FimBlock<Real, Dim, Order>::sweep(const FimProblem<Real>& problem,
                                                     const BlockExtent& extent, int outer_sense,
                                                     int row_sense) {
    constexpr int step = lane_count<Real>;
    constexpr int lane_step = pitch + 1;
    constexpr int run_step = pitch;
    constexpr Bits step_bits = (Bits{2} << (step - 1)) - 1;
    const auto& h = problem.spacing;
    Real h2[3];
    Real inverse_h[3];
    for (int axis = 0; axis < 3; ++axis) {
        h2[axis] = static_cast<Real>(h[axis] * h[axis]);
        inverse_h[axis] = static_cast<Real>(1 / h[axis]);
    }
    // gamma r^2 along the lane axis, and what lane l takes off it along the run axis.
    alignas(register_bytes) Real lane_part[width];
    alignas(register_bytes) Real run_part[width];
    for (int lane = 0; lane < width; ++lane) {
        const double up = problem.coordinate(1, extent.begin[1] + lane_of(lane)) * h[1];
        lane_part[lane] = static_cast<Real>(mirrored_ ? -up : up);
        run_part[lane] = static_cast<Real>(h[2] * h[2] * lane);
    }
    const auto stencil = [](const Real* t, int stride, V gamma, V eta, Real inverse_spacing) {
        return AxisStencil<V>{load(t - stride),
                              load(t + stride),
                              load(t - 2 * stride),
                              load(t + 2 * stride),
                              gamma,
                              eta,
                              inverse_spacing};
    };
    std::array<int, 3> lagging{};
    const auto solve_row = [&](int o, int row) {
        const Bits mine = mine_[at_row(o, row)];
        Bits& stale = stale_[at_row(o, row)];
        const Bits due = stale & mine;
        stale = 0;
        if (due == 0) return;
        const Bits jumps = problem.cells ? jumps_[at_row(o, row)] : 0;
        const Real outer_part =
            static_cast<Real>(h[0] * problem.coordinate(0, extent.begin[0] + o));
        const Real row_part =
            static_cast<Real>(h[2] * problem.coordinate(2, extent.begin[2] + row));
        Bits changed = 0;
        std::array<Bits, 3> feeds{};  // by axis, nodes whose neighbour swept before lags behind
        for (int lane = 0; lane < width; lane += step) {
            if ((due >> lane & step_bits) == 0) continue;
            Real* const t = tau_.data() + at(o, row, lane);
            const V f = load(f_.data() + at_medium(o, row, lane));
            const V old = load(t);
            const V inverse_r2 = load(inverse_r2_.data() + at_medium(o, row, lane));
            const auto on_lane = stencil(t, lane_step, load(lane_part + lane) * inverse_r2,
                                         h2[1] * inverse_r2, inverse_h[1]);
            const auto on_run =
                stencil(t, run_step, (row_part - load(run_part + lane)) * inverse_r2,
                        h2[2] * inverse_r2, inverse_h[2]);
            V now;
            Bits here;
            Mask much;
            const auto take = [&](V candidate) {
                for (Bits left = jumps >> lane & step_bits; left != 0; left &= left - 1) {
                    const int at_lane = std::countr_zero(left);
                    candidate[at_lane] =
                        due >> (lane + at_lane) & 1
                            ? update_by_octants(problem, extent, o, row, lane + at_lane)
                            : t[at_lane];
                }
                Mask better = (f < reached_limit<Real>)&(candidate < reached_limit<Real>);
                if constexpr (accept == Accept::earlier) better &= candidate < old;
                now = better ? candidate : old;
                const V difference = now > old ? now - old : old - now;
                much = difference > tolerance * now;
                here = lane_bits(now != old);
            };
            const auto check = [&](const AxisStencil<V>& axis, int sense) {
                const V before = sense > 0 ? axis.low : axis.high;
                const V toward = static_cast<Real>(sense) * axis.gamma;
                return lane_bits(much & may_feed(now, before, toward, axis.eta, tolerance)) << lane;
            };
            if constexpr (Dim == 3) {
                const auto on_outer =
                    stencil(t, plane, outer_part * inverse_r2, h2[0] * inverse_r2, inverse_h[0]);
                take(update_tau<Order>(f, inverse_r2, on_lane, on_run, on_outer));
                if (here == 0) continue;
                feeds[0] |= check(on_outer, outer_sense);
            } else {
                take(update_tau<Order>(f, inverse_r2, on_lane, on_run));
                if (here == 0) continue;
            }
            store(t, now);
            changed |= here << lane;
            feeds[1] |= check(on_lane, row_sense);
            feeds[2] |= check(on_run, row_sense);
        }
        // Any change, be it small, goes on to what is still to come: many small ones add up. What
        // was swept before is done again for a change that matters to it.
        for (int k = 1; k <= Order; ++k) {
            if constexpr (Dim == 3) {
                stale_[at_row(o + k * outer_sense, row)] |= changed;
                stale_[at_row(o - k * outer_sense, row)] |= feeds[0];
            }
            stale_[at_row(o, row + k * row_sense)] |= changed | shifted(changed, k * row_sense);
            stale_[at_row(o, row - k * row_sense)] |= feeds[2] | shifted(feeds[1], -k * row_sense);
        }
        if constexpr (Dim == 3) {
            lagging[0] += std::popcount(feeds[0] & mine_[at_row(o - outer_sense, row)]);
        }
        const Bits before = mine_[at_row(o, row - row_sense)];
        lagging[1] += std::popcount(shifted(feeds[1], -row_sense) & before);
        lagging[2] += std::popcount(feeds[2] & before);
    };
    // Planes are taken in twos, the second a row behind the first. This comes to the same as one
    // after the other, and rows that do not wait for each other are computed side by side.
    const int outer_count = extent.size(0);
    const int row_count = extent.size(2) + width - 1;
    const auto row_at = [&](int turn) { return row_sense > 0 ? turn : row_count - 1 - turn; };
    for (int outer_turn = 0; outer_turn < outer_count; outer_turn += 2) {
        const int o = outer_sense > 0 ? outer_turn : outer_count - 1 - outer_turn;
        const bool pair = outer_turn + 1 < outer_count;
        for (int turn = 0; turn < row_count; ++turn) {
            solve_row(o, row_at(turn));
            if (pair && turn > 0) solve_row(o + outer_sense, row_at(turn - 1));
        }
        if (pair) solve_row(o + outer_sense, row_at(row_count - 1));
    }
    return lagging;
}

}  // namespace fermat
