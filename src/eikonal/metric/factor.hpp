#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat {

/// T0 of a model with a metric: the time in the homogeneous medium of the source, along the
/// straight line d between places,
///
///     T0^2 = d . S d,   S = D^-1 at the source,
///
/// or that of Thomsen's group velocity. In homogeneous media tau = T/T0 is 1 in any coordinates.
/// Where a tensor varies, tau = 1 + O(d) would still have another slope in every direction, and the
/// solution only first order beside the source. So T0 also contains the first variation of S,
///
///     T0^2 = d . S d phi(z),   z = (1/2) sum_k d_k d . dS/dx_k d / (d . S d),
///
/// with phi(z) = 1 + z / sqrt(1 + 4 z^2), which keeps T0^2 positive.
class MetricFactor {
  public:
    /// `source` is given in grid coordinates and lies in rock.
    MetricFactor(const Model& model, Vec3 source);

    struct Value {
        double time = 0;
        Vec3 gradient;  ///< with respect to the place
    };
    Value at(Vec3 place) const {
        const Square square = square_at(place);
        if (!(square.value > 0)) return {};
        const double time = std::sqrt(square.value);
        return {time, square.half_slope / time};
    }
    double time(Vec3 place) const { return std::sqrt(square_at(place).value); }

    /// T0^2 and half its gradient with respect to the place, T0 grad T0.
    struct Square {
        double value = 0;
        Vec3 half_slope;
    };
    Square square_at(Vec3 place) const {
        const Vec3 d = place - place_;
        if (has_thomsen_) {
            const GroupTime group = group_time(thomsen_, d);
            const double scale = slowness_ * slowness_ * group.time;
            return {scale * group.time, scale * group.slowness};
        }
        const Vec3 sd = squared_slowness_ * d;
        const double square = dot(d, sd);
        if (!varies_ || !(square > 0)) return {square > 0 ? square : 0, sd};
        double cubic = 0;
        Vec3 gradient;
        for (int k = 0; k < 3; ++k) {
            const Vec3 v = variation_[static_cast<std::size_t>(k)] * d;
            const double part = dot(d, v);
            cubic += d[k] * part;
            gradient[k] += part;
            gradient = gradient + (2 * d[k]) * v;
        }
        const double z = cubic / square;
        const double w = std::sqrt(1 + 4 * z * z);
        const double phi = 1 + z / w;
        const double slope = 1 / (w * w * w);
        return {square * phi, (phi - slope * z) * sd + (0.5 * slope) * gradient};
    }

    /// In grid coordinates.
    Vec3 position() const { return position_; }
    Vec3 place() const { return place_; }

  private:
    Vec3 position_;
    Vec3 place_;
    Mat3 squared_slowness_;
    std::array<Mat3, 3> variation_;  ///< dS/dx_k / 2
    bool varies_ = false;
    bool has_thomsen_ = false;
    double slowness_ = 0;
    Thomsen thomsen_;  ///< with the axis as a direction in space
};

/// Slowness at a point, as slowness_at, with the jumps of the metric: on a row of jumps, that
/// below.
double metric_slowness(const Model& model, Vec3 q);

/// Time along the straight line between the places of two near points of the grid.
double straight_time(const Model& model, Vec3 from, Vec3 to);

/// Fractions of a line at which it crosses rows of jumps, from 0 to 1, with both ends.
std::vector<double> parts_between_jumps(const Model& model, Vec3 from, Vec3 to);

/// Calls visit(q, d, weight) for the points of Simpson's rule along that line, whose step in space
/// is d: its time is the sum of weight * line_time(model, q, d). No part crosses a row of jumps.
template <class Visit>
void for_each_time_sample(const Model& model, Vec3 from, Vec3 to, Visit visit) {
    const Mapping& mapping = model.metric()->mapping();
    const Vec3 d = mapping.place(to) - mapping.place(from);
    constexpr double weights[] = {1, 4, 2, 4, 1};
    if (model.metric()->coordinates().jumps.empty()) {
        for (int i = 0; i < 5; ++i) visit(from + (i / 4.0) * (to - from), d, weights[i] / 12);
        return;
    }
    const std::vector<double> ends = parts_between_jumps(model, from, to);
    for (std::size_t n = 1; n < ends.size(); ++n) {
        const double length = ends[n] - ends[n - 1];
        for (int i = 0; i < 5; ++i) {
            // On a row of jumps itself, the side of the part counts.
            const double t = ends[n - 1] + length * std::clamp(i / 4.0, 1e-6, 1 - 1e-6);
            visit(from + t * (to - from), d, length * weights[i] / 12);
        }
    }
}

/// The local slowness of a direction in space: the time of a short line `d` at a point.
double line_time(const Model& model, Vec3 q, Vec3 d);

}  // namespace fermat
