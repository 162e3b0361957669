#pragma once

#include "core/host_device.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// The derivatives of update_tau (stencil.hpp). A node's solution tau is the root of
///
///     F = sum_d max((c_d tau - beta_d)/h_d, 0)^2 - f^2 = 0
///
/// with the sides and orders that update_tau chose. Where they stay the same, implicit
/// differentiation gives, with p_d = (c_d tau - beta_d)/h_d^2 of the axes that take part and
/// D = sum_d c_d p_d,
///
///     d tau = (f df + sum_d p_d (d beta_d - tau d c_d)) / D
///     beta = tau_1,               d beta = d tau_1                    first order
///     beta = 2 tau_1 - tau_2 / 2, d beta = 2 d tau_1 - d tau_2 / 2    second order
///
/// and what lies between (stencil.hpp): beta = tau_1 + w tau_2 / 2 or 2 tau_1 - v tau_2.
///
/// In the factored equation c = alpha + sigma gamma. In the plain one c = alpha, and tau_k r_k/r
/// takes the place of tau_k, where (r_k/r)^2 = 1 - 2 k sigma gamma + k^2 eta.

/// One axis' part in d tau.
template <class V = double>
struct AxisDerivative {
    V near = 0;  ///< by tau of the upwind neighbour
    V far = 0;   ///< by tau of the node behind it
    V gamma = 0;
    V eta = 0;
    bool from_low = false;  ///< whether the upwind neighbour is the one below
    bool falls = false;     ///< falls_behind
    bool after = false;     ///< is_after_far
};

template <int Dim, class V = double>
struct TauDerivative {
    V tau = 0;  ///< the solution itself
    V f = 0;
    AxisDerivative<V> axis[Dim];
    /// tau is the limit 4 s/s0 of update_tau: it depends on the slowness alone, not on f and r by
    /// themselves.
    bool at_limit = false;
    bool plain = false;  ///< of the plain equation, whose weights are scaled by r_k/r
};

namespace detail {

template <bool Plain, class V>
FERMAT_HD_INLINE UpwindSide<V> side_of(const AxisStencil<V>& axis, bool from_low) {
    return Plain ? plain_side(axis, from_low) : factored_side(axis, from_low);
}

/// The side of the larger derivative at tau, of second order.
template <bool Plain, class V>
FERMAT_HD inline bool larger_from_low(const AxisStencil<V>& axis, V tau) {
    const UpwindTerm<V> low = second_term(side_of<Plain>(axis, true), tau);
    const UpwindTerm<V> high = second_term(side_of<Plain>(axis, false), tau);
    return excess_of(low, tau) > excess_of(high, tau);
}

template <int Order, bool Plain, int Dim, class V>
FERMAT_HD inline TauDerivative<Dim, V> root_derivative(const AxisStencil<V> (&axis)[Dim],
                                                       const bool (&from_low)[Dim], V tau, V f) {
    TauDerivative<Dim, V> out;
    out.tau = tau;
    out.plain = Plain;
    V pull[Dim];
    V sum = 0;
    for (int d = 0; d < Dim; ++d) {
        const UpwindSide<V> side = side_of<Plain>(axis[d], from_low[d]);
        const UpwindTerm<V> term = Order == 2 ? second_term(side, tau) : upwind_term<Order>(side);
        const V excess = excess_of(term, tau);
        pull[d] = excess > 0 ? excess * term.inverse_spacing * term.inverse_spacing : 0;
        sum += term.c * pull[d];
        AxisDerivative<V>& by = out.axis[d];
        by.from_low = from_low[d];
        if (pull[d] == 0) continue;
        by.near = 1;
        if (Order == 1) continue;
        by.falls = falls_behind(side);
        by.after = is_after_far(side, tau);
        if (by.falls) by.near = 2;
        const V both = by.after ? side.behind - V(0.5) : V(0);
        by.far = both - (by.falls ? side.behind : V(0));
        if (Plain || by.falls == by.after) continue;
        const V turn = by.after ? side.far : -side.far;
        const V by_toward = axis[d].eta - 2 * side.toward - 1;
        by.gamma = (from_low[d] ? by_toward : -by_toward) * turn;
        by.eta = (V(1.5) + side.toward) * turn;
    }
    if (!(sum > 0)) return out;
    const V share = 1 / sum;
    out.f = f * share;
    for (int d = 0; d < Dim; ++d) {
        AxisDerivative<V>& by = out.axis[d];
        const V part = pull[d] * share;
        by.near *= part;
        by.far *= part;
        const V sigma = from_low[d] ? V(1) : V(-1);
        if constexpr (!Plain) {
            by.gamma = (by.gamma - sigma * tau) * part;
            by.eta *= part;
        } else {
            const V near2 = 1 - 2 * sigma * axis[d].gamma + axis[d].eta;
            const V far2 = 1 - 4 * sigma * axis[d].gamma + 4 * axis[d].eta;
            const V near_ratio = near2 > 0 ? root(near2) : 0;
            const V far_ratio = far2 > 0 ? root(far2) : 0;
            const V near_tau = from_low[d] ? axis[d].low : axis[d].high;
            const V far_tau = from_low[d] ? axis[d].low2 : axis[d].high2;
            const V by_near2 = near2 > 0 ? by.near * near_tau / (2 * near_ratio) : 0;
            const V by_far2 = far2 > 0 && by.far != 0 ? by.far * far_tau / (2 * far_ratio) : 0;
            by.gamma = -sigma * (2 * by_near2 + 4 * by_far2);
            by.eta = by_near2 + 4 * by_far2;
            by.near *= near_ratio;
            by.far *= far_ratio;
        }
    }
    return out;
}

/// Calls function(axis...).
template <int Dim, class V, class Function>
FERMAT_HD_INLINE auto with_axes(const AxisStencil<V> (&axis)[Dim], Function function) {
    if constexpr (Dim == 2) {
        return function(axis[0], axis[1]);
    } else {
        return function(axis[0], axis[1], axis[2]);
    }
}

}  // namespace detail

/// d tau of a node by f, by its neighbours and by its place, on the branch that update_tau takes.
template <int Order, int Dim, class V>
FERMAT_HD inline TauDerivative<Dim, V> tau_derivative(V f, V inverse_r2,
                                                      const AxisStencil<V> (&axis)[Dim]) {
    bool low[Dim];
    for (int d = 0; d < Dim; ++d) low[d] = factored_from_low(axis[d]);
    const auto straight = detail::with_axes(
        axis, [&](const auto&... a) { return straight_tau<Order>(f, inverse_r2, a...); });
    if (!straight.careful) {
        return detail::root_derivative<Order, false>(axis, low, straight.tau, f);
    }
    const V limit = late_limit(f, inverse_r2);
    const V plain = detail::with_axes(
        axis, [&](const auto&... a) { return plain_tau<Order>(straight, f, a...); });
    if (plain > limit) {
        for (int d = 0; d < Dim; ++d) {
            low[d] = Order == 2 ? detail::larger_from_low<true>(axis[d], plain)
                                : plain_from_low(axis[d]);
        }
        return detail::root_derivative<Order, true>(axis, low, plain, f);
    }
    const V factored = detail::with_axes(
        axis, [&](const auto&... a) { return factored_tau<Order>(straight, f, a...); });
    if (limit < factored) {
        TauDerivative<Dim, V> out;
        out.tau = limit;
        out.f = limit / f;
        out.at_limit = true;
        return out;
    }
    const V godunov = Order == 2 ? factored : detail::with_axes(axis, [&](const auto&... a) {
        return solve_upwind(upwind_term<Order>(godunov_side(a, straight.tau))..., f);
    });
    for (int d = 0; d < Dim; ++d) {
        if (Order == 2) low[d] = detail::larger_from_low<false>(axis[d], factored);
        if (Order == 1 && godunov <= straight.tau) low[d] = godunov_from_low(axis[d], straight.tau);
    }
    return detail::root_derivative<Order, false>(axis, low, factored, f);
}

}  // namespace fermat
