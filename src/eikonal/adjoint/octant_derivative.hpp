#pragma once

#include <cmath>

#include "core/mat3.hpp"
#include "eikonal/metric/node_octant.hpp"

namespace fermat {

/// The equation of octant.hpp at one node in double precision, with the derivatives of its root.
/// With sigma p_d = c_d tau - beta_d along the axes that take part and (M p)_d = 0 along the
/// others, p . M p = f^2 gives
///
///     d tau/d beta_d = W_d / D,   d tau/d f^2 = 1 / (2 D),   d tau/d gamma_d = -w_d tau / D,
///
/// with w = M p, W_d = sigma_d w_d and D = sum of W_d c_d over the axes that take part: what the
/// others would be does not matter, as the time is stationary there.

/// Which neighbours a node's equation reads: sides and orders of its differences.
struct OctantBranch {
    bool from_low[3] = {};
    bool second[3] = {};

    /// In six bits.
    FERMAT_HD unsigned char packed() const {
        const int low = from_low[0] | from_low[1] << 1 | from_low[2] << 2;
        const int far = second[0] << 3 | second[1] << 4 | second[2] << 5;
        return static_cast<unsigned char>(low | far);
    }
    FERMAT_HD static OctantBranch unpacked(unsigned bits) {
        OctantBranch out;
        for (int d = 0; d < 3; ++d) {
            out.from_low[d] = (bits >> d & 1U) != 0;
            out.second[d] = (bits >> (3 + d) & 1U) != 0;
        }
        return out;
    }
};

struct OctantSolution {
    double tau = unreached<double>;
    OctantBranch branch;
    bool takes_part[3] = {};
    Vec3 p;          ///< grad T / T0 per node, along the axes of the grid
    Vec3 w;          ///< M p
    double per = 0;  ///< 1 / D
    /// d tau/d tau of the first neighbour along an axis, and of the second.
    FERMAT_HD double by_near(int axis) const { return pull(axis) * (branch.second[axis] ? 2 : 1); }
    FERMAT_HD double by_far(int axis) const { return branch.second[axis] ? -0.5 * pull(axis) : 0; }
    FERMAT_HD double by_f2() const { return 0.5 * per; }
    FERMAT_HD double by_gamma(int axis) const {
        return takes_part[axis] ? -w[axis] * tau * per : 0;
    }
    /// d tau/d beta along an axis.
    FERMAT_HD double pull(int axis) const {
        return takes_part[axis] ? (branch.from_low[axis] ? w[axis] : -w[axis]) * per : 0;
    }
};

namespace detail {

/// p of the axes that do not take part, where (M p) = 0.
FERMAT_HD inline Vec3 completed(const Mat3& m, const bool (&part)[3], Vec3 p) {
    int free[3];
    int count = 0;
    for (int d = 0; d < 3; ++d) {
        if (part[d]) continue;
        free[count++] = d;
        p[d] = 0;
    }
    if (count == 0) return p;
    const Vec3 rest = m * p;
    if (count == 1) {
        p[free[0]] = -rest[free[0]] / m(free[0], free[0]);
        return p;
    }
    const int a = free[0];
    const int b = free[1];
    const double det = m(a, a) * m(b, b) - m(a, b) * m(a, b);
    p[a] = (-rest[a] * m(b, b) + rest[b] * m(a, b)) / det;
    p[b] = (-rest[b] * m(a, a) + rest[a] * m(a, b)) / det;
    return p;
}

}  // namespace detail

/// Solves the equation of a node by the neighbours of `branch`, of which those of second order may
/// fall back to the first where `free` lets them choose; by all axes of a full tensor or as
/// diagonal_root does.
template <bool Full>
FERMAT_HD OctantSolution solve_octant(const OctantNode<double>& n, OctantBranch branch, int order,
                                      bool free) {
    OctantSolution out;
    const OctantSides<bool> from{branch.from_low[0], branch.from_low[1], branch.from_low[2]};
    const ChosenSide<double> side[3] = {chosen(n.x, n.gamma_x, from.x),
                                        chosen(n.y, n.gamma_y, from.y),
                                        chosen(n.z, n.gamma_z, from.z)};
    const double base = least(side[0].near, side[1].near, side[2].near);
    if (!(base < reached_limit<double>)) return out;
    double fall = 0;
    if (Full && order == 2) fall = n.coupling * root(n.f2);
    OctantTerm<double> term[3];
    for (int d = 0; d < 3; ++d) {
        const bool second = free ? order == 2 : branch.second[d];
        term[d] = term_of<1>(side[d], base, fall);
        if (!second) {
            branch.second[d] = false;
            continue;
        }
        if (free) {
            const OctantTerm<double> wide = term_of<2>(side[d], base, fall);
            branch.second[d] = wide.c > term[d].c + 0.25;
        }
        if (branch.second[d]) {
            term[d].c += 0.5;
            term[d].r += 0.5 * (side[d].near - base) + 0.5 * (side[d].near - side[d].far);
        }
    }
    const SymmetricTensor<double>& m = n.tensor;
    double u = 0;
    if constexpr (Full) {
        const SymmetricTensor<double> t{m.xx,
                                        m.yy,
                                        m.zz,
                                        from.x == from.y ? m.xy : -m.xy,
                                        from.x == from.z ? m.xz : -m.xz,
                                        from.y == from.z ? m.yz : -m.yz};
        u = octant_root(t, term[0], term[1], term[2], n.f2, 0.05);
    } else {
        u = diagonal_root(m.xx, m.yy, m.zz, term[0], term[1], term[2], n.f2);
    }
    if (!(u < reached_limit<double>)) return out;
    out.tau = base + u;
    out.branch = branch;
    // Which axes the root is made of: those whose equation it solves.
    const Mat3 tensor{{{{m.xx, Full ? m.xy : 0, Full ? m.xz : 0},
                        {Full ? m.xy : 0, m.yy, Full ? m.yz : 0},
                        {Full ? m.xz : 0, Full ? m.yz : 0, m.zz}}}};
    double best = INFINITY;
    // All axes, then two of them, then one, three bits each.
    for (unsigned subsets = 04216537; subsets != 0; subsets >>= 3) {
        const unsigned axes = subsets & 7U;
        bool part[3];
        Vec3 p;
        bool known = true;
        for (int d = 0; d < 3; ++d) {
            part[d] = (axes >> d & 1U) != 0;
            if (!part[d]) continue;
            known &= side[d].near < reached_limit<double> && term[d].c > 0;
            const double q = term[d].c * u - term[d].r;
            known &= Full || q >= 0;
            p[d] = branch.from_low[d] ? q : -q;
        }
        if (!known) continue;
        p = detail::completed(tensor, part, p);
        const Vec3 w = tensor * p;
        const double off = std::abs(dot(p, w) / n.f2 - 1);
        if (!(off < 0.01 * best) && !(best > 1e-9 && off < best)) continue;
        double slope = 0;
        for (int d = 0; d < 3; ++d) {
            if (part[d]) slope += (branch.from_low[d] ? w[d] : -w[d]) * term[d].c;
        }
        if (!(slope > 0)) continue;
        best = off;
        for (int d = 0; d < 3; ++d) out.takes_part[d] = part[d];
        out.p = p;
        out.w = w;
        out.per = 1 / slope;
    }
    return out;
}

}  // namespace fermat
