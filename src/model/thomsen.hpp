#pragma once

#include <cmath>

#include "core/mat3.hpp"

namespace fermat {

/// qP waves of a transversely isotropic medium by Thomsen's (1986) parameters. With the slowness
/// vector p, a = |p|^2 - (p.n)^2 and c = (p.n)^2 across and along the unit axis n, velocity 1 along
/// it and k the square of the shear velocity there, Christoffel's equation is
///
///     F(a, c) = (1 + 2 epsilon + k) a + (1 + k) c - Q(a, c) = 1
///     Q(a, c) = k (1 + 2 epsilon) a^2 + (2 (epsilon - delta) + 2 k (1 + delta)) a c + k c^2
///
/// whose sheet of smaller slownesses is qP. k = 0 is the acoustic approximation (Alkhalifah 1998):
/// (1 + 2 epsilon) a + c - 2 (epsilon - delta) a c = 1. With epsilon = delta that is an ellipse.
struct Thomsen {
    double epsilon = 0;
    double delta = 0;
    Vec3 axis{0, 0, 1};
    double shear = 0;  ///< k = (Vs/Vp)^2 along the axis

    FERMAT_HD double across() const { return 1 + 2 * epsilon; }
    FERMAT_HD double mixed() const { return 2 * (epsilon - delta) + 2 * shear * (1 + delta); }
    FERMAT_HD double quadratic(double a, double c) const {
        return shear * across() * a * a + mixed() * a * c + shear * c * c;
    }
};

/// A point of the slowness surface in a direction: |p|^2, and the derivatives of F there.
struct PhasePoint {
    double square = 1;
    double by_a = 1;
    double by_c = 1;
};
/// a and c are the squares of the sine and the cosine of the angle between the direction and the
/// axis.
FERMAT_HD inline PhasePoint phase_point(const Thomsen& medium, double a, double c) {
    const double k = medium.shear;
    const double wide = medium.across();
    const double mixed = medium.mixed();
    const double linear = (wide + k) * a + (1 + k) * c;
    // The square of the slowness, s = |p|^2: linear s - Q s^2 = 1.
    const double root = linear * linear - 4 * medium.quadratic(a, c);
    const double s = 2 / (linear + std::sqrt(root > 0 ? root : 0));
    return {s, wide + k - 2 * k * wide * a * s - mixed * c * s,
            1 + k - mixed * a * s - 2 * k * c * s};
}

/// The axis of a tilt from the vertical (z) and an azimuth from x towards y, in degrees.
FERMAT_HD inline Vec3 tilted_axis(double tilt, double azimuth) {
    constexpr double degree = 3.14159265358979323846 / 180;
    return {std::sin(tilt * degree) * std::cos(azimuth * degree),
            std::sin(tilt * degree) * std::sin(azimuth * degree), std::cos(tilt * degree)};
}

/// The ellipse A that touches the slowness surface in the direction of p: p . A p = 1 there, and A
/// p has the direction of the group velocity. As the surface is the envelope of such ellipses,
/// solving with the ellipse of the last p converges fast.
FERMAT_HD inline Mat3 touching_ellipse(const Thomsen& medium, Vec3 p) {
    const double along = dot(p, medium.axis);
    const double length2 = dot(p, p);
    if (!(length2 > 0)) {
        return Mat3::identity() +
               2 * medium.epsilon * (Mat3::identity() + -1.0 * outer(medium.axis));
    }
    const double c = along * along / length2;
    const double a = 1 - c;
    const PhasePoint point = phase_point(medium, a, c);
    const double total = (point.by_a * a + point.by_c * c) * point.square;
    return (point.by_a / total) * Mat3::identity() +
           ((point.by_c - point.by_a) / total) * outer(medium.axis);
}

/// Time along a straight line d in the homogeneous medium of velocity 1 along its axis, which is d
/// over the group velocity, and the slowness vector, its gradient.
struct GroupTime {
    double time = 0;
    Vec3 slowness;
};
FERMAT_HD inline GroupTime group_time(const Thomsen& medium, Vec3 d) {
    const double along = dot(d, medium.axis);
    const Vec3 aside = d - along * medium.axis;
    const double across = norm(aside);
    if (!(dot(d, d) > 0)) return {};
    // In the plane of d and the axis: p of the touching ellipse whose group velocity is along d.
    // Its direction is that of the next ellipse, until it stands still.
    double by_a = medium.across();
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
        const PhasePoint next = phase_point(medium, a, c);
        const double change = std::abs(next.by_a / next.by_c - by_a / by_c);
        by_a = next.by_a;
        by_c = next.by_c;
        square = next.square / length2;
        if (change < 1e-13) break;
    }
    const double scale = std::sqrt(square);
    const Vec3 p = (scale * pc) * medium.axis + (across > 0 ? scale * pa / across : 0) * aside;
    return {dot(p, d), p};
}

}  // namespace fermat
