#pragma once

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
/// With z = beta/(alpha + sigma gamma) and a = (alpha + sigma gamma)/h the equation becomes
///
///     sum_d a_d^2 max(tau - z_d, 0)^2 = f^2,   f = s / T0
///
/// whose left side grows with tau: it has exactly one root. Value types V are float, double or
/// Lanes.

/// tau of a node that no wave has reached. Finite, so that arithmetic on it stays quiet.
template <class Real>
inline constexpr Real unreached = Real(1e10);

/// Anything above counts as unreached: what a stencil makes of unreached neighbours lies here.
template <class Real>
inline constexpr Real reached_limit = Real(1e9);

/// One axis' part of the equation: it contributes a^2 (tau - z)^2 once tau exceeds z.
template <class V>
struct UpwindTerm {
    V z;
    V a;
};

/// tau of the neighbours along one axis: one and two nodes below and above.
template <class V>
struct AxisNeighbours {
    V low;
    V high;
    V low2;
    V high2;
};

/// A node's place relative to the source: gamma and eta = h^2/r^2 along one axis. The neighbour k
/// steps toward sigma has (r_k/r)^2 = 1 - 2 k sigma gamma + k^2 eta.
template <class V>
struct AxisGeometry {
    V gamma;
    V eta;
    Scalar<V> inverse_spacing;
};

/// What a node has along all axes: f, and f^2 as the test for late arrivals needs it.
template <class V>
struct NodeMedium {
    V f;
    V inverse_r2;
    V late;

    FERMAT_HD NodeMedium(V f_, V inverse_r2_) : f(f_), inverse_r2(inverse_r2_), late(9 * f_ * f_) {}
};

/// Second order is used where the node behind the upwind neighbour is upwind of it in turn.
///
/// Factoring pays where the wave comes straight from the source. Beside the source but behind an
/// obstacle it harms: tau then varies as 1/T0, and the differences' error, about tau s0 h/(2r),
/// outgrows s and lets times leak to too early values. So where a neighbour's wave came at less
/// than a third of the local velocity on the straight line, T/r > 3 s, the plain equation in T is
/// used: the same formula with tau_k r_k/r for tau_k and no gamma.
template <int Order, class V>
FERMAT_HD inline UpwindTerm<V> upwind_term(const AxisNeighbours<V>& tau,
                                           const AxisGeometry<V>& axis, const NodeMedium<V>& node) {
    using Real = Scalar<V>;
    const V level = 1 + axis.eta;
    const V slant = 2 * axis.gamma;
    const auto from_low =
        tau.low * tau.low * (level - slant) < tau.high * tau.high * (level + slant);
    V near = from_low ? tau.low : tau.high;
    V toward = from_low ? axis.gamma : -axis.gamma;
    const V near_ratio2 = level - 2 * toward;
    const auto late = near * near * node.inverse_r2 > node.late;
    V alpha = toward * 0 + 1;
    V beta;
    if constexpr (Order == 2) {
        V far = from_low ? tau.low2 : tau.high2;
        const V far_ratio2 = 1 - 4 * (toward - axis.eta);
        const auto second = far * far * far_ratio2 <= near * near * near_ratio2;
        if (any_lane(late)) {
            far = late ? far * root(far_ratio2 > 0 ? far_ratio2 : 0 * near) : far;
            near = late ? near * root(near_ratio2 > 0 ? near_ratio2 : 0 * near) : near;
            toward = late ? 0 * near : toward;
        }
        alpha = second ? alpha + Real(0.5) : alpha;
        beta = second ? 2 * near - Real(0.5) * far : near;
    } else {
        if (any_lane(late)) {
            near = late ? near * root(near_ratio2 > 0 ? near_ratio2 : 0 * near) : near;
            toward = late ? 0 * near : toward;
        }
        beta = near;
    }
    const V c = alpha + toward;
    const V z = beta / c;
    return {c > 0 ? z : z * 0 + unreached<Real>, axis.inverse_spacing * c};
}

template <class V>
FERMAT_HD inline void order_terms(UpwindTerm<V>& first, UpwindTerm<V>& second) {
    const auto swap = second.z < first.z;
    const UpwindTerm<V> lower{swap ? second.z : first.z, swap ? second.a : first.a};
    const UpwindTerm<V> upper{swap ? first.z : second.z, swap ? first.a : second.a};
    first = lower;
    second = upper;
}

/// The root of the equation in two dimensions. Solved for tau - z_1, which keeps float's digits.
template <class V>
FERMAT_HD inline V solve_upwind(UpwindTerm<V> p, UpwindTerm<V> q, V f) {
    order_terms(p, q);
    const V d = q.z - p.z;
    const V one = f / p.a;
    const V wp = p.a * p.a;
    const V wq = q.a * q.a;
    const V w = wp + wq;
    const V two = (wq * d + root(w * f * f - wp * wq * d * d)) / w;
    return p.z + (one > d ? two : one);
}

/// The root of the equation in three dimensions.
template <class V>
FERMAT_HD inline V solve_upwind(UpwindTerm<V> p, UpwindTerm<V> q, UpwindTerm<V> r, V f) {
    order_terms(p, q);
    order_terms(q, r);
    order_terms(p, q);
    const V dq = q.z - p.z;
    const V dr = r.z - p.z;
    const V one = f / p.a;
    const V wp = p.a * p.a;
    const V wq = q.a * q.a;
    const V wr = r.a * r.a;
    const V f2 = f * f;
    const V w2 = wp + wq;
    const V b2 = wq * dq;
    const V two = (b2 + root(w2 * f2 - wp * b2 * dq)) / w2;
    const V w3 = w2 + wr;
    const V b3 = b2 + wr * dr;
    const V three = (b3 + root(b3 * b3 - w3 * (b2 * dq + wr * dr * dr - f2))) / w3;
    const V flat = one > dq ? two : one;
    const auto full = (one > dq) & (two > dr);
    return p.z + (full ? three : flat);
}

}  // namespace fermat
