#include "tomography/start/survey_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/error.hpp"

namespace fermat {
namespace {

std::vector<Vec3> all_points(const Survey& picks) {
    std::vector<Vec3> points;
    for (const Event& event : picks.events) points.push_back(event.position);
    for (const Station& station : picks.stations) points.push_back(station.position);
    return unique_points(std::move(points));
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
    std::vector<double> widths;
    std::vector<double> speeds;
    for (const Arrival& pick : picks.arrivals) {
        const Vec3 way = picks.event_of(pick).position - picks.station_of(pick).position;
        const double distance = norm(way);
        if (!(distance > 0)) continue;
        widths.push_back(std::abs(way.x));
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
    // A tenth of the picks may be outliers: no ground is twice as fast as nine tenths of them tell.
    shape.fastest = std::min(quantile(speeds, 0.99), 2 * quantile(speeds, 0.9));
    shape.refractor = refractor_velocity(picks, shape.longest);
    shape.ground = ground_points(picks, shape.point_distance, shape.longest, shape.is_2d);
    shape.along_surface = shape.ground.along_surface;
    constexpr double most = 0.8;
    shape.crosses = shape.is_2d && !shape.along_surface &&
                    quantile(widths, 0.5) > most * (shape.high.x - shape.low.x);
    return shape;
}

bool hardly_differs(const SurveyShape& shape) {
    constexpr double little = 1.75;
    return shape.along_surface && shape.refractor > 0 && shape.refractor < little * shape.slowest;
}

std::optional<Surface> ground_of(const SurveyShape& shape) {
    const std::vector<Vec3>& points = shape.ground.points;
    const bool level = std::all_of(points.begin(), points.end(),
                                   [&](const Vec3& p) { return p.z == points.front().z; });
    if (level) return std::nullopt;
    return Surface(shape.is_2d ? Surface::Kind::line : Surface::Kind::area, points);
}

}  // namespace fermat
