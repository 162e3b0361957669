#pragma once

#include "eikonal/fim/block.hpp"

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
    const auto& h = problem.factor.spacing;
    Real h2[3];
    Real inverse_h[3];
    for (int axis = 0; axis < 3; ++axis) {
        h2[axis] = static_cast<Real>(h[axis] * h[axis]);
        inverse_h[axis] = static_cast<Real>(1 / h[axis]);
    }
    // gamma r^2 along the lane axis, and what lane l subtracts from it along the run axis.
    alignas(register_bytes) Real lane_part[width];
    alignas(register_bytes) Real run_part[width];
    for (int lane = 0; lane < width; ++lane) {
        const double up = problem.coordinate(1, extent.begin[1] + lane_of(lane)) * h[1];
        lane_part[lane] = static_cast<Real>(mirrored_ ? -up : up);
        run_part[lane] = static_cast<Real>(h[2] * problem.factor.step[2] * lane);
    }
    const auto along = [](const Real* t, int stride) {
        return [=](int steps) __attribute__((always_inline)) { return load(t + steps * stride); };
    };
    // Calls a function of the equation with the axes through the nodes at t.
    const auto with_axes = [&](const Real* t, int lane, V outer_x, V run_x, V inverse_r2,
                               auto&& function) __attribute__((always_inline)) {
        const auto on_lane = axis_stencil(load(lane_part + lane), h2[1], inverse_r2, inverse_h[1],
                                          along(t, lane_step));
        const auto on_run =
            axis_stencil(run_x, h2[2], inverse_r2, inverse_h[2], along(t, run_step));
        if constexpr (Dim == 3) {
            const auto on_outer =
                axis_stencil(outer_x, h2[0], inverse_r2, inverse_h[0], along(t, plane));
            return function(on_lane, on_run, on_outer);
        } else {
            return function(on_lane, on_run);
        }
    };
    // This is rare and not inlined, so that the loop keeps its values in registers.
    const auto carefully = [&](const Real* t, int lane, V outer_x, V run_x, V inverse_r2, V f,
                               auto straight) __attribute__((noinline)) {
        return with_axes(t, lane, outer_x, run_x, inverse_r2, [&](const auto&... axis) {
            return update_tau_carefully<Order>(straight, f, inverse_r2, axis...);
        });
    };
    std::array<int, 3> lagging{};
    const auto solve_row = [&, row_sense](int o, int row, int sense_out) {
        const Bits* const mine = mine_.data() + at_row(o, row);
        Bits* const stale = stale_.data() + at_row(o, row);
        const Bits due = *stale & *mine;
        *stale = 0;
        if (due == 0) return;
        const V outer_x =
            V{} + static_cast<Real>(h[0] * problem.coordinate(0, extent.begin[0] + o));
        const Real row_part =
            static_cast<Real>(h[2] * problem.coordinate(2, extent.begin[2] + row));
        Bits changed = 0;
        std::array<Bits, 3> feeds{};  // by axis, nodes whose neighbour swept before lags behind
        std::array<Bits, 3> skips{};  // or only the second one
        for (int lane = 0; lane < width; lane += step) {
            if ((due >> lane & step_bits) == 0) continue;
            Real* const t = tau_.data() + at(o, row, lane);
            const V f = load(f_.data() + at_medium(o, row, lane));
            const V inverse_r2 = load(inverse_r2_.data() + at_medium(o, row, lane));
            const V run_x = row_part - load(run_part + lane);
            const auto straight = with_axes(
                t, lane, outer_x, run_x,
                inverse_r2, [&](const auto&... axis) __attribute__((always_inline)) {
                    return straight_tau<Order>(f, inverse_r2, axis...);
                });
            V candidate = straight.tau;
            if (any_lane(straight.careful)) [[unlikely]] {
                candidate = carefully(t, lane, outer_x, run_x, inverse_r2, f, straight);
            }
            const V old = load(t);
            Mask better = (f < reached_limit<Real>)&(candidate < reached_limit<Real>);
            if constexpr (accept == Accept::earlier) better &= candidate < old;
            const V now = better ? candidate : old;
            const Bits here = lane_bits(now != old);
            if (here == 0) continue;
            store(t, now);
            changed |= here << lane;
            const V difference = now > old ? now - old : old - now;
            const Mask much = difference > tolerance * now;
            const auto each_before = [&](auto&& function) __attribute__((always_inline)) {
                const Real sense = static_cast<Real>(row_sense);
                const auto ask = [&](int axis, int before, V toward)
                    __attribute__((always_inline)) {
                    function(axis, load(t - before), load(t - Order * before), toward);
                };
                if constexpr (Dim == 3) {
                    ask(0, sense_out * plane, static_cast<Real>(sense_out) * outer_x * inverse_r2);
                }
                ask(1, row_sense * lane_step, sense * load(lane_part + lane) * inverse_r2);
                ask(2, row_sense * run_step, sense * run_x * inverse_r2);
            };
            Mask could{};
            each_before([&](int axis, V before, V second, V toward) __attribute__((always_inline)) {
                const V eta = h2[axis] * inverse_r2;
                could |= could_feed(now, before, toward, eta);
                if constexpr (Order == 2) {
                    could |= second_lead(now, second, toward, eta, tolerance) > 0;
                }
            });
            if (!any_lane(much & could)) continue;
            each_before([&](int a, V before, V second, V toward) __attribute__((always_inline)) {
                const auto axis = static_cast<std::size_t>(a);
                const V eta = h2[a] * inverse_r2;
                const auto fed = may_feed(now, before, toward, eta, tolerance);
                feeds[axis] |= lane_bits(much & fed) << lane;
                if constexpr (Order == 2) {
                    const auto fed_second = may_feed_second(now, second, toward, eta, tolerance);
                    skips[axis] |= lane_bits(much & fed_second) << lane;
                }
            });
        }
        // Nodes that this sweep has still to compute see every change, however small, because small
        // changes add up. Nodes that were swept before become stale only if the change matters to
        // them.
        const std::ptrdiff_t outer_rows = sense_out * row_slots;
        for (int k = 1; k <= Order; ++k) {
            if constexpr (Dim == 3) stale[k * outer_rows] |= changed;
            stale[k * row_sense] |= changed | shifted(changed, k * row_sense);
        }
        if ((feeds[0] | feeds[1] | feeds[2] | skips[0] | skips[1] | skips[2]) == 0) return;
        for (int k = 1; k <= Order; ++k) {
            const auto go = [&](std::size_t axis) {
                return k == 1 ? feeds[axis] : feeds[axis] | skips[axis];
            };
            if constexpr (Dim == 3) stale[-k * outer_rows] |= go(0);
            stale[-k * row_sense] |= go(2) | shifted(go(1), -k * row_sense);
        }
        const auto lag = [&](int k, const std::array<Bits, 3>& nodes) {
            if constexpr (Dim == 3) lagging[0] += std::popcount(nodes[0] & mine[-k * outer_rows]);
            const Bits before = mine[-k * row_sense];
            lagging[1] += std::popcount(shifted(nodes[1], -k * row_sense) & before);
            lagging[2] += std::popcount(nodes[2] & before);
        };
        lag(1, feeds);
        if constexpr (Order == 2) lag(2, skips);
    };
    const int outer_count = extent.size(0);
    const int rows_used = row_count(extent);
    const auto row_at = [&](int turn) { return row_sense > 0 ? turn : rows_used - 1 - turn; };
    // Planes are swept in pairs, the second one row behind the first. The result is the same as
    // that of one plane after the other, and the two rows do not depend on each other, so the
    // processor computes them side by side.
    const auto sweep_planes = [&](int first, int count, int sense) {
        for (int plane_turn = 0; plane_turn < count; plane_turn += 2) {
            const int o = first + plane_turn * sense;
            const bool pair = plane_turn + 1 < count;
            for (int turn = 0; turn < rows_used; ++turn) {
                solve_row(o, row_at(turn), sense);
                if (pair && turn > 0) solve_row(o + sense, row_at(turn - 1), sense);
            }
            if (pair) solve_row(o + sense, row_at(rows_used - 1), sense);
        }
    };
    if (outer_sense != 0) {
        sweep_planes(outer_sense > 0 ? 0 : outer_count - 1, outer_count, outer_sense);
        return lagging;
    }
    // The planes on both sides of the source depend on each other. They are swept in turn, row by
    // row, until neither changes the other; the other planes then follow outwards.
    const int above = planes_below_source(problem, extent);
    for (int turn = 0; turn < rows_used; ++turn) {
        const int row = row_at(turn);
        const int lagging_before = lagging[0];
        const auto due = [&](int o) { return stale_[at_row(o, row)] & mine_[at_row(o, row)]; };
        constexpr int most_turns = 16;
        for (int again = 0; again < most_turns && (due(above) | due(above - 1)) != 0; ++again) {
            lagging[0] = lagging_before;
            solve_row(above, row, 1);
            solve_row(above - 1, row, -1);
        }
        if ((due(above) | due(above - 1)) == 0) lagging[0] = lagging_before;
    }
    sweep_planes(above + 1, outer_count - above - 1, 1);
    sweep_planes(above - 2, above - 1, -1);
    return lagging;
}

}  // namespace fermat
