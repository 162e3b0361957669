#pragma once

#include <cmath>

#include "core/mat3.hpp"
#include "model/thomsen.hpp"

namespace fermat {

/// Derivatives by the parameters of anisotropy: of the function F that the slowness vector of
/// Thomsen's medium solves (thomsen.hpp), and of the time along a short straight line.

struct ThomsenSlopes {
    double epsilon = 0;
    double delta = 0;
    Vec3 axis;  ///< across the axis only, which stays of length 1
    /// Half of p . dF/dp, by which derivatives of F become those of times.
    double scale = 1;
};

/// dF at slowness vector p of velocity 1 along the axis, where F = 1.
FERMAT_HD inline ThomsenSlopes thomsen_slopes(const Thomsen& medium, Vec3 p) {
    const double along = dot(p, medium.axis);
    const double c = along * along;
    const double a = dot(p, p) - c;
    ThomsenSlopes out;
    const double k = medium.shear;
    out.epsilon = 2 * a - 2 * a * (c + k * a);
    out.delta = 2 * (1 - k) * a * c;
    const double by_c =
        -2 * medium.epsilon - medium.mixed() * (a - c) + 2 * k * (medium.across() * a - c);
    const Vec3 by_axis = (2 * along * by_c) * p;
    out.axis = by_axis - dot(by_axis, medium.axis) * medium.axis;
    out.scale = 1 - medium.quadratic(a, c);
    return out;
}

/// d time/d parameter of a straight line d, given in the frame, in Thomsen's medium of velocity 1.
/// The time is the largest p . d with F(p) <= 1, so its derivative is -F' p.d / (p . dF/dp).
/// `scale` is the time.
FERMAT_HD inline ThomsenSlopes thomsen_line_slopes(const Thomsen& medium, Vec3 d) {
    const GroupTime group = group_time(medium, d);
    ThomsenSlopes out = thomsen_slopes(medium, group.slowness);
    const double per = -group.time / (2 * out.scale);
    return {per * out.epsilon, per * out.delta, per * out.axis, group.time};
}

/// d sqrt(d . S d)/d A_rc of a node's tensor, with S = sum of weight A^-1, over the weight. xy
/// stands for the entries xy and yx together.
FERMAT_HD inline double tensor_line_slope(const Mat3& at_node, Vec3 d, double time, int r, int c) {
    const Vec3 u = inverse(at_node) * d;
    return -(r == c ? 0.5 : 1.0) * u[r] * u[c] / time;
}

/// Rows and columns of the entries xx, yy, zz, xy, xz, yz.
inline constexpr int tensor_entries[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

}  // namespace fermat
