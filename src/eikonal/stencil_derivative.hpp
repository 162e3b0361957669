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

template <int Order, bool Plain, int Dim, class V>
FERMAT_HD inline TauDerivative<Dim, V> root_derivative(const AxisStencil<V> (&axis)[Dim],
                                                       const bool (&from_low)[Dim], V tau, V f) {
    TauDerivative<Dim, V> out;
    out.tau = tau;
    out.plain = Plain;
    V pull[Dim];
    V sum = 0;
    for (int d = 0; d < Dim; ++d) {
        const UpwindSide<V> side =
            Plain ? plain_side(axis[d], from_low[d]) : factored_side(axis[d], from_low[d]);
        const UpwindTerm<V> term = upwind_term<Order>(side);
        const V excess = term.c * (tau - term.near) - term.shift;
        pull[d] = excess > 0 ? excess * term.inverse_spacing * term.inverse_spacing : 0;
        sum += term.c * pull[d];
        AxisDerivative<V>& by = out.axis[d];
        by.from_low = from_low[d];
        if (pull[d] == 0) continue;
        const bool second = Order == 2 && upwind_behind(side);
        by.near = second ? V(2) : V(1);
        by.far = second ? V(-0.5) : V(0);
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
            by.gamma = -sigma * tau * part;
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
    const V plain = detail::with_axes(axis, [&](const auto&... a) {
        return solve_upwind(upwind_term<Order>(plain_side(a))..., f);
    });
    if (plain > limit) {
        for (int d = 0; d < Dim; ++d) low[d] = plain_from_low(axis[d]);
        return detail::root_derivative<Order, true>(axis, low, plain, f);
    }
    const V godunov = detail::with_axes(axis, [&](const auto&... a) {
        return solve_upwind(upwind_term<Order>(godunov_side(a, straight.tau))..., f);
    });
    if (limit < least(straight.tau, godunov)) {
        TauDerivative<Dim, V> out;
        out.tau = limit;
        out.f = limit / f;
        out.at_limit = true;
        return out;
    }
    if (straight.tau < godunov) {
        return detail::root_derivative<Order, false>(axis, low, straight.tau, f);
    }
    for (int d = 0; d < Dim; ++d) low[d] = godunov_from_low(axis[d], straight.tau);
    return detail::root_derivative<Order, false>(axis, low, godunov, f);
}

}  // namespace fermat
