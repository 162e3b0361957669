#pragma once

#include <type_traits>

#include "core/host_device.hpp"
#include "eikonal/metric/octant.hpp"
#include "eikonal/metric/unbiased_sum.hpp"

namespace fermat {

/// The octant of a node and its time from there (octant.hpp), for one node or a register of nodes.

/// tau one and two nodes below and above along an axis.
template <class V>
struct AxisValues {
    V low;
    V high;
    V low2;
    V high2;
};

/// What the equation of a node reads.
template <class V>
struct OctantNode {
    V tau;  ///< its present value
    AxisValues<V> x, y, z;
    V gamma_x, gamma_y, gamma_z;
    SymmetricTensor<V> tensor;  ///< xy, xz, yz are not read if the tensor is diagonal
    V coupling;                 ///< coupling_reach of the tensor; likewise
    V f2;
};

/// On which side of each axis the octant lies: below or not.
template <class Mask>
struct OctantSides {
    Mask x, y, z;
};

/// `which ? a : b` of comparisons. For registers GCC would take that expression lane by lane.
template <class Which, class Mask>
FERMAT_HD_INLINE Mask either(Which which, Mask a, Mask b) {
    if constexpr (std::is_same_v<Mask, bool>) {
        return which ? a : b;
    } else {
        return (which & a) | (~which & b);
    }
}

/// The neighbours that the difference along one axis uses.
template <class V>
struct ChosenSide {
    V near;
    V far;
    V toward;  ///< sigma gamma
};

template <class V, class Mask>
FERMAT_HD_INLINE ChosenSide<V> chosen(const AxisValues<V>& axis, V gamma, Mask from_low) {
    return {from_low ? axis.low : axis.high, from_low ? axis.low2 : axis.high2,
            from_low ? gamma : -gamma};
}

/// How far times may fall along the way of the wave, per node and in units of f, where axes couple:
/// with the characteristic M p from below along axis d, p_d may be as low as
/// -f sqrt((M^-1)_dd - 1/M_dd).
template <class V>
FERMAT_HD_INLINE V coupling_reach(const SymmetricTensor<V>& m) {
    const V cx = m.yy * m.zz - m.yz * m.yz;
    const V cy = m.xx * m.zz - m.xz * m.xz;
    const V cz = m.xx * m.yy - m.xy * m.xy;
    const V det =
        m.xx * cx - m.xy * (m.xy * m.zz - m.yz * m.xz) + m.xz * (m.xy * m.yz - m.yy * m.xz);
    const V over = 1 / det;
    const V x = cx * over - 1 / m.xx;
    const V y = cy * over - 1 / m.yy;
    const V z = cz * over - 1 / m.zz;
    const V most = -least(-x, -y, -z);
    return root(most > 0 ? most : V{});
}

/// `fall` is how much later the second neighbour may be than the first.
template <int Order, class V>
FERMAT_HD_INLINE OctantTerm<V> term_of(const ChosenSide<V>& side, V base, V fall) {
    using Real = Scalar<V>;
    V c = 1 + side.toward;
    V r = (side.near - base) - side.toward * base;
    if constexpr (Order == 2) {
        // Not where tau changes to a third within a cell, as beside a source in a slow node, nor
        // towards unreached nodes, nor across a front: the node behind must be upwind too. T0
        // varies as 1 - k sigma gamma.
        const auto second =
            (side.far < 3 * side.near) & (side.near < 3 * side.far) &
            (side.near < reached_limit<Real>)&((Real(0.99999) * side.far * (1 - 2 * side.toward) <=
                                                side.near * (1 - side.toward) + fall) |
                                               (side.toward > Real(0.3)));
        c = second ? c + Real(0.5) : c;
        r = second ? r + Real(0.5) * (side.near - base) + Real(0.5) * (side.near - side.far) : r;
    }
    return {c, r};
}

/// p along an axis from both neighbours, or from the one that is reached.
template <class V>
FERMAT_HD_INLINE V centred_slope(const AxisValues<V>& axis, V tau, V gamma) {
    using Real = Scalar<V>;
    const auto no_low = axis.low >= reached_limit<Real>;
    const auto no_high = axis.high >= reached_limit<Real>;
    const V below = no_low ? axis.high - tau : tau - axis.low;
    const V above = no_high ? tau - axis.low : axis.high - tau;
    const V slope = Real(0.5) * (below + above);
    return (no_low & no_high ? V{} : slope) + gamma * tau;
}

/// A vector along the axes of the grid.
template <class V>
struct OctantVector {
    V x, y, z;
};

template <bool Full, class V>
FERMAT_HD_INLINE OctantVector<V> times(const SymmetricTensor<V>& m, V x, V y, V z) {
    OctantVector<V> w{m.xx * x, m.yy * y, m.zz * z};
    if constexpr (Full) {
        w.x = w.x + m.xy * y + m.xz * z;
        w.y = w.y + m.xy * x + m.yz * z;
        w.z = w.z + m.xz * x + m.yz * y;
    }
    return w;
}

/// The characteristic M p of a node that has a value, with p by centred differences.
template <bool Full, class V>
FERMAT_HD_INLINE OctantVector<V> characteristic(const OctantNode<V>& n) {
    return times<Full>(n.tensor, centred_slope(n.x, n.tau, n.gamma_x),
                       centred_slope(n.y, n.tau, n.gamma_y), centred_slope(n.z, n.tau, n.gamma_z));
}

/// Whether the wave of a node may go on to the neighbour on the side where its characteristic is w;
/// m is the tensor along that axis. The neighbour's characteristic may differ a little, and by more
/// beside the source (f is one over the distance in nodes). A node that is early by more than a
/// cell matters wherever its wave goes. `late` is the neighbour's value.
template <class V>
FERMAT_HD_INLINE auto heads_for(V w, V m, V f2, V now, V late) {
    using Real = Scalar<V>;
    const V lead = late - now;
    return (w > 0) | (w * w < (Real(0.0025) + 4 * f2) * m * f2) |
           ((lead > 0) & (lead * lead * m > f2));
}

/// Whether waves from both sides of an axis meet in a node. Centred differences mean nothing there.
template <class V>
FERMAT_HD_INLINE auto waves_meet(const OctantNode<V>& n) {
    const auto from_both = [&](const AxisValues<V>& axis, V gamma) {
        return ((1 - gamma) * axis.low < n.tau) & ((1 + gamma) * axis.high < n.tau);
    };
    return from_both(n.x, n.gamma_x) | from_both(n.y, n.gamma_y) | from_both(n.z, n.gamma_z);
}

/// The octant of the earlier neighbours, or (ByNeighbours false) the one that the characteristic M
/// p comes from, with p by centred differences, where these are known.
template <bool Full, bool ByNeighbours, class V>
FERMAT_HD_INLINE auto octant_sides(const OctantNode<V>& n) {
    using Real = Scalar<V>;
    const auto earlier = [](const AxisValues<V>& axis, V gamma) {
        return (1 - gamma) * axis.low < (1 + gamma) * axis.high;
    };
    const auto x = earlier(n.x, n.gamma_x);
    const auto y = earlier(n.y, n.gamma_y);
    const auto z = earlier(n.z, n.gamma_z);
    OctantSides<std::remove_cv_t<decltype(x)>> sides{x, y, z};
    if constexpr (!ByNeighbours) {
        const auto along = [&](const AxisValues<V>& axis, V w, auto by_neighbours) {
            const auto known = (n.tau < reached_limit<Real>)&(axis.low < reached_limit<Real>)&(
                axis.high < reached_limit<Real>);
            return either(known, w >= 0, by_neighbours);
        };
        const OctantVector<V> w = characteristic<Full>(n);
        sides.x = along(n.x, w.x, x);
        sides.y = along(n.y, w.y, y);
        sides.z = along(n.z, w.z, z);
    }
    return sides;
}

/// The octant that a wave straight from the source comes from, for nodes without a value; along
/// axes where no wave has come from there yet, that of `sides`.
template <bool Full, class V, class Mask>
FERMAT_HD_INLINE OctantSides<Mask> straight_sides(const OctantNode<V>& n,
                                                  const OctantSides<Mask>& sides) {
    const auto along = [](const AxisValues<V>& axis, V w, Mask other) {
        const Mask from_low = w >= 0;
        const Mask reached = (from_low ? axis.low : axis.high) < reached_limit<Scalar<V>>;
        return either(reached, from_low, other);
    };
    const OctantVector<V> w = times<Full>(n.tensor, n.gamma_x, n.gamma_y, n.gamma_z);
    return {along(n.x, w.x, sides.x), along(n.y, w.y, sides.y), along(n.z, w.z, sides.z)};
}

/// tau of the node from an octant. `z_term(side, base, fall, from_low)` is the difference along z.
template <bool Full, int Order, bool ByNeighbours, class V, class Mask, class ZTerm>
FERMAT_HD_INLINE V octant_tau(const OctantNode<V>& n, const OctantSides<Mask>& from,
                              const ZTerm& z_term) {
    const ChosenSide<V> x = chosen(n.x, n.gamma_x, from.x);
    const ChosenSide<V> y = chosen(n.y, n.gamma_y, from.y);
    const ChosenSide<V> z = chosen(n.z, n.gamma_z, from.z);
    const V base = least(x.near, y.near, z.near);
    V fall = V{};
    if constexpr (Full && Order == 2) fall = n.coupling * root(n.f2);
    const OctantTerm<V> along_x = term_of<Order>(x, base, fall);
    const OctantTerm<V> along_y = term_of<Order>(y, base, fall);
    const OctantTerm<V> along_z = z_term(z, base, fall, from.z);
    const SymmetricTensor<V>& m = n.tensor;
    const V chance = chance_of(n.gamma_y, n.gamma_z, n.f2);
    if constexpr (Full) {
        constexpr Scalar<V> slack = ByNeighbours ? Scalar<V>(0) : Scalar<V>(0.05);
        const SymmetricTensor<V> t{m.xx,
                                   m.yy,
                                   m.zz,
                                   from.x == from.y ? m.xy : -m.xy,
                                   from.x == from.z ? m.xz : -m.xz,
                                   from.y == from.z ? m.yz : -m.yz};
        return unbiased_sum(base, octant_root(t, along_x, along_y, along_z, n.f2, slack), chance);
    } else {
        return unbiased_sum(base, diagonal_root(m.xx, m.yy, m.zz, along_x, along_y, along_z, n.f2),
                            chance);
    }
}

/// The difference along z as along x and y.
template <int Order>
struct PlainTerm {
    template <class V, class Mask>
    FERMAT_HD_INLINE OctantTerm<V> operator()(const ChosenSide<V>& side, V base, V fall,
                                              Mask) const {
        return term_of<Order>(side, base, fall);
    }
};

template <bool Full, int Order, bool ByNeighbours, class V, class Mask>
FERMAT_HD_INLINE V octant_tau(const OctantNode<V>& n, const OctantSides<Mask>& from) {
    return octant_tau<Full, Order, ByNeighbours>(n, from, PlainTerm<Order>{});
}

/// tau of one node from the octant of its characteristic or, if it has no value yet, from the
/// earlier of that and the straight one.
template <bool Full, int Order, bool ByNeighbours>
FERMAT_HD_INLINE float fresh_or_known_tau(const OctantNode<float>& n) {
    const OctantSides<bool> from = octant_sides<Full, ByNeighbours>(n);
    const float now = octant_tau<Full, Order, ByNeighbours>(n, from);
    if constexpr (!Full || ByNeighbours) return now;
    if (n.tau < reached_limit<float>) return now;
    const OctantSides<bool> straight = straight_sides<Full>(n, from);
    if (from.x == straight.x && from.y == straight.y && from.z == straight.z) return now;
    return least(now, octant_tau<Full, Order, ByNeighbours>(n, straight));
}

/// Which neighbours of a node that has changed may use it, and hence must be computed again.
template <bool Full, class V>
class FedNeighbours {
  public:
    using Mask = decltype(V{} < V{});

    /// `n` has its new value. `all_ways`: where the way of the wave does not count.
    FERMAT_HD_INLINE FedNeighbours(const OctantNode<V>& n, Mask all_ways)
        : n_(n), w_(characteristic<Full>(n)), all_ways_(waves_meet(n) | all_ways) {
        V reach = V{} + Scalar<V>(0.5);
        if constexpr (Full) reach = reach + Scalar<V>(1.5) * n.coupling;
        slack_ = reach * root(n.f2);
    }
    /// The neighbour above along an axis, or below.
    FERMAT_HD_INLINE Mask along(int axis, Mask above) const {
        const AxisValues<V>& values = axis == 0 ? n_.x : axis == 1 ? n_.y : n_.z;
        const V gamma = axis == 0 ? n_.gamma_x : axis == 1 ? n_.gamma_y : n_.gamma_z;
        const V w = axis == 0 ? w_.x : axis == 1 ? w_.y : w_.z;
        const V m = axis == 0 ? n_.tensor.xx : axis == 1 ? n_.tensor.yy : n_.tensor.zz;
        // T0 varies as 1 + sigma gamma.
        const V late = above ? (1 + gamma) * values.high : (1 - gamma) * values.low;
        return (heads_for(above ? w : -w, m, n_.f2, n_.tau, late) | all_ways_) &
               (n_.tau < late + slack_);
    }

  private:
    const OctantNode<V>& n_;
    OctantVector<V> w_;
    Mask all_ways_;
    /// How much later than the node a neighbour may be that still uses it. Half a cell is for the
    /// curvature of T0, of which gamma is the slope only.
    V slack_;
};

}  // namespace fermat
