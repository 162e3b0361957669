#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "rays/bending/media.hpp"

namespace fermat {

/// Unit vector perpendicular to `along` and nearest to `wish`. Where `wish` is parallel to `along`,
/// the nearest to the z axis, or to the x axis.
FERMAT_HD inline Vec3 across(Vec3 along, Vec3 wish) {
    Vec3 n = wish - dot(wish, along) * along;
    double length = norm(n);
    if (!(length > 1e-9 * norm(wish))) {
        const Vec3 axis = std::abs(along.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
        n = axis - dot(axis, along) * along;
        length = norm(n);
    }
    return n / length;
}

FERMAT_HD inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Shift of the middle of a section from its chord, towards higher velocity (Um & Thurber 1987;
/// paper 3, equation 3):
///     R = -q + sqrt(q^2 + L^2 / (2 c v)),   q = (c v + 1) / (4 c |grad v|),
/// with L half the chord, c the mean slowness of the ends, v the velocity at the chord's middle and
/// grad v its gradient there across the chord. Returns 0 where there is no gradient.
FERMAT_HD inline double curvature_shift(double half_chord, double end_slowness, double velocity,
                                        double gradient) {
    if (!(gradient > 0)) return 0;
    const double cv = end_slowness * velocity;
    const double q = (cv + 1) / (4 * end_slowness * gradient);
    const double square = half_chord * half_chord / (2 * cv);
    return square / (q + std::sqrt(q * q + square));
}

/// A trial point of a ray between its neighbours. It moves only to places where the time through it
/// is less and no air is in the way.
template <BendingMedium Medium>
class PointBend {
  public:
    FERMAT_HD PointBend(const Medium& medium, Vec3 a, Vec3 x, Vec3 b, int samples)
        : medium_(medium), a_(a), b_(b), x_(x), samples_(samples), time_(time_through(x)) {}

    FERMAT_HD Vec3 point() const { return x_; }

    /// Tries the curvature formula from the chord's middle, then minimises the time directly in the
    /// plane of the ray and across it (Koulakov 2009).
    FERMAT_HD void bend(double step) {
        const Vec3 chord = b_ - a_;
        const double length = norm(chord);
        if (!(length > 0)) return;
        const Vec3 along = chord / length;
        const Vec3 middle = 0.5 * (a_ + b_);
        const SlownessPoint at = medium_.sample(middle);
        const Vec3 normal = across(along, -1.0 * at.gradient);
        const double s = at.slowness;
        const double ends = 0.5 * (medium_.slowness(a_) + medium_.slowness(b_));
        if (std::isfinite(s) && std::isfinite(ends)) {
            const double gradient = -dot(at.gradient, normal) / (s * s);
            offer(middle + curvature_shift(0.5 * length, ends, 1 / s, gradient) * normal);
        }
        minimise(normal, step * length);
        if (!medium_.flat()) minimise(cross(along, normal), step * length);
        // At a jump of slowness the ray has a corner, which must also move along the ray.
        if (!medium_.smooth()) minimise(along, step * length);
    }

    /// Moves to the minimum of the parabola through the times at -step, 0 and step along
    /// `direction`, at most two steps away.
    FERMAT_HD_ONCE void minimise(Vec3 direction, double step) {
        const Vec3 centre = x_;
        const double here = time_;
        const double behind = offer(centre - step * direction);
        const double ahead = offer(centre + step * direction);
        const double curvature = ahead + behind - 2 * here;
        const double reach = 2;
        double shift = ahead < behind ? reach : -reach;
        if (curvature > 0) {
            const double lowest = 0.5 * (behind - ahead) / curvature;
            shift = lowest > reach ? reach : lowest < -reach ? -reach : lowest;
        }
        if (std::isfinite(curvature)) offer(centre + (shift * step) * direction);
    }

  private:
    FERMAT_HD double time_through(Vec3 p) const {
        return medium_.trial_time(a_, p, samples_) + medium_.trial_time(p, b_, samples_);
    }

    FERMAT_HD double offer(Vec3 p) {
        p = medium_.clamp(p);
        const double time = time_through(p);
        if (time < time_ && medium_.clear(a_, p) && medium_.clear(p, b_)) {
            x_ = p;
            time_ = time;
        }
        return time;
    }

    const Medium& medium_;
    Vec3 a_;
    Vec3 b_;
    Vec3 x_;
    int samples_;
    double time_;
};

}  // namespace fermat
