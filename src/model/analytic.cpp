#include "model/analytic.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace fermat {
namespace {

void require_positive(double value, const char* what, Vec3 p) {
    if (!(value > 0) || !std::isfinite(value)) {
        throw InputError(fmt::format("{} is {} at ({}, {}, {}) (must be finite and > 0)", what,
                                     value, p.x, p.y, p.z));
    }
}

void require_count(int count) {
    if (count < 2) {
        throw InputError(fmt::format("count of ray points is {} (must be at least 2)", count));
    }
}

/// Quantities that the time, the slowness vector and the arc of a constant gradient share.
struct ArcGeometry {
    Vec3 chord;     ///< from source to receiver
    double length;  ///< length of the chord
    double v_mean;  ///< sqrt(v_a v_b)
    double v_end;   ///< velocity at the receiver
    double bend;    ///< g r / (2 sqrt(v_a v_b))
};

ArcGeometry arc_geometry(const LinearVelocity& medium, Vec3 source, Vec3 receiver) {
    const double va = medium.velocity(source);
    const double vb = medium.velocity(receiver);
    require_positive(va, "velocity", source);
    require_positive(vb, "velocity", receiver);
    const Vec3 chord = receiver - source;
    const double length = norm(chord);
    const double v_mean = std::sqrt(va) * std::sqrt(vb);
    return {chord, length, v_mean, vb, norm(medium.gradient) * length / (2 * v_mean)};
}

/// The arc relative to its chord: half of the angle it subtends, and the direction in which it
/// curves.
struct ArcShape {
    double half_angle;
    Vec3 bulge;
};

ArcShape arc_shape(const LinearVelocity& medium, const ArcGeometry& arc) {
    const double g = norm(medium.gradient);
    if (g == 0 || arc.length == 0) return {0, {}};
    const Vec3 along = arc.chord / arc.length;
    const Vec3 up = medium.gradient / g;
    const double parallel = dot(up, along);
    const Vec3 across = up - parallel * along;
    const double sine = norm(across);
    // For a ray along the gradient, rounding alone would decide the direction.
    if (sine < 1e-14) return {0, {}};
    // The curvature is g times the ray parameter. This form has no difference of large numbers,
    // neither for weak gradients nor for half circles.
    const double half_angle =
        std::atan2(sine * arc.bend, std::sqrt(1 + arc.bend * arc.bend * parallel * parallel));
    return {half_angle, across / sine};
}

struct Parabola {
    Vec3 chord;
    double m;      ///< mean of the squared slownesses of both ends
    double sigma;  ///< sigma at the receiver; infinite where no ray arrives
};

Parabola parabola(const LinearSquaredSlowness& medium, Vec3 source, Vec3 receiver) {
    const double sa = medium.squared_slowness(source);
    const double sb = medium.squared_slowness(receiver);
    require_positive(sa, "squared slowness", source);
    require_positive(sb, "squared slowness", receiver);
    const Vec3 chord = receiver - source;
    const double m = (sa + sb) / 2;
    const double half = norm(medium.gradient) * norm(chord) / 2;
    if (m < half) return {chord, m, std::numeric_limits<double>::infinity()};
    return {chord, m, norm(chord) * std::sqrt(2 / (m + std::sqrt((m - half) * (m + half))))};
}

Parabola arriving_parabola(const LinearSquaredSlowness& medium, Vec3 source, Vec3 receiver) {
    const Parabola ray = parabola(medium, source, receiver);
    if (std::isinf(ray.sigma)) {
        throw InputError(
            fmt::format("no ray from ({}, {}, {}) arrives at ({}, {}, {}) (it lies in the shadow "
                        "beyond the caustic of this medium)",
                        source.x, source.y, source.z, receiver.x, receiver.y, receiver.z));
    }
    return ray;
}

}  // namespace

double homogeneous_time(double velocity, Vec3 a, Vec3 b) {
    require_positive(velocity, "velocity", a);
    return distance(a, b) / velocity;
}

double LinearVelocity::time(Vec3 source, Vec3 receiver) const {
    const ArcGeometry arc = arc_geometry(*this, source, receiver);
    if (arc.bend == 0) return arc.length / arc.v_mean;
    return arc.length / arc.v_mean * (std::asinh(arc.bend) / arc.bend);
}

Vec3 LinearVelocity::time_gradient(Vec3 source, Vec3 receiver) const {
    const ArcGeometry arc = arc_geometry(*this, source, receiver);
    if (arc.length == 0) return {};
    const Vec3 direction = arc.chord / arc.length - (arc.length / (2 * arc.v_end)) * gradient;
    return direction / (arc.v_mean * std::sqrt(1 + arc.bend * arc.bend));
}

std::vector<Vec3> LinearVelocity::ray(Vec3 source, Vec3 receiver, int count) const {
    require_count(count);
    const ArcGeometry arc = arc_geometry(*this, source, receiver);
    const ArcShape shape = arc_shape(*this, arc);
    const double phi = shape.half_angle;
    const Vec3 middle = 0.5 * (source + receiver);
    std::vector<Vec3> points;
    points.reserve(static_cast<std::size_t>(count));
    points.push_back(receiver);
    for (int n = 1; n < count - 1; ++n) {
        const double t = 1 - 2.0 * n / (count - 1);  // 1 at the receiver, -1 at the source
        // The circle, scaled by its chord: exact even when the radius grows to infinity.
        const double along = phi == 0 ? t : std::sin(phi * t) / std::sin(phi);
        const double height = phi == 0 ? 0
                                       : 2 * std::sin(phi * (1 + t) / 2) *
                                             std::sin(phi * (1 - t) / 2) / std::sin(phi);
        points.push_back(middle + (along / 2) * arc.chord +
                         (height * arc.length / 2) * shape.bulge);
    }
    points.push_back(source);
    return points;
}

double LinearVelocity::ray_length(Vec3 source, Vec3 receiver) const {
    const ArcGeometry arc = arc_geometry(*this, source, receiver);
    const double phi = arc_shape(*this, arc).half_angle;
    return phi == 0 ? arc.length : arc.length * (phi / std::sin(phi));
}

double LinearSquaredSlowness::time(Vec3 source, Vec3 receiver) const {
    const Parabola ray = parabola(*this, source, receiver);
    if (std::isinf(ray.sigma)) return ray.sigma;
    return ray.sigma * (ray.m - dot(gradient, gradient) * ray.sigma * ray.sigma / 24);
}

Vec3 LinearSquaredSlowness::time_gradient(Vec3 source, Vec3 receiver) const {
    const Parabola ray = arriving_parabola(*this, source, receiver);
    if (ray.sigma == 0) return {};
    return ray.chord / ray.sigma + (ray.sigma / 4) * gradient;
}

std::vector<Vec3> LinearSquaredSlowness::ray(Vec3 source, Vec3 receiver, int count) const {
    require_count(count);
    const double sigma = arriving_parabola(*this, source, receiver).sigma;
    std::vector<Vec3> points;
    points.reserve(static_cast<std::size_t>(count));
    points.push_back(receiver);
    for (int n = 1; n < count - 1; ++n) {
        const double t =
            1 - static_cast<double>(n) / (count - 1);  // ratio of sigma at the point to sigma
        points.push_back(source + t * (receiver - source) -
                         (t * (1 - t) * sigma * sigma / 4) * gradient);
    }
    points.push_back(source);
    return points;
}

}  // namespace fermat
