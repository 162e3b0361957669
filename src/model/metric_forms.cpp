#include "model/metric_forms.hpp"

#include <cmath>
#include <numbers>

#include "model/mapping.hpp"

namespace fermat {

double PowerLawSphere::velocity(double depth) const {
    return surface_velocity * std::pow((radius - depth) / radius, exponent);
}

double PowerLawSphere::time(Vec3 source, Vec3 receiver) const {
    const Vec3 p = place_on_sphere(radius, source);
    const Vec3 q = place_on_sphere(radius, receiver);
    const double angle = std::atan2(norm(crossed(p, q)), dot(p, q));
    const double power = 1 - exponent;
    // In units of the radius, so that powers stay near 1.
    const double from = std::pow(norm(p) / radius, power);
    const double to = std::pow(norm(q) / radius, power);
    const double scale = radius / (surface_velocity * std::abs(power));
    const double turn = std::abs(power) * angle;
    if (turn >= std::numbers::pi) return scale * (from + to);
    const double half = std::sin(0.5 * turn);
    return scale * std::hypot(from - to, 2 * std::sqrt(from * to) * half);
}

double elliptical_time(double velocity, const Mat3& tensor, Vec3 source, Vec3 receiver) {
    const Vec3 d = receiver - source;
    return std::sqrt(dot(d, inverse(tensor) * d)) / velocity;
}

double thomsen_time(double velocity, const Thomsen& medium, Vec3 source, Vec3 receiver) {
    return group_time(medium, receiver - source).time / velocity;
}

Mat3 pulled_back(const Mat3& jacobian) {
    const Mat3 back = inverse(jacobian);
    return back * transposed(back);
}

}  // namespace fermat
