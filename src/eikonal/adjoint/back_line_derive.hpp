#pragma once

#include <bit>

#include "eikonal/adjoint/back_line.hpp"

namespace fermat {

/// Keeps what the nodes of a chunk take of an axis.
template <class Real, int Dim, int Order>
[[gnu::always_inline]] inline void BackLine<Real, Dim, Order>::keep(int e, int c, Mask low,
                                                                    Mask second, V part) {
    const int at = c * step;
    const V none{};
    const V near = second ? part + part : part;
    const V far = second ? Real(-0.5) * part : none;
    const Bits counts = lane_bits(part != 0);
    const Bits counts_far = lane_bits(far != 0);
    const Bits from_low = lane_bits(low);
    for (int side = 0; side < 2; ++side) {
        const Bits here = side == 0 ? from_low : ~from_low;
        const Bits bits = counts & here;
        const bool some = bits != 0;
        const bool whole = bits == counts;
        const Mask here_lanes = side == 0 ? low : ~low;
        const V near_here = whole ? near : (here_lanes ? near : none);
        const V far_here = whole ? far : (here_lanes ? far : none);
        if (e < across) {
            goes_[e][side][c] = bits;
            goes_far_[e][side][c] = counts_far & here;
            if (!some) continue;
            store(near_[e][side] + at, near_here);
            store(far_[e][side] + at, far_here);
        } else {
            if (some) hands_on_[side].add(c);
            alignas(register_bytes) Real narrow[2][step];
            if (some) {
                store(narrow[0], near_here);
                store(narrow[1], far_here);
            }
            for (int behind = 0; behind < 2; ++behind) {
                for (int w = 0; w < wides; ++w) {
                    store(along_[side][behind] + at + w * wide_step,
                          some ? detail::widened(narrow[behind] + w * wide_step) : Wide{});
                }
            }
        }
    }
}

template <class Real, int Dim, int Order>
void BackLine<Real, Dim, Order>::derive(const Scheme& scheme, int c, Bits own) {
    constexpr Real tolerance = sizeof(Real) == 8 ? Real(1e-9) : Real(1e-4);
    const int at = c * step;
    const V none{};
    const Real* const t = place_.tau + at;
    V count{};
    for (int lane = 0; lane < step; ++lane) count[lane] = static_cast<Real>(lane);
    const V z = z_ + (static_cast<Real>(at) + count) * z_step_;
    const V r2 = z * z + across2_;
    const V v = load(velocity_ + at);
    // One division gives both 1/r^2 and 1/(v r).
    const V quotient = 1 / (v * r2);
    const V inverse_r2 = v * quotient;
    const V r = root(r2);
    const V f = inverse_slowness_ * r * quotient;
    const V inverse_r = r * inverse_r2;
    const auto stencil = [&](int axis, V x, std::ptrdiff_t stride) __attribute__((always_inline)) {
        return axis_stencil(
            h_[axis] * x, h2_[axis], inverse_r2,
            inverse_h_[axis], [&](int steps) __attribute__((always_inline)) {
                return load(t + steps * stride);
            });
    };
    const auto work = [&](const auto&... axis) __attribute__((always_inline)) {
        // The time that the node holds solves its equation but for rounding: one step of Newton's
        // method gives what the neighbours make of it.
        const V held = load(t);
        V square = -f * f;
        V total{};
        V slope2{};
        V nearest2 = none + unreached<Real>;
        Mask collides{};
        Mask differs{};
        Mask fades{};
        V part[Dim];
        V slope_of[Dim];
        Mask low[Dim];
        Mask second[Dim];
        int d = 0;
        const auto add = [&](const AxisStencil<V>& a) __attribute__((always_inline)) {
            low[d] = factored_from_low(a);
            const UpwindSide<V> side = factored_side(a, low[d]);
            const UpwindTerm<V> term = upwind_term<Order>(side);
            const V excess = term.c * (held - term.near) - term.shift;
            const V slope = term.c * (term.inverse_spacing * term.inverse_spacing);
            const Mask counts = excess > 0;
            const V pull = excess * (term.inverse_spacing * term.inverse_spacing);
            part[d] = counts ? pull : none;
            slope_of[d] = counts ? slope : none;
            square += part[d] * excess;
            total += term.c * part[d];
            slope2 += term.c * slope_of[d];
            nearest2 = least(nearest2, side.near * side.near * side.near_ratio2);
            collides |= both_upwind(side, held);
            differs |= low[d] ^ godunov_from_low(a, held);
            second[d] = Order == 2 ? falls_behind(side) : Mask{};
            if constexpr (Order == 2) fades |= fades_out(side, held);
            ++d;
        };
        (add(axis), ...);
        const V rough = 1 / total;
        const V change = Real(-0.5) * square * rough;
        const V off = change > 0 ? change : -change;
        // Where fronts collide, Godunov's sides may be others.
        const Mask other_sides = Order == 2 ? collides : collides & differs;
        const Mask side_way = may_be_late(held, nearest2, f, inverse_r2) | other_sides | fades;
        const Bits careful = (lane_bits(side_way) | ~lane_bits(off < tolerance * held)) & own;
        const Mask ok = detail::lanes_of<Mask>(own & ~careful);
        const V share = rough * (1 - slope2 * change * rough);
        const V s = f * share * inverse_r;
        store(by_s_ + at, ok ? s : none);
        const V gammas[] = {axis.gamma...};
        V by_gamma[Dim];
        V pulled{};
        for (int e = 0; e < Dim; ++e) {
            const V weight = (part[e] + slope_of[e] * change) * share;
            part[e] = ok ? weight : none;
            keep(e, c, low[e], second[e], part[e]);
            const V pull = held * part[e];
            by_gamma[e] = low[e] ? -pull : pull;
            pulled += by_gamma[e] * gammas[e];
        }
        // d tau/d(source position), as place_slope says.
        const V radial = s * f * inverse_r + 2 * inverse_r2 * pulled;
        const auto to_source = [&](int e, int axis_of, V x) __attribute__((always_inline)) {
            const V value = radial * x - by_gamma[e] * (h_[axis_of] * inverse_r2);
            store(slope_[e] + at, ok ? value : none);
        };
        to_source(0, 0, none + x_[0]);
        if constexpr (Dim == 3) to_source(1, 1, none + x_[1]);
        to_source(Dim - 1, 2, z);
        return careful;
    };
    wrong_[c] = 0;
    const auto on_x = stencil(0, none + x_[0], place_.step_to[0]);
    const auto on_z = stencil(2, z, 1);
    Bits careful;
    if constexpr (Dim == 3) {
        careful = work(on_x, stencil(1, none + x_[1], place_.step_to[1]), on_z);
    } else {
        careful = work(on_x, on_z);
    }
    for (; careful != 0; careful &= careful - 1) {
        derive_single(scheme, c, std::countr_zero(careful));
    }
}

template <class Real, int Dim, int Order>
void BackLine<Real, Dim, Order>::derive_single(const Scheme& scheme, int c, int lane) {
    const int k = c * step + lane;
    const Bits bit = Bits{1} << lane;
    const auto single = scheme.single(place_.node + static_cast<std::size_t>(k),
                                      {place_.first.x, place_.first.y, place_.first.z + k});
    by_s_[k] = static_cast<Real>(single.by_slowness);
    if (!single.settled) wrong_[c] |= bit;
    for (int e = 0; e < Dim; ++e) {
        const AxisDerivative<>& by = single.by.axis[e];
        slope_[e][k] = static_cast<Real>(single.by_source[Dim == 3 || e == 0 ? e : 2]);
        const int side = by.from_low ? 0 : 1;
        if (e < across) {
            if (by.near == 0) continue;
            if (goes_[e][side][c] == 0) {
                std::fill_n(near_[e][side] + c * step, step, Real(0));
                std::fill_n(far_[e][side] + c * step, step, Real(0));
            }
            near_[e][side][k] = static_cast<Real>(by.near);
            far_[e][side][k] = static_cast<Real>(by.far);
            goes_[e][side][c] |= bit;
            if (by.far != 0) goes_far_[e][side][c] |= bit;
        } else {
            along_[side][0][k] = by.near;
            along_[side][1][k] = by.far;
            if (by.near != 0) hands_on_[side].add(c);
        }
    }
}

}  // namespace fermat
