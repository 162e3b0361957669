#include "tomography/start/pick_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/median.hpp"
#include "tomography/start/axis_checks.hpp"

namespace fermat {
namespace {

RepeatedPaths paths_of_differences(std::vector<double> differences) {
    if (differences.empty()) return {};
    constexpr double deviation_of_median = 1.4826;  // of a Gaussian
    const std::size_t pairs = differences.size();
    return {pairs, deviation_of_median * upper_median(differences) / std::sqrt(2.0)};
}

/// Numbers points so that those of one place have one number.
class PlaceNumbers {
  public:
    explicit PlaceNumbers(double near) : near_(near) {}

    std::int32_t number_of(Vec3 point) {
        const auto cell = [&](double value) { return std::llround(value / near_); };
        const Key key{cell(point.x), cell(point.y), cell(point.z)};
        // A place near a face of its cell may have its twin in the next one.
        for (std::int64_t i = -1; i <= 1; ++i) {
            for (std::int64_t j = -1; j <= 1; ++j) {
                for (std::int64_t k = -1; k <= 1; ++k) {
                    const auto [x, y, z] = key;
                    const auto at = places_.find({x + i, y + j, z + k});
                    if (at != places_.end() && norm(at->second.first - point) < near_) {
                        return at->second.second;
                    }
                }
            }
        }
        const auto number = static_cast<std::int32_t>(places_.size());
        places_.emplace(key, std::pair(point, number));
        return number;
    }

  private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    double near_;
    std::map<Key, std::pair<Vec3, std::int32_t>> places_;
};

double time_on_way(const Survey& picks, const Arrival& pick) {
    return pick.time - picks.event_of(pick).origin_time;
}

double length_of_way(const Survey& picks, const Arrival& pick) {
    return norm(picks.station_of(pick).position - picks.event_of(pick).position);
}

}  // namespace

RepeatedPaths reciprocal_pairs(const Survey& picks, double point_distance) {
    constexpr double one_place = 0.05;
    if (!(point_distance > 0)) return {};
    PlaceNumbers places(one_place * point_distance);
    std::vector<std::int32_t> of_event;
    std::vector<std::int32_t> of_station;
    for (const Event& event : picks.events) of_event.push_back(places.number_of(event.position));
    for (const Station& one : picks.stations) of_station.push_back(places.number_of(one.position));
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, double> times;
    for (const Arrival& pick : picks.arrivals) {
        times.try_emplace({of_event[static_cast<std::size_t>(pick.event)],
                           of_station[static_cast<std::size_t>(pick.station)], pick.phase},
                          time_on_way(picks, pick));
    }
    std::vector<double> differences;
    for (const auto& [path, time] : times) {
        const auto [from, to, phase] = path;
        if (from >= to) continue;
        const auto back = times.find({to, from, phase});
        if (back != times.end()) differences.push_back(std::abs(time - back->second));
    }
    return paths_of_differences(std::move(differences));
}

RepeatedPaths duplicates(const Survey& picks) {
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, double> first;
    std::vector<double> differences;
    for (const Arrival& pick : picks.arrivals) {
        const auto [at, fresh] =
            first.try_emplace({pick.event, pick.station, pick.phase}, pick.time);
        if (!fresh) differences.push_back(std::abs(pick.time - at->second));
    }
    return paths_of_differences(std::move(differences));
}

std::optional<std::string> say_reciprocals(const Survey& picks, const RepeatedPaths& found) {
    constexpr std::size_t least = 10;
    constexpr double far = 2;  // times the errors, or parts of them
    if (found.pairs < least || !picks.has_errors || !(found.error > 0)) return std::nullopt;
    std::vector<double> errors;
    for (const Arrival& pick : picks.arrivals) errors.push_back(pick.error);
    const double typical = upper_median(errors);
    const double ratio = found.error / typical;
    if (ratio < far && ratio > 1 / far) return std::nullopt;
    return fmt::format(
        "the picks' errors seem {:.2g} times too {}: {} paths that were picked both ways differ as "
        "picks of an error of {:.3g} would, and the errors are {:.3g} (median; `error={:.2g}` "
        "takes "
        "what the pairs say)",
        ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? "small" : "large", found.pairs, found.error,
        typical, found.error);
}

std::optional<std::string> say_duplicates(const RepeatedPaths& found) {
    if (found.pairs == 0) return std::nullopt;
    return fmt::format(
        "{} picks come again for the same source, receiver and phase (all of them count, their "
        "times differ by {:.3g} as a median: leave out those that are not wanted)",
        found.pairs, found.error * std::sqrt(2.0) / 1.4826);
}

std::optional<std::string> double_shots(const Survey& picks, double point_distance) {
    constexpr double one_place = 0.05;
    constexpr double many_errors = 5;
    constexpr double large_part = 0.1;
    constexpr std::size_t least = 4;
    constexpr std::size_t one_in = 3;
    constexpr std::size_t most_named = 3;
    if (!(point_distance > 0)) return std::nullopt;
    PlaceNumbers places(one_place * point_distance);
    struct AtOnePlace {
        std::vector<std::int32_t> events;
        std::map<std::pair<std::int32_t, Phase>, double> first;
        std::vector<double> differences;
    };
    std::map<std::int32_t, AtOnePlace> shots;
    std::vector<double> errors;
    std::vector<double> times;
    const ArrivalLists lists = by_event(picks);
    for (std::size_t e = 0; e < lists.size(); ++e) {
        if (lists[e].empty()) continue;
        AtOnePlace& place = shots[places.number_of(picks.events[e].position)];
        place.events.push_back(static_cast<std::int32_t>(e));
        for (const std::int32_t number : lists[e]) {
            const Arrival& pick = picks.arrivals[static_cast<std::size_t>(number)];
            const double time = time_on_way(picks, pick);
            const auto [at, fresh] = place.first.try_emplace({pick.station, pick.phase}, time);
            if (!fresh) place.differences.push_back(std::abs(time - at->second));
            errors.push_back(pick.error);
            times.push_back(time);
        }
    }
    if (times.empty()) return std::nullopt;
    const double large = picks.has_errors ? many_errors * upper_median(std::move(errors))
                                          : large_part * upper_median(std::move(times));
    std::vector<std::string> named;
    for (const auto& [number, place] : shots) {
        const std::size_t pairs = place.differences.size();
        if (pairs < least || one_in * pairs < place.first.size()) continue;
        const double difference = upper_median(place.differences);
        if (difference <= large) continue;
        std::string who;
        for (const std::int32_t e : place.events) {
            who += fmt::format("{}{}", who.empty() ? "" : " and ",
                               name_of(picks, picks.events[static_cast<std::size_t>(e)]));
        }
        named.push_back(fmt::format("{} ({} receivers, {:.3g})", who, pairs, difference));
    }
    if (named.empty()) return std::nullopt;
    const std::size_t others = named.size() - std::min(most_named, named.size());
    named.resize(named.size() - others);
    return fmt::format(
        "receivers have two times from one place of shots, far from each other: shot {}{} (does "
        "one shot have another's position, or a delay?)",
        fmt::join(named, ", "), others > 0 ? fmt::format(" and {} other places", others) : "");
}

std::optional<std::string> misplaced_shots(const Survey& picks, const SurveyShape& shape) {
    constexpr double far = 2;        // distances of the points
    constexpr double earlier = 0.7;  // of the time at the nearest receiver
    constexpr std::size_t least_picks = 6;
    constexpr std::size_t one_in = 5;
    std::string names;
    std::size_t count = 0;
    std::size_t shots = 0;
    for (const std::vector<std::int32_t>& list : by_event(picks)) {
        if (list.size() < least_picks) continue;
        ++shots;
        const auto pick_at = [&](std::int32_t n) -> const Arrival& {
            return picks.arrivals[static_cast<std::size_t>(n)];
        };
        const Arrival& nearest =
            pick_at(*std::min_element(list.begin(), list.end(), [&](auto a, auto b) {
                return length_of_way(picks, pick_at(a)) < length_of_way(picks, pick_at(b));
            }));
        const Arrival& first =
            pick_at(*std::min_element(list.begin(), list.end(), [&](auto a, auto b) {
                return time_on_way(picks, pick_at(a)) < time_on_way(picks, pick_at(b));
            }));
        const double off = length_of_way(picks, first) - length_of_way(picks, nearest);
        const bool is_first = time_on_way(picks, first) < earlier * time_on_way(picks, nearest);
        if (off < far * shape.point_distance || !is_first) continue;
        if (++count > 3) continue;
        names += fmt::format("{}{} ({:.3g} from its first arrival)", names.empty() ? "" : ", ",
                             name_of(picks, picks.event_of(first)), length_of_way(picks, first));
    }
    if (count == 0 || one_in * count > std::max(shots, one_in)) return std::nullopt;
    return fmt::format(
        "{} of {} shots {} not where {} first arrivals are: {} (is the position right? residuals "
        "of a misplaced shot are early on one side and late on the other)",
        count, shots, count == 1 ? "is" : "are", count == 1 ? "its" : "their", names);
}

std::optional<std::string> weak_geometry(const Survey& picks, const SurveyShape& shape) {
    std::vector<std::int32_t> events;
    std::vector<std::int32_t> stations;
    bool forth = false;
    bool back = false;
    for (const Arrival& pick : picks.arrivals) {
        events.push_back(pick.event);
        stations.push_back(pick.station);
        const double way = picks.station_of(pick).position.x - picks.event_of(pick).position.x;
        forth = forth || way > 0;
        back = back || way < 0;
    }
    const auto count = [](std::vector<std::int32_t>& all) {
        std::sort(all.begin(), all.end());
        return std::unique(all.begin(), all.end()) - all.begin();
    };
    const auto shots = count(events);
    const auto receivers = count(stations);
    const double wide = std::max(shape.high.x - shape.low.x, shape.high.y - shape.low.y);
    constexpr double thin = 1e-3;
    if (shape.is_2d && wide < thin * (shape.high.z - shape.low.z)) {
        return fmt::format(
            "all points lie on one vertical line, from {:.3g} to {:.3g} (this geometry cannot tell "
            "anything beside it; are distances and depths swapped?)",
            shape.low.z, shape.high.z);
    }
    if (shots == 1 || receivers <= 2) {
        const bool one_shot = shots == 1;
        return fmt::format(
            "all picks are of {} (this geometry cannot tell {}: any model is one of many; {} would "
            "tell)",
            one_shot ? "one shot"
                     : fmt::format("{} receiver{}", receivers, receivers == 1 ? "" : "s"),
            shape.along_surface ? "velocity from depth and dip" : "where on its rays velocity is",
            !shape.along_surface ? "rays that cross them"
            : one_shot           ? "shots from both ends"
                                 : "more receivers along the line");
    }
    if (shape.along_surface && shape.is_2d && forth != back) {
        return "all receivers lie on one side of their shots (this geometry cannot tell dip from "
               "velocity: shots from the other end would)";
    }
    return std::nullopt;
}

std::optional<std::string> impossible_velocities(const SurveyShape& shape) {
    constexpr double metres_per_s = 100;  // typical velocities beyond are in m/s
    constexpr double short_line = 3000;
    constexpr double no_rock = 8000;
    if (!shape.along_surface || shape.typical < metres_per_s || shape.longest > short_line ||
        shape.refractor < no_rock) {
        return std::nullopt;
    }
    return fmt::format(
        "picks far from their shots move at {:.0f} along the ground, faster than any rock in m/s "
        "(positions may be in feet, or times in other units than s)",
        shape.refractor);
}

std::vector<std::string> doubts_before(const Survey& picks, const SurveyShape& shape) {
    std::vector<std::string> said;
    const auto add = [&](std::optional<std::string> sentence) {
        if (sentence) said.push_back(std::move(*sentence));
    };
    add(say_reciprocals(picks, reciprocal_pairs(picks, shape.point_distance)));
    add(say_duplicates(duplicates(picks)));
    if (shape.along_surface || shape.is_2d) add(double_shots(picks, shape.point_distance));
    if (shape.along_surface) add(misplaced_shots(picks, shape));
    add(mirrored_relief(picks, shape));
    auto swapped = swapped_axes(picks, shape);
    add(swapped ? std::move(swapped) : weak_geometry(picks, shape));
    add(impossible_velocities(shape));
    return said;
}

}  // namespace fermat
