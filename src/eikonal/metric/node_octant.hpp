#pragma once

#include <type_traits>

#include "core/host_device.hpp"
#include "eikonal/metric/octant.hpp"

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
    V f2;
};

/// On which side of each axis the octant lies: below or not.
template <class Mask>
struct OctantSides {
    Mask x, y, z;
};

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
        const V px = centred_slope(n.x, n.tau, n.gamma_x);
        const V py = centred_slope(n.y, n.tau, n.gamma_y);
        const V pz = centred_slope(n.z, n.tau, n.gamma_z);
        const auto along = [&](const AxisValues<V>& axis, V w, auto by_neighbours) {
            const auto known = (n.tau < reached_limit<Real>)&(axis.low < reached_limit<Real>)&(
                axis.high < reached_limit<Real>);
            return known ? w >= 0 : by_neighbours;
        };
        V wx = n.tensor.xx * px;
        V wy = n.tensor.yy * py;
        V wz = n.tensor.zz * pz;
        if constexpr (Full) {
            wx = wx + n.tensor.xy * py + n.tensor.xz * pz;
            wy = wy + n.tensor.xy * px + n.tensor.yz * pz;
            wz = wz + n.tensor.xz * px + n.tensor.yz * py;
        }
        sides.x = along(n.x, wx, x);
        sides.y = along(n.y, wy, y);
        sides.z = along(n.z, wz, z);
    }
    return sides;
}

/// tau of the node from an octant. `z_term(side, base, fall, from_low)` is the difference along z.
template <bool Full, int Order, bool ByNeighbours, class V, class Mask, class ZTerm>
FERMAT_HD_INLINE V octant_tau(const OctantNode<V>& n, const OctantSides<Mask>& from,
                              const ZTerm& z_term) {
    SymmetricTensor<V> t{n.tensor.xx, n.tensor.yy, n.tensor.zz, V{}, V{}, V{}};
    if constexpr (Full) {
        t.xy = from.x == from.y ? n.tensor.xy : -n.tensor.xy;
        t.xz = from.x == from.z ? n.tensor.xz : -n.tensor.xz;
        t.yz = from.y == from.z ? n.tensor.yz : -n.tensor.yz;
    }
    const ChosenSide<V> x = chosen(n.x, n.gamma_x, from.x);
    const ChosenSide<V> y = chosen(n.y, n.gamma_y, from.y);
    const ChosenSide<V> z = chosen(n.z, n.gamma_z, from.z);
    const V base = least(x.near, y.near, z.near);
    constexpr Scalar<V> slack = ByNeighbours ? Scalar<V>(0) : Scalar<V>(0.05);
    V fall = V{};
    if constexpr (Full && Order == 2) fall = coupling_reach(t) * root(n.f2);
    return base + octant_root(t, term_of<Order>(x, base, fall), term_of<Order>(y, base, fall),
                              z_term(z, base, fall, from.z), n.f2, slack);
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

}  // namespace fermat
