#pragma once

#include <cmath>

#include "core/mat3.hpp"

namespace fermat {

/// P waves of a transversely isotropic medium by Thomsen's (1986) parameters, in the acoustic
/// approximation (Alkhalifah 1998; shear velocity along the axis 0). With the slowness vector p,
/// a = |p|^2 - (p.n)^2 and c = (p.n)^2 across and along the unit axis n, and velocity 1 along it:
///
///     F(a, c) = (1 + 2 epsilon) a + c - 2 (epsilon - delta) a c = 1
///
/// With epsilon = delta it is an ellipse.
struct Thomsen {
    double epsilon = 0;
    double delta = 0;
    Vec3 axis{0, 0, 1};

    double excess() const { return 2 * (epsilon - delta); }
};

/// The axis of a tilt from the vertical (z) and an azimuth from x towards y, in degrees.
inline Vec3 tilted_axis(double tilt, double azimuth) {
    constexpr double degree = 3.14159265358979323846 / 180;
    return {std::sin(tilt * degree) * std::cos(azimuth * degree),
            std::sin(tilt * degree) * std::sin(azimuth * degree), std::cos(tilt * degree)};
}

/// The ellipse A that touches the slowness surface in the direction of p: p . A p = 1 there, and A
/// p has the direction of the group velocity. As the surface is the envelope of such ellipses,
/// solving with the ellipse of the last p converges fast.
inline Mat3 touching_ellipse(const Thomsen& medium, Vec3 p) {
    const double along = dot(p, medium.axis);
    const double length2 = dot(p, p);
    if (!(length2 > 0)) {
        return Mat3::identity() +
               2 * medium.epsilon * (Mat3::identity() + -1.0 * outer(medium.axis));
    }
    const double c = along * along / length2;
    const double a = 1 - c;
    const double across = 1 + 2 * medium.epsilon;
    const double linear = across * a + c;
    // The square of the slowness, s = |p|^2: linear s - excess a c s^2 = 1.
    const double square = linear * linear - 4 * medium.excess() * a * c;
    const double s = 2 / (linear + std::sqrt(square > 0 ? square : 0));
    const double by_a = across - medium.excess() * c * s;
    const double by_c = 1 - medium.excess() * a * s;
    const double total = (by_a * a + by_c * c) * s;
    return (by_a / total) * Mat3::identity() + ((by_c - by_a) / total) * outer(medium.axis);
}

/// Time along a straight line d in the homogeneous medium of velocity 1 along its axis, which is d
/// over the group velocity, and the slowness vector, its gradient.
struct GroupTime {
    double time = 0;
    Vec3 slowness;
};
inline GroupTime group_time(const Thomsen& medium, Vec3 d) {
    const double along = dot(d, medium.axis);
    const Vec3 aside = d - along * medium.axis;
    const double across = norm(aside);
    if (!(dot(d, d) > 0)) return {};
    // In the plane of d and the axis: p of the touching ellipse whose group velocity is along d.
    // Its direction is that of the next ellipse, until it stands still.
    const double wide = 1 + 2 * medium.epsilon;
    double by_a = wide;
    double by_c = 1;
    double square = 1;
    double pa = 0;
    double pc = 0;
    constexpr int most_steps = 60;
    for (int n = 0; n < most_steps; ++n) {
        pa = across / by_a;
        pc = along / by_c;
        const double length2 = pa * pa + pc * pc;
        const double c = pc * pc / length2;
        const double a = 1 - c;
        const double linear = wide * a + c;
        const double root = linear * linear - 4 * medium.excess() * a * c;
        const double s = 2 / (linear + std::sqrt(root > 0 ? root : 0));
        const double next_a = wide - medium.excess() * c * s;
        const double next_c = 1 - medium.excess() * a * s;
        const double change = std::abs(next_a / next_c - by_a / by_c);
        by_a = next_a;
        by_c = next_c;
        square = s / length2;
        if (change < 1e-13) break;
    }
    const double scale = std::sqrt(square);
    const Vec3 p = (scale * pc) * medium.axis + (across > 0 ? scale * pa / across : 0) * aside;
    return {dot(p, d), p};
}

}  // namespace fermat
