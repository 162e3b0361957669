#pragma once

#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "model/layer.hpp"

namespace fermat {

// Closed forms of first arrivals, in double, for tests, benches and users. Points are (x, y, z)
// with z the depth. Lengths, times and velocities are in consistent units of the user's choice.
// "Cerveny" is V. Cerveny, Seismic Ray Theory, Cambridge University Press, 2001.

/// T = |b - a| / v.
double homogeneous_time(double velocity, Vec3 a, Vec3 b);

/// v(p) = v0 + gradient . p, in an unbounded medium. Rays are arcs of circles whose centres lie in
/// the plane v = 0 (Cerveny, section 3.4). With r = |b - a|, g = |gradient|:
///     T = acosh(1 + g^2 r^2 / (2 v_a v_b)) / g = (2 / g) asinh(g r / (2 sqrt(v_a v_b))).
/// The code uses the second form, which stays accurate for small r and small g.
struct LinearVelocity {
    double v0 = 1;  ///< at p = (0, 0, 0)
    Vec3 gradient;  ///< of v, per length; (0, 0, g) for v = v0 + g z

    double velocity(Vec3 p) const { return v0 + dot(gradient, p); }
    double time(Vec3 source, Vec3 receiver) const;
    /// Gradient of the time with respect to the receiver, which is the slowness vector there; 0 at
    /// the source itself.
    Vec3 time_gradient(Vec3 source, Vec3 receiver) const;
    /// `count` >= 2 points of the ray, evenly spaced along it, from the receiver to the source;
    /// both ends are exact. A straight line where the gradient is 0 or along the ray.
    std::vector<Vec3> ray(Vec3 source, Vec3 receiver, int count) const;
    double ray_length(Vec3 source, Vec3 receiver) const;
};

/// s^2(p) = s0_squared + gradient . p, with s = 1/v the slowness. With sigma defined by
/// dT = s^2 dsigma, rays are parabolas (Cerveny, section 3.4):
///     x(sigma) = x_a + p_a sigma + G sigma^2 / 4,    p(sigma) = p_a + G sigma / 2.
/// |p_a|^2 = s_a^2 and x(sigma) = x_b give, with r = |b - a| and m = (s_a^2 + s_b^2) / 2,
///     sigma^2 = 2 r^2 / (m + sqrt(m^2 - |G|^2 r^2 / 4)),    T = m sigma - |G|^2 sigma^3 / 24.
/// The other root of sigma^2 is the later arrival, past its caustic. Where m < |G| r / 2 no ray
/// arrives: the time is infinite.
struct LinearSquaredSlowness {
    double s0_squared = 1;  ///< at p = (0, 0, 0)
    Vec3 gradient;          ///< of s^2, per length

    double squared_slowness(Vec3 p) const { return s0_squared + dot(gradient, p); }
    double velocity(Vec3 p) const { return 1 / std::sqrt(squared_slowness(p)); }
    double time(Vec3 source, Vec3 receiver) const;
    /// Gradient of the time with respect to the receiver; 0 at the source itself. Throws InputError
    /// where no ray arrives.
    Vec3 time_gradient(Vec3 source, Vec3 receiver) const;
    /// `count` >= 2 points, evenly spaced in sigma, from the receiver to the source. Throws
    /// InputError where no ray arrives.
    std::vector<Vec3> ray(Vec3 source, Vec3 receiver, int count) const;
};

/// A layer of velocity v1 and the given thickness over a half-space of velocity v2, receivers at
/// the surface, the source at a depth in [0, thickness]. With H = 2 thickness - depth and sin(i) =
/// v1 / v2 (Telford et al., Applied Geophysics, 1990, chapter 4):
///     direct T = sqrt(x^2 + depth^2) / v1,    head T = x / v2 + H cos(i) / v1,  x >= H tan(i).
/// Only where v2 > v1 is there a critical angle and a head wave.
struct TwoLayers {
    double v1 = 1;
    double v2 = 2;
    double thickness = 1;

    /// Angle from the vertical in radians; NaN where v2 <= v1.
    double critical_angle() const;
    /// Least offset that the head wave reaches; infinite where v2 <= v1.
    double critical_distance(double depth = 0) const;
    /// Offset beyond which the head wave arrives first: (H sin(i) + sqrt(H^2 - depth^2)) / cos(i);
    /// infinite where v2 <= v1.
    double crossover_distance(double depth = 0) const;
    double direct_time(double offset, double depth = 0) const;
    /// Time of the head wave; infinite at less than the critical distance.
    double head_time(double offset, double depth = 0) const;
    double first_arrival(double offset, double depth = 0) const;
};

/// The first arrival of a layered medium at the surface.
struct SurfaceArrival {
    double time = 0;
    int layer = 0;  ///< 0: the direct wave; n: the head wave along the top of layer n
};

/// First arrival, among the direct wave and the head waves, for a source and a receiver at the top
/// of the first layer, `offset` apart, in layers given as in layered_model. The head wave along the
/// top of layer n is
///     T = x / v_n + 2 sum_{i<n} h_i sqrt(1 / v_i^2 - 1 / v_n^2),
///     x >= 2 sum_{i<n} h_i tan(asin(v_i / v_n)),
/// and exists only where v_n exceeds all velocities above it: a low-velocity layer has none
/// (Telford et al. 1990, chapter 4). Reflections never arrive first.
SurfaceArrival layered_first_arrival(std::span<const DepthVelocity> layers, double offset);

/// Time of the head wave along the top of layer n >= 1; infinite where there is none.
double layered_head_time(std::span<const DepthVelocity> layers, int layer, double offset);

}  // namespace fermat
