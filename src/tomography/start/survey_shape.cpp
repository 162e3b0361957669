#include "tomography/start/survey_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/error.hpp"

namespace fermat {
namespace {

std::vector<Vec3> all_points(const Survey& picks) {
    std::vector<Vec3> points;
    for (const Event& event : picks.events) points.push_back(event.position);
    for (const Station& station : picks.stations) points.push_back(station.position);
    const auto before = [](const Vec3& a, const Vec3& b) {
        return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
    };
    std::sort(points.begin(), points.end(), before);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
}

/// The value that a share of all is below.
double quantile(std::vector<double>& values, double share) {
    const auto place =
        static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

double nearest_distance(std::span<const Vec3> points) {
    constexpr std::size_t most = 500;  // points that are asked: enough for a median
    const std::size_t stride = std::max<std::size_t>(1, points.size() / most);
    std::vector<double> distances;
    for (std::size_t a = 0; a < points.size(); a += stride) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < points.size(); ++b) {
            if (a != b) least = std::min(least, norm(points[a] - points[b]));
        }
        distances.push_back(least);
    }
    return quantile(distances, 0.5);
}

/// Slopes of time over distance, within one source's picks to one side of it, between picks that
/// are a quarter of the longest distance apart: how fast the ground is where rays turn. Slopes
/// across relief are as long as the distance between the points themselves.
double refractor_velocity(const Survey& picks, double longest) {
    struct Sided {
        std::int32_t source;
        bool beyond;  ///< on the side of larger x, or of y
        double distance;
        double time;
    };
    std::vector<Sided> arrivals;
    for (const Arrival& pick : picks.arrivals) {
        const Vec3 way = picks.station_of(pick).position - picks.event_of(pick).position;
        const bool beyond = std::abs(way.x) >= std::abs(way.y) ? way.x > 0 : way.y > 0;
        arrivals.push_back({pick.event, beyond, norm(way), pick.time});
    }
    std::sort(arrivals.begin(), arrivals.end(), [](const Sided& a, const Sided& b) {
        return std::tuple(a.source, a.beyond, a.distance, a.time) <
               std::tuple(b.source, b.beyond, b.distance, b.time);
    });
    std::vector<double> speeds;
    for (std::size_t a = 0, b = 0; b < arrivals.size(); ++b) {
        while (arrivals[a].source != arrivals[b].source || arrivals[a].beyond != arrivals[b].beyond)
            ++a;
        while (arrivals[b].distance - arrivals[a + 1 < b ? a + 1 : a].distance > longest / 4) ++a;
        const double way = arrivals[b].distance - arrivals[a].distance;
        const double time = arrivals[b].time - arrivals[a].time;
        if (way > longest / 5 && time > 0) speeds.push_back(way / time);
    }
    constexpr std::size_t least = 10;
    return speeds.size() < least ? 0 : quantile(speeds, 0.75);
}

/// Whether no two points lie one below the other: closer from above than half of their usual
/// distance, yet apart in depth by more than it.
bool lie_on_a_surface(std::span<const Vec3> points, double distance) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, double>> columns;
    std::size_t stacked = 0;
    for (const Vec3& p : points) {
        const auto key =
            std::pair(std::llround(p.x / (distance / 2)), std::llround(p.y / (distance / 2)));
        const auto [at, fresh] = columns.try_emplace(key, p.z, p.z);
        at->second = {std::min(at->second.first, p.z), std::max(at->second.second, p.z)};
        if (!fresh && at->second.second - at->second.first > distance) ++stacked;
    }
    return 20 * stacked < points.size();
}

}  // namespace

SurveyShape survey_shape(const Survey& picks) {
    const std::vector<Vec3> points = all_points(picks);
    SurveyShape shape;
    shape.low = shape.high = points.front();
    for (const Vec3& p : points) {
        for (int axis = 0; axis < 3; ++axis) {
            shape.low[axis] = std::min(shape.low[axis], p[axis]);
            shape.high[axis] = std::max(shape.high[axis], p[axis]);
        }
    }
    std::vector<double> distances;
    std::vector<double> speeds;
    for (const Arrival& pick : picks.arrivals) {
        const double distance =
            norm(picks.event_of(pick).position - picks.station_of(pick).position);
        if (!(distance > 0)) continue;
        distances.push_back(distance);
        if (pick.time > 0) speeds.push_back(distance / pick.time);
    }
    if (speeds.empty()) {
        throw InputError("no pick has both a distance and a time (nothing can be inverted)");
    }
    shape.is_2d = picks.is_2d || shape.high.y == shape.low.y;
    shape.point_distance = nearest_distance(points);
    shape.longest = quantile(distances, 0.98);
    shape.slowest = quantile(speeds, 0.01);
    shape.typical = quantile(speeds, 0.5);
    shape.fastest = quantile(speeds, 0.99);
    shape.refractor = refractor_velocity(picks, shape.longest);
    const double across = std::max(shape.high.x - shape.low.x, shape.high.y - shape.low.y);
    shape.along_surface =
        shape.high.z - shape.low.z < 0.5 * across && lie_on_a_surface(points, shape.point_distance);
    return shape;
}

std::optional<Surface> ground_of(const Survey& picks, const SurveyShape& shape) {
    if (!shape.along_surface || !(shape.high.z > shape.low.z)) return std::nullopt;
    // Of two depths at one place (a shot in a hole below its receiver) the higher is the ground.
    std::map<std::pair<double, double>, double> ground;
    for (const Vec3& p : all_points(picks)) {
        const auto key = std::pair(p.x, shape.is_2d ? 0.0 : p.y);
        const auto at = ground.try_emplace(key, p.z).first;
        at->second = std::min(at->second, p.z);
    }
    std::vector<Vec3> points;
    for (const auto& [place, z] : ground) points.push_back({place.first, place.second, z});
    return Surface(shape.is_2d ? Surface::Kind::line : Surface::Kind::area, points);
}

}  // namespace fermat
