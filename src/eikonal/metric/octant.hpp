#pragma once

#include "core/host_device.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// The equation p . M p = f^2 at one node, with differences towards one neighbour per axis. M is a
/// symmetric tensor in units of the grid, so the axes couple; stencil.hpp has the case of a
/// multiple of the identity. As there, T = T0 tau is factored, and along axis d on side sigma
///
///     sigma p_d = c_d tau - beta_d,     c_d = alpha + sigma gamma_d,   gamma = grad(T0) / T0.
///
/// The neighbours span a simplex (one octant of the stencil). The node's time is the earliest over
/// all points of the simplex (Hopf & Lax; Bornemann & Rasch 2006). If the characteristic w = M p of
/// the root comes out of the simplex, sigma_d w_d >= 0 for all d, the root is that time. Otherwise
/// the time is that of a face or an edge: an axis that does not take part has w_d = 0, so M is
/// replaced by its Schur complement. M has the signs sigma_d sigma_e already, and tau = base + u.

template <class V>
struct SymmetricTensor {
    V xx, yy, zz, xy, xz, yz;
};

/// The difference c u - r along one axis.
template <class V>
struct OctantTerm {
    V c;
    V r;
};

template <class V>
FERMAT_HD_INLINE V edge_root(V inverse_m, OctantTerm<V> p, V f2) {
    const V none = V{} + unreached<Scalar<V>>;
    const V u = (p.r + root(f2 * inverse_m)) / p.c;
    return p.c > 0 ? u : none;
}

template <class V>
FERMAT_HD_INLINE V face_root(V pp, V qq, V pq, OctantTerm<V> p, OctantTerm<V> q, V f2) {
    const V mp = pp * p.c + pq * q.c;
    const V mq = pq * p.c + qq * q.c;
    const V a = mp * p.c + mq * q.c;
    const V b = mp * p.r + mq * q.r;
    const V rp = pp * p.r + pq * q.r;
    const V rq = pq * p.r + qq * q.r;
    const V square = b * b - a * (rp * p.r + rq * q.r - f2);
    const V u = (b + root(square > 0 ? square : V{})) / a;
    const V none = V{} + unreached<Scalar<V>>;
    const auto comes = (square >= 0) & (mp * u - rp >= 0) & (mq * u - rq >= 0);
    return comes & (p.c > 0) & (q.c > 0) ? u : none;
}

/// The earliest time over the faces and edges of the simplex.
template <class V>
FERMAT_HD_RARE V boundary_root(const SymmetricTensor<V>& m, OctantTerm<V> x, OctantTerm<V> y,
                               OctantTerm<V> z, V f2) {
    const V ix = 1 / m.xx;
    const V iy = 1 / m.yy;
    const V iz = 1 / m.zz;
    const V yz = face_root(m.yy - m.xy * m.xy * ix, m.zz - m.xz * m.xz * ix,
                           m.yz - m.xy * m.xz * ix, y, z, f2);
    const V xz = face_root(m.xx - m.xy * m.xy * iy, m.zz - m.yz * m.yz * iy,
                           m.xz - m.xy * m.yz * iy, x, z, f2);
    const V xy = face_root(m.xx - m.xz * m.xz * iz, m.yy - m.yz * m.yz * iz,
                           m.xy - m.xz * m.yz * iz, x, y, f2);
    const V cx = m.yy * m.zz - m.yz * m.yz;
    const V cy = m.xx * m.zz - m.xz * m.xz;
    const V cz = m.xx * m.yy - m.xy * m.xy;
    const V det =
        m.xx * cx - m.xy * (m.xy * m.zz - m.yz * m.xz) + m.xz * (m.xy * m.yz - m.yy * m.xz);
    const V over = 1 / det;
    return least(least(yz, xz, xy), least(edge_root(cx * over, x, f2), edge_root(cy * over, y, f2),
                                          edge_root(cz * over, z, f2)));
}

/// The time of a node from one octant. `slack` is how far w may leave the octant, in units of f: a
/// ray along a face may come from either side of it.
template <class V>
FERMAT_HD_INLINE V octant_root(const SymmetricTensor<V>& m, OctantTerm<V> x, OctantTerm<V> y,
                               OctantTerm<V> z, V f2, Scalar<V> slack) {
    const V mx = m.xx * x.c + m.xy * y.c + m.xz * z.c;
    const V my = m.xy * x.c + m.yy * y.c + m.yz * z.c;
    const V mz = m.xz * x.c + m.yz * y.c + m.zz * z.c;
    const V a = mx * x.c + my * y.c + mz * z.c;
    const V b = mx * x.r + my * y.r + mz * z.r;
    const V rx = m.xx * x.r + m.xy * y.r + m.xz * z.r;
    const V ry = m.xy * x.r + m.yy * y.r + m.yz * z.r;
    const V rz = m.xz * x.r + m.yz * y.r + m.zz * z.r;
    const V square = b * b - a * (rx * x.r + ry * y.r + rz * z.r - f2);
    const V u = (b + root(square > 0 ? square : V{})) / a;
    const V least_w = -slack * root(f2);
    const auto comes = (square >= 0) & (mx * u - rx >= least_w) & (my * u - ry >= least_w) &
                       (mz * u - rz >= least_w);
    if (!any_lane(!comes)) return u;
    return comes ? u : boundary_root(m, x, y, z, f2);
}

/// The root u where axes do not couple: sum_d M_dd max(c_d u - r_d, 0)^2 = f^2. An axis contributes
/// if the sum of the others is below f^2 where it begins (solve_upwind of stencil.hpp), so there is
/// one root for all faces and edges.
template <class V>
FERMAT_HD_INLINE V diagonal_root(V mx, V my, V mz, OctantTerm<V> x, OctantTerm<V> y,
                                 OctantTerm<V> z, V f2) {
    const V none = V{};
    // Beyond the source c may be negative: such an axis contributes nothing.
    const auto usable = [](OctantTerm<V> t) {
        const V late = V{} + unreached<Scalar<V>>;
        return OctantTerm<V>{t.c > 0 ? t.c : V{} + 1, t.c > 0 ? t.r : late};
    };
    x = usable(x);
    y = usable(y);
    z = usable(z);
    const V xy = x.c * y.r - y.c * x.r;
    const V xz = x.c * z.r - z.c * x.r;
    const V yz = y.c * z.r - z.c * y.r;
    const V xy2 = xy * xy;
    const V xz2 = xz * xz;
    const V yz2 = yz * yz;
    const V x2 = x.c * x.c;
    const V y2 = y.c * y.c;
    const V z2 = z.c * z.c;
    const auto has_x = (xy < 0 ? my * xy2 : none) + (xz < 0 ? mz * xz2 : none) < x2 * f2;
    const auto has_y = (xy > 0 ? mx * xy2 : none) + (yz < 0 ? mz * yz2 : none) < y2 * f2;
    const auto has_z = (xz > 0 ? mx * xz2 : none) + (yz > 0 ? my * yz2 : none) < z2 * f2;
    const V wx = has_x ? mx : none;
    const V wy = has_y ? my : none;
    const V wz = has_z ? mz : none;
    const V slope2 = wx * x2 + wy * y2 + wz * z2;
    const V slope_rise = (has_x ? wx * x.c * x.r : none) + (has_y ? wy * y.c * y.r : none) +
                         (has_z ? wz * z.c * z.r : none);
    const V lead2 = (has_x & has_y ? wx * wy * xy2 : none) +
                    (has_x & has_z ? wx * wz * xz2 : none) + (has_y & has_z ? wy * wz * yz2 : none);
    const V square = slope2 * f2 - lead2;
    return (slope_rise + root(square > 0 ? square : none)) / slope2;
}

}  // namespace fermat
