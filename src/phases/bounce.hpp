#pragma once

// Bounces of waves that turn (PP, SS). Along the path, the time is a maximum over the place of a
// bounce. Newton's method for all points at once fails there: velocity between nodes has kinks,
// over which the slope of a turning wave's time changes in jumps, and derivatives at a point know
// nothing of them. So the bounces are held while all else settles, which gives the least time for
// their places; where that is stationary is found from its differences over steps as wide as many
// cells.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "phases/two_point.hpp"

namespace fermat {

/// Where bounces are held from now on: the time near its maximum hardly depends on their place, so
/// that it need not be found again for every number of segments.
inline constexpr int bounce_segments = 64;

namespace detail {

/// The places of bounces, and ways to move them.
template <class LayerT, class SurfaceT>
class BouncePlaces {
  public:
    BouncePlaces(PathMedium<LayerT, SurfaceT>& medium, PathSpace& space, int n,
                 std::uint64_t bounces)
        : medium_(medium), space_(space), n_(n) {
        for (int j = 0; j + 1 < medium.legs; ++j) {
            if (((bounces >> j) & 1U) != 0) joints_.push_back(j);
        }
        medium.held = bounces;
    }

    /// Along the path and across it, per bounce; in 2-D along it alone.
    int directions() const { return static_cast<int>(joints_.size()) * (medium_.flat ? 1 : 2); }

    /// Moves a bounce by a length in a direction. Its legs are taken along, so that they need not
    /// straighten out a kink.
    void move(int direction, double length) {
        const int per = medium_.flat ? 1 : 2;
        const int j = joints_[static_cast<std::size_t>(direction / per)];
        const SurfacePoint s = joint_of(medium_, space_, j);
        const Vec3 along = space_.point[medium_.legs * n_] - space_.point[0];
        // In coordinates of the surface: along * a and along * b of the way from end to end.
        const double aa = dot(s.a, s.a);
        const double ab = medium_.flat ? 0 : dot(s.a, s.b);
        const double bb = medium_.flat ? 1 : dot(s.b, s.b);
        const double u = dot(along, s.a);
        const double v = medium_.flat ? 0 : dot(along, s.b);
        const double k = 1 / (aa * bb - ab * ab);
        double x = k * (bb * u - ab * v);
        double y = k * (aa * v - ab * u);
        if (direction % per == 1) {
            // At right angles to (x, y) in the metric of the surface.
            const double across_x = -(ab * x + bb * y);
            const double across_y = aa * x + ab * y;
            x = across_x;
            y = across_y;
        }
        const double size = std::sqrt(aa * x * x + 2 * ab * x * y + bb * y * y);
        if (!(size > 0)) return;
        take_along(j, length / size * x, medium_.flat ? 0 : length / size * y);
    }

    /// Settles all but the bounces; how that ended.
    PathSearch settle() { return settle_path(medium_, space_, n_, PathGoal::minimum, 60, 1e-11); }

    void keep() {
        points_.assign(space_.point, space_.point + medium_.legs * n_ + 1);
        coordinates_.assign(space_.joint, space_.joint + 2 * (medium_.legs - 1));
    }
    void restore() {
        std::copy(points_.begin(), points_.end(), space_.point);
        std::copy(coordinates_.begin(), coordinates_.end(), space_.joint);
    }

  private:
    /// Moves joint j by (x, y), and those between it and the next bounces or ends in proportion to
    /// their distance from these.
    void take_along(int j, double x, double y) {
        std::vector<Vec3> shifts(static_cast<std::size_t>(medium_.legs) + 1);  // of ends of legs
        for (const int side : {-1, 1}) {
            int end = j + side;
            while (end >= 0 && end + 1 < medium_.legs && !medium_.holds(end)) end += side;
            double total = 0;
            for (int k = j; k != end; k += side) total += leg_length(side < 0 ? k : k + 1);
            double passed = 0;
            for (int k = j; k != end; k += side) {
                if (k != j || side < 0) {
                    const double part = total > 0 ? 1 - passed / total : 1;
                    const Vec3 old = space_.point[(k + 1) * n_];
                    space_.joint[2 * k] += part * x;
                    space_.joint[2 * k + 1] += part * y;
                    shifts[static_cast<std::size_t>(k + 1)] =
                        joint_of(medium_, space_, k).place - old;
                }
                passed += leg_length(side < 0 ? k : k + 1);
            }
        }
        for (int i = 1; i < medium_.legs * n_; ++i) {
            const auto leg = static_cast<std::size_t>(i / n_);
            const double part = static_cast<double>(i % n_) / n_;
            space_.point[i] = space_.point[i] + (1 - part) * shifts[leg] +
                              (i % n_ == 0 ? Vec3{} : part * shifts[leg + 1]);
        }
    }
    /// Of leg k, straight: joint k - 1 to joint k.
    double leg_length(int k) const {
        return distance(space_.point[k * n_], space_.point[(k + 1) * n_]);
    }

    PathMedium<LayerT, SurfaceT>& medium_;
    PathSpace& space_;
    int n_;
    std::vector<int> joints_;
    std::vector<Vec3> points_;
    std::vector<double> coordinates_;
};

}  // namespace detail

/// Settles a path of n segments per leg with its bounces (bits) where the time is stationary: where
/// parabolas through three times, a hundredth of the path apart, have their summits.
template <class LayerT, class SurfaceT>
PathSearch settle_bounces(PathMedium<LayerT, SurfaceT>& medium, PathSpace& space, int n,
                          std::uint64_t bounces) {
    detail::BouncePlaces<LayerT, SurfaceT> places(medium, space, n, bounces);
    const double length = path_length(space.point, medium.legs * n);
    const double step = 0.01 * length;
    PathSearch at = places.settle();
    if (n > bounce_segments) {
        medium.held = 0;
        return at;
    }
    const double near = 0.1 * step;
    bool found = false;
    for (int round = 0; round < 10 && !found; ++round) {
        std::vector<double> moves;
        found = true;
        at.negative = 0;
        for (int k = 0; k < places.directions(); ++k) {
            double times[2] = {0, 0};
            places.keep();
            for (const int side : {0, 1}) {
                places.move(k, side == 0 ? -step : step);
                times[side] = places.settle().time;
                places.restore();
            }
            const double slope = (times[1] - times[0]) / (2 * step);
            const double bend = (times[1] + times[0] - 2 * at.time) / (step * step);
            if (bend < 0) ++at.negative;
            double move = -slope / bend;
            if (!std::isfinite(move)) return at;
            move = std::clamp(move, -0.1 * length, 0.1 * length);
            found = found && std::fabs(move) < near;
            moves.push_back(move);
        }
        const int negative = at.negative;
        for (int k = 0; k < places.directions(); ++k) {
            places.move(k, moves[static_cast<std::size_t>(k)]);
        }
        at = places.settle();
        at.negative = negative;
    }
    // A coarse path may rest on a kink; with more segments it must settle.
    at.settled = found;
    medium.held = 0;
    return at;
}

}  // namespace fermat
