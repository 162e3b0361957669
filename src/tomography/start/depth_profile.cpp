#include "tomography/start/depth_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "core/median.hpp"

namespace fermat {
namespace {

/// A stretch of distances over which slowness along the ground is the same.
struct SlopeStretch {
    double slope = 0;
    double length = 0;
};

/// Value between points (x, y), of which x grows; that at the end beyond the ends.
double between(const std::vector<double>& x, const std::vector<double>& y, double at) {
    const auto right = std::upper_bound(x.begin(), x.end(), at);
    if (right == x.begin()) return y.front();
    if (right == x.end()) return y.back();
    const auto n = static_cast<std::size_t>(right - x.begin());
    return y[n - 1] + (y[n] - y[n - 1]) * (at - x[n - 1]) / (x[n] - x[n - 1]);
}

/// From the nearest stretch to the farthest, each less steep than that before it.
std::vector<SlopeStretch> falling_slopes(std::vector<std::pair<double, double>> curve) {
    constexpr std::size_t most = 24;
    constexpr std::size_t picks_each = 6;
    constexpr std::size_t least = 6;
    const std::size_t count = std::min(most, curve.size() / picks_each);
    std::vector<SlopeStretch> stretches;
    if (count < least) return stretches;
    std::sort(curve.begin(), curve.end());
    double last_distance = 0;
    double last_time = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const std::size_t begin = s * curve.size() / count;
        const std::size_t end = (s + 1) * curve.size() / count;
        double distance = 0;
        for (std::size_t n = begin; n < end; ++n) {
            distance += curve[n].first / static_cast<double>(end - begin);
        }
        std::vector<double> times;  // at that distance
        for (std::size_t n = begin; n < end; ++n) {
            times.push_back(curve[n].second * distance / curve[n].first);
        }
        const double time = median(std::move(times));
        const double length = distance - last_distance;
        if (!(length > 0)) continue;
        stretches.push_back({(time - last_time) / length, length});
        last_distance = distance;
        last_time = time;
        while (stretches.size() > 1) {
            const SlopeStretch far = stretches.back();
            SlopeStretch& near = stretches[stretches.size() - 2];
            if (near.slope > far.slope) break;
            const double both = near.length + far.length;
            near = {(near.slope * near.length + far.slope * far.length) / both, both};
            stretches.pop_back();
        }
    }
    return stretches;
}

}  // namespace

double DepthProfile::velocity_at(double below_ground) const {
    return between(depth, velocity, below_ground);
}

std::optional<DepthProfile> profile_of_times(const Survey& picks, double fastest) {
    std::vector<std::pair<double, double>> curve;
    for (const Arrival& pick : picks.arrivals) {
        const double distance =
            norm(picks.station_of(pick).position - picks.event_of(pick).position);
        const double time = pick.time - picks.event_of(pick).origin_time;
        if (distance > 0 && time > 0) curve.emplace_back(distance, time);
    }
    const std::vector<SlopeStretch> stretches = falling_slopes(std::move(curve));
    if (stretches.empty()) return std::nullopt;
    std::vector<double> middle;
    std::vector<double> slope;
    double end = 0;
    for (const SlopeStretch& one : stretches) {
        middle.push_back(end + one.length / 2);
        slope.push_back(std::max(one.slope, 1 / fastest));
        end += one.length;
    }
    constexpr int steps = 200;
    const double step = middle.back() / steps;
    DepthProfile out;
    std::vector<double> p;
    for (int n = 0; n <= steps; ++n) {
        p.push_back(between(middle, slope, n * step));
        double depth = 0;
        for (int i = 0; i + 1 <= n; ++i) {
            const auto bend = [&](int at) {
                return std::acosh(std::max(1.0, p[static_cast<std::size_t>(at)] / p.back()));
            };
            depth += step * (bend(i) + bend(i + 1)) / 2;
        }
        depth /= std::numbers::pi;
        // Where slopes stay, so do depth and velocity.
        if (!out.depth.empty() && depth <= out.depth.back()) continue;
        out.depth.push_back(depth);
        out.velocity.push_back(1 / p.back());
    }
    return out;
}

}  // namespace fermat
