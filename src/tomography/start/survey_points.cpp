#include "tomography/start/survey_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/median.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

/// Distance of a point from the model; 0 inside.
double distance_outside(const Model& model, Vec3 point) {
    if (!is_finite(point) || model.place().holds(point)) return 0;
    const Mapping& mapping = model.mapping();
    return distance(mapping.place(model.place().grid_point(point)),
                    mapping.place(model.place().nearest(point)));
}

/// How far the rock lies below a point in air, or above it where there is none below. Not a number
/// where its column has no rock. In coordinates of the grid.
double distance_to_rock(const Model& model, Vec3 point) {
    const Grid& grid = model.grid();
    const double step = grid.spacing.z / 4;
    const double least = grid.origin.z;
    const double most = grid.far_corner().z;
    for (const double way : {step, -step}) {
        for (Vec3 p = point; p.z >= least && p.z <= most; p.z += way) {
            if (!in_air(model, p)) return std::abs(p.z - point.z);
        }
    }
    return std::nan("");
}

/// Points in air of one kind.
struct Stranded {
    std::vector<bool> points;
    std::size_t count = 0;
    double farthest = 0;

    template <class Points>
    Stranded(const Model& model, const Points& all) : points(all.size(), false) {
        for (std::size_t n = 0; n < points.size(); ++n) {
            const Vec3 place = model.place().nearest(all[n].position);
            if (!in_air(model, place)) continue;
            points[n] = true;
            ++count;
            const double away = distance_to_rock(model, place);
            if (!std::isnan(away)) farthest = std::max(farthest, away);
        }
    }
    bool has(std::int32_t n) const { return points[static_cast<std::size_t>(n)]; }
};

}  // namespace

void require_points_inside(const Model& model, const Survey& picks) {
    const Grid& grid = model.grid();
    std::size_t outside = 0;
    double farthest = 0;
    std::string first;
    const auto look = [&](const auto& points, const char* what) {
        for (const auto& point : points) {
            if (model.place().holds(point.position)) continue;
            if (outside++ == 0) {
                first = fmt::format("{} {} at {}", what, name_of(picks, point),
                                    to_string(grid, point.position));
            }
            farthest = std::max(farthest, distance_outside(model, point.position));
        }
    };
    look(picks.events, "source");
    look(picks.stations, "receiver");
    if (outside == 0) return;
    const Corners box = model.place().corners();
    throw InputError(fmt::format(
        "{} is outside the model (must lie between {} and {}; {} of {} points lie outside, by "
        "{:.3g} "
        "at most: a larger model holds them, and without a model the grid is made to hold all)",
        first, to_string(grid, box.low), to_string(grid, box.high), outside,
        picks.events.size() + picks.stations.size(), farthest));
}

std::optional<std::string> points_in_air(const Model& model, const Survey& picks) {
    if (!model.has_air()) return std::nullopt;
    const Stranded events(model, picks.events);
    const Stranded stations(model, picks.stations);
    if (events.count + stations.count == 0) return std::nullopt;
    const auto lost = std::count_if(
        picks.arrivals.begin(), picks.arrivals.end(),
        [&](const Arrival& pick) { return events.has(pick.event) || stations.has(pick.station); });
    return fmt::format(
        "{} of {} sources and {} of {} receivers lie in air, {:.3g} from the rock at most, so that "
        "{} of {} picks have no ray (move the points, or cut the air through them; "
        "without a start model the ground is laid through all points)",
        events.count, picks.events.size(), stations.count, picks.stations.size(),
        std::max(events.farthest, stations.farthest), lost, picks.arrivals.size());
}

std::optional<std::string> points_on_line(const Survey& picks) {
    std::vector<Vec3> points;
    for (const Event& event : picks.events) points.push_back(event.position);
    for (const Station& station : picks.stations) points.push_back(station.position);
    const auto map_distance = [](Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y); };
    const auto farthest_from = [&](Vec3 point) {
        return *std::max_element(points.begin(), points.end(), [&](Vec3 a, Vec3 b) {
            return map_distance(a, point) < map_distance(b, point);
        });
    };
    const Vec3 one_end = farthest_from(points.front());
    const Vec3 other_end = farthest_from(one_end);
    const double length = map_distance(one_end, other_end);
    if (!(length > 0)) return std::nullopt;  // one borehole
    double most = 0;
    for (const Vec3 point : points) {
        const double area = (other_end.x - one_end.x) * (point.y - one_end.y) -
                            (other_end.y - one_end.y) * (point.x - one_end.x);
        most = std::max(most, std::abs(area) / length);
    }
    constexpr double straight = 0.01;
    if (most > straight * length) return std::nullopt;
    return "all points lie along a straight line (within a hundredth of its length), and the model "
           "is 3-D (no pick tells what lies beside the line: picks converted with `line` make a "
           "section, in a small part of the time)";
}

std::optional<std::string> common_delay(const Survey& picks) {
    struct Near {
        double distance = 0;
        double time = 0;
    };
    constexpr double nearest = 1.5;  // so many times the distance of the nearest pick, from ...
    constexpr double farthest = 4;   // ... to
    const auto quantile = [](std::vector<double>& values, std::size_t quarters) {
        const auto at =
            values.begin() + static_cast<std::ptrdiff_t>(quarters * (values.size() - 1) / 4);
        std::nth_element(values.begin(), at, values.end());
        return *at;
    };
    std::vector<double> parts;  // of the nearest time
    std::vector<double> delays;
    for (const std::vector<std::int32_t>& list : by_event(picks)) {
        std::vector<Near> shot;
        for (const std::int32_t n : list) {
            const Arrival& pick = picks.arrivals[static_cast<std::size_t>(n)];
            const Event& event = picks.event_of(pick);
            const double distance = norm(picks.station_of(pick).position - event.position);
            if (distance > 0) shot.push_back({distance, pick.time - event.origin_time});
        }
        if (shot.empty()) continue;
        const Near first =
            *std::min_element(shot.begin(), shot.end(),
                              [](const Near& a, const Near& b) { return a.distance < b.distance; });
        std::vector<double> left;
        for (const Near& one : shot) {
            const double ratio = one.distance / first.distance;
            if (ratio < nearest || ratio > farthest) continue;
            left.push_back(first.time - (one.time - first.time) / (ratio - 1));
        }
        if (left.empty() || !(first.time > 0)) continue;
        delays.push_back(quantile(left, 2));
        parts.push_back(delays.back() / first.time);
    }
    constexpr std::size_t least_shots = 3;
    constexpr double much = 0.6;
    constexpr double some = 0.3;
    if (parts.size() < least_shots) return std::nullopt;
    // Curves of time over distance bend the other way: no ground has times of 0 away from its
    // shots.
    constexpr double early = -0.5;
    constexpr double little = -0.2;
    if (quantile(parts, 2) < early && quantile(parts, 3) < little) {
        return fmt::format(
            "times are 0 before the waves set out: the nearest picks of {} shots say about {:.3g} "
            "at no distance (a delay common to all picks, as of a trigger that is late; "
            "`terms=common` finds it)",
            parts.size(), quantile(delays, 2));
    }
    if (quantile(parts, 2) < much || quantile(parts, 1) < some) return std::nullopt;
    return fmt::format(
        "times do not come to 0 at the shots: the nearest picks of {} shots say about {:.3g} at no "
        "distance (a delay common to all picks, as of a trigger, or slow ground at the top that no "
        "pick samples; `terms=common` finds a delay, else the model makes slow ground of it)",
        parts.size(), quantile(delays, 2));
}

std::optional<std::string> delay_between_boreholes(const Survey& picks) {
    std::vector<std::pair<double, double>> curve;
    std::vector<double> times;
    for (const Arrival& pick : picks.arrivals) {
        const Event& event = picks.event_of(pick);
        const double distance = norm(picks.station_of(pick).position - event.position);
        const double time = pick.time - event.origin_time;
        if (!(distance > 0)) continue;
        curve.emplace_back(distance, time);
        times.push_back(time);
    }
    constexpr std::size_t least = 30;
    if (curve.size() < least) return std::nullopt;
    // What the ground does to times is alike on rays of one point: so many numbers are independent.
    const auto points = static_cast<double>(picks.events.size() + picks.stations.size());
    const auto count = static_cast<double>(curve.size());
    double distance = 0;
    double time = 0;
    for (const auto& [d, t] : curve) {
        distance += d / count;
        time += t / count;
    }
    double squares = 0;
    double products = 0;
    for (const auto& [d, t] : curve) {
        squares += (d - distance) * (d - distance);
        products += (d - distance) * (t - time);
    }
    if (!(squares > 0)) return std::nullopt;
    const double slope = products / squares;
    const double delay = time - slope * distance;
    double scatter = 0;
    for (const auto& [d, t] : curve) {
        const double left = t - delay - slope * d;
        scatter += left * left / count;
    }
    const double error = std::sqrt(scatter / points * (1 + distance * distance * count / squares));
    constexpr double much = 0.08;
    constexpr double beyond_chance = 4;
    const double typical = lower_median(std::move(times));
    if (std::abs(delay) < much * typical || std::abs(delay) < beyond_chance * error) {
        return std::nullopt;
    }
    return fmt::format(
        "times over distance come to {:.3g} at no distance, and the median time is {:.3g} (a delay "
        "common to all picks, as of a trigger, or velocity that depends on the direction of rays; "
        "`terms=common` finds a delay beside the ground)",
        delay, typical);
}

}  // namespace fermat
