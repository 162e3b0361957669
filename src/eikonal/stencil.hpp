#pragma once

#include <concepts>

#include "core/host_device.hpp"
#include "eikonal/lanes.hpp"

namespace fermat {

/// The factored eikonal equation |grad(T0 tau)| = s with Godunov upwinding (Fomel, Luo & Zhao 2009;
/// Treister & Haber 2016). T0 = s0 r, so grad(T0)/T0 = x/r^2 and along axis d, from the upwind side
/// sigma = +1 (neighbour at i-1) or -1 (at i+1),
///
///     sigma dT/dx_d = (T0/h) [(alpha + sigma gamma) tau - beta],      gamma = h x_d / r^2
///     alpha = 1,   beta = tau_1                     first order
///     alpha = 3/2, beta = 2 tau_1 - tau_2 / 2       second order
///
/// With c = alpha + sigma gamma the equation becomes
///
///     sum_d max((c_d tau - beta_d)/h_d, 0)^2 = f^2,   f = s / T0
///
/// whose left side grows with tau: one root. Axis d contributes where tau exceeds z_d = beta_d/c_d.
///
/// Second order adds half the bend tau - 2 tau_1 + tau_2 to the difference of first order, which
/// may not be done where the node behind is the later one. Where that were decided at once, noise
/// would switch it on and off and times in rough media would jump. So the bend counts in full while
/// the node behind is earlier than its neighbour, and fades out until it is as late as the node
/// itself: with eta = h^2/r^2 and w tau_2 for T_2/T0,
///
///     c tau - beta = (1 + sigma gamma) tau - tau_1 - max(tau_1 - v tau_2, 0)
///                    + max(tau - w tau_2, 0)/2
///     w = 2 v - 1,   v = 1 - sigma gamma + (3/2) eta + sigma gamma (eta - sigma gamma)
///
/// This is the difference of second order where both are positive and of first order where neither
/// is, continuous in tau and both neighbours, and the larger of two lines in tau. w is more than
/// T_2/(T0 tau_2): second order beside the source uses no later node. V is float, double or Lanes.

/// tau of a node that no wave has reached; finite, so that arithmetic with it raises no exception.
template <class Real>
inline constexpr Real unreached = Real(1e10);

/// Values above this limit count as unreached: stencils turn unreached neighbours into such values.
template <class Real>
inline constexpr Real reached_limit = Real(1e9);

template <class V>
FERMAT_HD_INLINE V least(V a, V b) {
    return a < b ? a : b;
}
template <class V>
FERMAT_HD_INLINE V most(V a, V b) {
    return a < b ? b : a;
}
template <class V>
FERMAT_HD_INLINE V least(V a, V b, V c) {
    return least(least(a, b), c);
}

/// The term of one axis in the equation, max((c (tau - near) - shift)/h, 0)^2. It splits beta = c
/// near + shift: near is exact and shift is small, so tau gets little rounding error.
template <class V>
struct UpwindTerm {
    V near;
    V shift;
    V c;
    Scalar<V> inverse_spacing;
};

/// One axis through a node: tau one and two nodes below and above, and gamma and eta = h^2/r^2,
/// which give the node's position relative to the source. For the neighbour k steps on side sigma,
/// (r_k/r)^2 = 1 - 2 k sigma gamma + k^2 eta.
template <class V>
struct AxisStencil {
    V low;
    V high;
    V low2;
    V high2;
    V gamma;
    V eta;
    Scalar<V> inverse_spacing;
};

/// read(steps) returns tau some steps along an axis.
template <class Read, class V>
concept AxisReader = requires(Read read, int steps) {
    { read(steps) } -> std::convertible_to<V>;
};

/// The stencil of one axis. `moment` is h x_d, `h2` is h^2 and `inverse_r2` is 1/r^2.
template <class V, class H2, AxisReader<V> Read>
FERMAT_HD_INLINE AxisStencil<V> axis_stencil(V moment, H2 h2, V inverse_r2,
                                             Scalar<V> inverse_spacing, Read read) {
    return {read(-1),        read(1),        read(-2), read(2), moment * inverse_r2,
            h2 * inverse_r2, inverse_spacing};
}

/// The upwind neighbours along one axis.
template <class V>
struct UpwindSide {
    V near;
    V far;
    V other;   ///< the neighbour on the other side
    V toward;  ///< sigma gamma
    V near_ratio2;
    V behind;  ///< v
    Scalar<V> inverse_spacing;
};

template <class V, class Mask>
FERMAT_HD_INLINE UpwindSide<V> factored_side(const AxisStencil<V>& axis, Mask from_low) {
    UpwindSide<V> side;
    side.near = from_low ? axis.low : axis.high;
    side.far = from_low ? axis.low2 : axis.high2;
    side.other = from_low ? axis.high : axis.low;
    side.toward = from_low ? axis.gamma : -axis.gamma;
    side.near_ratio2 = 1 - 2 * side.toward + axis.eta;
    side.behind =
        1 - side.toward + Scalar<V>(1.5) * axis.eta + side.toward * (axis.eta - side.toward);
    side.inverse_spacing = axis.inverse_spacing;
    return side;
}

/// The side whose first-order z is the smaller.
template <class V>
FERMAT_HD_INLINE auto factored_from_low(const AxisStencil<V>& axis) {
    return (1 - axis.gamma) * axis.low < (1 + axis.gamma) * axis.high;
}
template <class V>
FERMAT_HD_INLINE UpwindSide<V> factored_side(const AxisStencil<V>& axis) {
    return factored_side(axis, factored_from_low(axis));
}

/// The side that Godunov's scheme takes at a given tau: that of the larger derivative.
template <class V>
FERMAT_HD_INLINE auto godunov_from_low(const AxisStencil<V>& axis, V tau) {
    return 2 * axis.gamma * tau > axis.low - axis.high;
}
template <class V>
FERMAT_HD_INLINE UpwindSide<V> godunov_side(const AxisStencil<V>& axis, V tau) {
    return factored_side(axis, godunov_from_low(axis, tau));
}

/// True where the wave comes from both sides. Two wavefronts collide there, and the side of smaller
/// z may not be the one that Godunov's scheme takes.
template <class V>
FERMAT_HD_INLINE auto both_upwind(const UpwindSide<V>& side, V tau) {
    return (1 - side.toward) * tau > side.other;
}

/// Whether a node of value `now` may make its neighbour earlier. That is so if the node is the
/// earlier of the two, or if the factored equation of the neighbour takes the node as upwind;
/// beside the source these two differ. In the second case a difference d in tau moves the neighbour
/// by about d^2 r/2 (in units of h and of tau), which is ignored below `tolerance`. `toward` and
/// `eta` are those of the node, on the side where the neighbour lies.
template <class V>
FERMAT_HD_INLINE auto may_feed(V now, V neighbour, V toward, V eta, Scalar<V> tolerance) {
    const V ratio2 = 1 - 2 * toward + eta;
    const V ratio = ratio2 - toward + eta;
    const V lead = neighbour * ratio - now * ratio2;
    const V square = lead * lead;
    const V least_lead = 2 * tolerance * neighbour * neighbour * ratio2 * ratio2;
    return (neighbour * neighbour * ratio2 > (1 + 4 * tolerance) * now * now) |
           ((lead > 0) & (square * square > least_lead * least_lead * eta));
}

/// True wherever may_feed is true, and perhaps elsewhere; it costs half as much.
template <class V>
FERMAT_HD_INLINE auto could_feed(V now, V neighbour, V toward, V eta) {
    const V ratio2 = 1 - 2 * toward + eta;
    return (neighbour * neighbour * ratio2 > now * now) |
           (neighbour * (ratio2 - toward + eta) > now * ratio2);
}

/// Positive where could_feed is true. It needs no branch.
template <class V>
FERMAT_HD_INLINE V feeding_lead(V now, V neighbour, V toward, V eta) {
    const V ratio2 = 1 - 2 * toward + eta;
    const V earlier = neighbour * neighbour * ratio2 - now * now;
    const V upwind = neighbour * (ratio2 - toward + eta) - now * ratio2;
    return most(earlier, upwind);
}

/// Positive where a node is earlier than the second neighbour along an axis, which may use it
/// though it is later than the first.
template <class V>
FERMAT_HD_INLINE V second_lead(V now, V second, V toward, V eta, Scalar<V> tolerance) {
    return second * second * (1 - 4 * toward + 4 * eta) - (1 + 4 * tolerance) * now * now;
}

/// Whether it may use it indeed. Away from the source it does not where the bend counts in no part.
template <class V>
FERMAT_HD_INLINE auto may_feed_second(V now, V second, V toward, V eta, Scalar<V> tolerance) {
    using Real = Scalar<V>;
    const V least_ratio = 1 - 2 * toward + Real(2.5) * eta - 4 * toward * toward;
    return (second < reached_limit<Real>)&(second_lead(now, second, toward, eta, tolerance) > 0) &
           ((second * (1 - 4 * toward + 4 * eta) > now * least_ratio) | (eta > Real(0.0625)));
}

/// The signs of the equation: whether the node behind is the earlier, and earlier than the node.
template <class V>
FERMAT_HD_INLINE auto falls_behind(const UpwindSide<V>& side) {
    return side.far * side.behind < side.near;
}
template <class V>
FERMAT_HD_INLINE auto is_after_far(const UpwindSide<V>& side, V tau) {
    return tau > side.far * (2 * side.behind - 1);
}

/// Whether they differ: the difference is neither of first nor of second order.
template <class V>
FERMAT_HD_INLINE auto fades_out(const UpwindSide<V>& side, V tau) {
    return falls_behind(side) != is_after_far(side, tau);
}

/// The term of one side. Beyond the source c may be negative: the slope then points the wrong way
/// for every tau, and the axis contributes nothing.
template <class V>
FERMAT_HD_INLINE UpwindTerm<V> term_of(const UpwindSide<V>& side, V c, V shift) {
    using Real = Scalar<V>;
    const V one = V{} + 1;
    const V none = V{} + unreached<Real>;
    return {side.near, c > 0 ? shift : none, c > 0 ? c : one, side.inverse_spacing};
}

/// The term of one side, of second order where the node behind is earlier than its neighbour.
template <int Order, class V>
FERMAT_HD_INLINE UpwindTerm<V> upwind_term(const UpwindSide<V>& side) {
    using Real = Scalar<V>;
    V c = 1 + side.toward;
    V shift = -side.near * side.toward;
    if constexpr (Order == 2) {
        const auto second = falls_behind(side);
        c = second ? c + Real(0.5) : c;
        shift = second ? shift + Real(0.5) * (side.near - side.far) : shift;
    }
    return term_of(side, c, shift);
}

/// The term of second order at tau.
template <class V>
FERMAT_HD_INLINE UpwindTerm<V> second_term(const UpwindSide<V>& side, V tau) {
    using Real = Scalar<V>;
    const V fall = most(side.near - side.far * side.behind, V{});
    const auto second = is_after_far(side, tau);
    const V part = Real(0.5) * (side.far * (2 * side.behind - 1) - side.near);
    const V c = 1 + side.toward;
    return term_of(side, second ? c + Real(0.5) : c,
                   fall - side.near * side.toward + (second ? part : V{}));
}

/// What a term adds to the equation at tau before it is squared.
template <class V>
FERMAT_HD_INLINE V excess_of(const UpwindTerm<V>& term, V tau) {
    return term.c * (tau - term.near) - term.shift;
}

/// The term of the side of the larger derivative at tau.
template <class V>
FERMAT_HD_INLINE UpwindTerm<V> larger_term(const UpwindSide<V>& low, const UpwindSide<V>& high,
                                           V tau) {
    const UpwindTerm<V> p = second_term(low, tau);
    const UpwindTerm<V> q = second_term(high, tau);
    const auto from_low = excess_of(p, tau) > excess_of(q, tau);
    return {from_low ? p.near : q.near, from_low ? p.shift : q.shift, from_low ? p.c : q.c,
            p.inverse_spacing};
}
template <class V>
FERMAT_HD_INLINE UpwindTerm<V> factored_term(const AxisStencil<V>& axis, V tau) {
    return larger_term(factored_side(axis, V{} <= V{}), factored_side(axis, V{} < V{}), tau);
}

/// One side of an axis in the plain equation, which takes differences of T instead of tau: tau_k
/// r_k/r replaces tau_k, and gamma is 0.
template <class V, class Mask>
FERMAT_HD_INLINE UpwindSide<V> plain_side(const AxisStencil<V>& axis, Mask from_low) {
    const V toward = from_low ? axis.gamma : -axis.gamma;
    const V near_ratio2 = 1 + axis.eta - 2 * toward;
    const V far_ratio2 = 1 - 4 * toward + 4 * axis.eta;
    const V none = 0 * toward;
    const V near = (from_low ? axis.low : axis.high) * root(near_ratio2 > 0 ? near_ratio2 : none);
    const V far = (from_low ? axis.low2 : axis.high2) * root(far_ratio2 > 0 ? far_ratio2 : none);
    return {near, far, none, none, none + 1, none + 1, axis.inverse_spacing};
}
/// The side of the earlier neighbour in the plain equation.
template <class V>
FERMAT_HD_INLINE auto plain_from_low(const AxisStencil<V>& axis) {
    const V level = 1 + axis.eta;
    const V slant = 2 * axis.gamma;
    return axis.low * axis.low * (level - slant) < axis.high * axis.high * (level + slant);
}
template <class V>
FERMAT_HD_INLINE UpwindSide<V> plain_side(const AxisStencil<V>& axis) {
    return plain_side(axis, plain_from_low(axis));
}
template <class V>
FERMAT_HD_INLINE UpwindTerm<V> plain_term(const AxisStencil<V>& axis, V tau) {
    return larger_term(plain_side(axis, V{} <= V{}), plain_side(axis, V{} < V{}), tau);
}

/// A term of the equation written as max(slope u - rise, 0)^2, where u = tau - base.
template <class V>
struct UpwindLine {
    V slope;
    V rise;
};

template <class V>
FERMAT_HD_INLINE UpwindLine<V> line_of(const UpwindTerm<V>& term, V base) {
    return {term.c * term.inverse_spacing,
            (term.c * (term.near - base) + term.shift) * term.inverse_spacing};
}

/// The value of line p at the u where line q begins, times the slope of q. Positive if q begins
/// after p.
template <class V>
FERMAT_HD_INLINE V lead(const UpwindLine<V>& p, const UpwindLine<V>& q) {
    return p.slope * q.rise - q.slope * p.rise;
}

/// The root u of sum_d (slope_d u - rise_d)^2 = f^2 that lies above the minimum. The arguments are
/// the sums of slope^2 and of slope rise over the lines, and of lead^2 over pairs of lines
/// (Lagrange's identity). If spacings differ much, rounding can make the radicand slightly
/// negative; it then counts as 0.
template <class V>
FERMAT_HD_INLINE V upper_root(V slope2, V slope_rise, V lead2, V f2) {
    const V square = slope2 * f2 - lead2;
    const V none = V{};
    return (slope_rise + root(square > none ? square : none)) * (1 / slope2);
}

/// The root of the equation in two dimensions. A line contributes if the sum of the other lines is
/// below f^2 where it begins. This test needs no division, so one quotient and one square root, the
/// expensive operations, suffice.
template <class V>
FERMAT_HD_INLINE V solve_upwind(const UpwindTerm<V>& first, const UpwindTerm<V>& second, V f) {
    const V base = least(first.near, second.near);
    const auto p = line_of(first, base);
    const auto q = line_of(second, base);
    const V none = V{};
    const V pq = lead(p, q);
    const V pq2 = pq * pq;
    const V p2 = p.slope * p.slope;
    const V q2 = q.slope * q.slope;
    const V f2 = f * f;
    const auto has_p = (pq < 0 ? pq2 : none) < p2 * f2;
    const auto has_q = (pq > 0 ? pq2 : none) < q2 * f2;
    const V slope2 = (has_p ? p2 : none) + (has_q ? q2 : none);
    const V slope_rise = (has_p ? p.slope * p.rise : none) + (has_q ? q.slope * q.rise : none);
    return base + upper_root(slope2, slope_rise, has_p & has_q ? pq2 : none, f2);
}

/// The root of the equation in three dimensions.
template <class V>
FERMAT_HD_INLINE V solve_upwind(const UpwindTerm<V>& first, const UpwindTerm<V>& second,
                                const UpwindTerm<V>& third, V f) {
    const V base = least(first.near, second.near, third.near);
    const auto p = line_of(first, base);
    const auto q = line_of(second, base);
    const auto r = line_of(third, base);
    const V none = V{};
    const V pq = lead(p, q);
    const V pr = lead(p, r);
    const V qr = lead(q, r);
    const V pq2 = pq * pq;
    const V pr2 = pr * pr;
    const V qr2 = qr * qr;
    const V p2 = p.slope * p.slope;
    const V q2 = q.slope * q.slope;
    const V r2 = r.slope * r.slope;
    const V f2 = f * f;
    const auto has_p = (pq < 0 ? pq2 : none) + (pr < 0 ? pr2 : none) < p2 * f2;
    const auto has_q = (pq > 0 ? pq2 : none) + (qr < 0 ? qr2 : none) < q2 * f2;
    const auto has_r = (pr > 0 ? pr2 : none) + (qr > 0 ? qr2 : none) < r2 * f2;
    const V slope2 = (has_p ? p2 : none) + (has_q ? q2 : none) + (has_r ? r2 : none);
    const V slope_rise = (has_p ? p.slope * p.rise : none) + (has_q ? q.slope * q.rise : none) +
                         (has_r ? r.slope * r.rise : none);
    const V lead2 =
        (has_p & has_q ? pq2 : none) + (has_p & has_r ? pr2 : none) + (has_q & has_r ? qr2 : none);
    return base + upper_root(slope2, slope_rise, lead2, f2);
}

/// The largest tau of what comes straight from the source, as update_tau says: 4 s/s0.
template <class V>
FERMAT_HD_INLINE V late_limit(V f, V inverse_r2) {
    return 4 * f / root(inverse_r2);
}

/// Chooses between the factored and the plain solution of a node, by the rule of update_tau.
template <class V>
FERMAT_HD_INLINE V plain_where_late(V factored, V plain, V f, V inverse_r2) {
    const V limit = late_limit(f, inverse_r2);
    return plain > limit ? plain : least(factored, limit);
}

/// Whether the plain solution may be needed: it or the factored solution may exceed the limit.
template <class V>
FERMAT_HD_INLINE auto may_be_late(V tau, V nearest2, V f, V inverse_r2) {
    const V f2 = f * f;
    return (nearest2 * inverse_r2 > 9 * f2) | (tau * tau * inverse_r2 > 16 * f2);
}

/// The solution from the sides of smaller z, and where update_tau_carefully must replace it.
template <class V, class Mask>
struct StraightTau {
    V tau;
    Mask careful;
    Mask late;  ///< where the plain solution may be needed
};

template <int Order, class V, class... Axis>
FERMAT_HD_INLINE auto straight_tau(V f, V inverse_r2, const Axis&... axis) {
    using Real = Scalar<V>;
    const auto solve = [&](const auto&... side) __attribute__((always_inline)) {
        const V tau = solve_upwind(upwind_term<Order>(side)..., f);
        const V nearest2 = least((side.near * side.near * side.near_ratio2)...);
        const auto late = may_be_late(tau, nearest2, f, inverse_r2);
        const auto reached = (tau < reached_limit<Real>)&(f < reached_limit<Real>);
        auto careful = late | (both_upwind(side, tau) | ...);
        if constexpr (Order == 2) careful = careful | (fades_out(side, tau) | ...);
        careful = careful & reached;
        return StraightTau<V, std::remove_cv_t<decltype(careful)>>{tau, careful, late & reached};
    };
    return solve(factored_side(axis)...);
}

/// The root of the equation whose terms depend on tau: term(axis, tau). They are the largest of
/// some lines, so that the lines at one tau have a root no earlier than the solution. From there on
/// roots fall, until the lines stay the same. `from` is a first guess, and the answer where not
/// `wanted`.
template <class V, class Mask, class Term, class... Axis>
FERMAT_HD_INLINE V largest_lines_root(V from, Mask wanted, V f, Term term, const Axis&... axis) {
    constexpr int most_turns = 12;
    V tau = from;
    for (int turn = 0; turn < most_turns && any_lane(wanted); ++turn) {
        const V next = solve_upwind(term(axis, tau)..., f);
        wanted = wanted & (next < tau);
        tau = wanted ? next : tau;
    }
    return tau;
}

/// The factored solution in the rare cases of update_tau.
template <int Order, class Straight, class V, class... Axis>
FERMAT_HD_INLINE V factored_tau(const Straight& straight, V f, const Axis&... axis) {
    const V tau = straight.tau;
    if constexpr (Order == 1) {
        return least(tau, solve_upwind(upwind_term<1>(godunov_side(axis, tau))..., f));
    }
    const auto term = [](const AxisStencil<V>& a, V at) __attribute__((always_inline)) {
        return factored_term(a, at);
    };
    return largest_lines_root(tau, straight.careful, f, term, axis...);
}

/// The plain solution where it may be needed.
template <int Order, class Straight, class V, class... Axis>
FERMAT_HD_INLINE V plain_tau(const Straight& straight, V f, const Axis&... axis) {
    const V tau = solve_upwind(upwind_term<Order>(plain_side(axis))..., f);
    if constexpr (Order == 1) return tau;
    const auto term = [](const AxisStencil<V>& a, V at) __attribute__((always_inline)) {
        return plain_term(a, at);
    };
    const V plain = largest_lines_root(tau, straight.late, f, term, axis...);
    return straight.late ? plain : V{};
}

/// The rare cases of update_tau. `straight` is the result of straight_tau.
template <int Order, class Straight, class V, class... Axis>
FERMAT_HD_RARE V update_tau_carefully(Straight straight, V f, V inverse_r2, const Axis&... axis) {
    const V factored = factored_tau<Order>(straight, f, axis...);
    if (Order == 2 && !any_lane(straight.late)) return factored;
    const V plain = plain_tau<Order>(straight, f, axis...);
    const V tau = plain_where_late(factored, plain, f, inverse_r2);
    if constexpr (Order == 1) return tau;
    return straight.late ? tau : factored;
}

/// tau of a node from its neighbours. Along each axis it uses the side that makes the node
/// earliest, as in Godunov's scheme.
///
/// Factoring helps where the wave comes straight from the source. It harms beside the source but
/// behind an obstacle: tau then varies as 1/T0, the error of its differences, about tau s0 h/(2r),
/// exceeds s, and times become far too early. So the plain equation decides where it gives a late
/// arrival, T/r > 4 s: one slower along the straight line than a quarter of the local velocity.
/// With the factored solution F, the plain solution P and L = 4 s/s0,
///
///     tau = P if P > L, else min(F, L)
///
/// This increases with every neighbour, as F and P do, so the first-order scheme has one solution.
/// P cannot exceed L if T_1 <= 3 s r along some axis, and does not matter if F stays below L. So P
/// is rarely needed.
template <int Order, class V, class... Axis>
FERMAT_HD_INLINE V update_tau(V f, V inverse_r2, const Axis&... axis) {
    const auto straight = straight_tau<Order>(f, inverse_r2, axis...);
    if (!any_lane(straight.careful)) return straight.tau;
    return update_tau_carefully<Order>(straight, f, inverse_r2, axis...);
}

}  // namespace fermat
