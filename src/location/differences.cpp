#include "location/differences.hpp"

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

/// Arrivals of an event by station and phase, the first of each.
using Heard = std::map<std::pair<std::int32_t, Phase>, std::int32_t>;

std::vector<Heard> heard_by(const Survey& survey) {
    std::vector<Heard> heard(survey.events.size());
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        heard[static_cast<std::size_t>(arrival.event)].try_emplace({arrival.station, arrival.phase},
                                                                   static_cast<std::int32_t>(n));
    }
    return heard;
}

std::size_t common(const Heard& a, const Heard& b) {
    std::size_t count = 0;
    for (const auto& [key, arrival] : a) count += b.count(key);
    return count;
}

double smallest_error(const Survey& survey) {
    double least = std::numeric_limits<double>::infinity();
    for (const Arrival& arrival : survey.arrivals) least = std::min(least, arrival.error);
    return survey.has_errors && std::isfinite(least) ? least : 0;
}

}  // namespace

void validate(const std::vector<TimeDifference>& differences, const Survey& survey) {
    const auto events = static_cast<std::int32_t>(survey.events.size());
    const auto stations = static_cast<std::int32_t>(survey.stations.size());
    for (const TimeDifference& one : differences) {
        if (std::min(one.first, one.second) < 0 || std::max(one.first, one.second) >= events ||
            one.station < 0 || one.station >= stations) {
            throw InputError(fmt::format(
                "a difference names the events {} and {} and the station {} (there are {} events "
                "and {} stations)",
                one.first, one.second, one.station, events, stations));
        }
        if (!std::isfinite(one.time) || !(one.weight >= 0) || std::isinf(one.weight)) {
            throw InputError(
                fmt::format("a difference is {} with the weight {} (must be finite, "
                            "the weight >= 0)",
                            one.time, one.weight));
        }
    }
}

std::vector<TimeDifference> catalogue_differences(const Survey& survey, const PairOptions& options,
                                                  Notes& notes) {
    validate_options(options);
    for (const Event& event : survey.events) {
        if (is_finite(event.position)) continue;
        throw InputError(fmt::format("event {} has no position (locate it before it is paired)",
                                     name_of(survey, event)));
    }
    const std::vector<Heard> heard = heard_by(survey);
    std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
    for (std::size_t a = 0; a < survey.events.size(); ++a) {
        std::vector<std::pair<double, std::int32_t>> near;
        for (std::size_t b = 0; b < survey.events.size(); ++b) {
            if (a == b) continue;
            const double apart = distance(survey.events[a].position, survey.events[b].position);
            if (apart <= options.separation) near.emplace_back(apart, static_cast<int>(b));
        }
        std::sort(near.begin(), near.end());
        int found = 0;
        for (const auto& [apart, b] : near) {
            if (found == options.neighbours) break;
            const auto other = static_cast<std::size_t>(b);
            if (common(heard[a], heard[other]) < static_cast<std::size_t>(options.least_shared)) {
                continue;
            }
            ++found;
            pairs[std::minmax(static_cast<std::int32_t>(a), b)] = apart;
        }
    }
    const double least = smallest_error(survey);
    std::vector<TimeDifference> out;
    std::vector<char> paired(survey.events.size(), 0);
    for (const auto& [pair, apart] : pairs) {
        const auto [first, second] = pair;
        const Heard& one = heard[static_cast<std::size_t>(first)];
        const Heard& two = heard[static_cast<std::size_t>(second)];
        const Vec3 middle = 0.5 * (survey.events[static_cast<std::size_t>(first)].position +
                                   survey.events[static_cast<std::size_t>(second)].position);
        std::vector<std::tuple<double, std::int32_t, std::int32_t>> links;
        for (const auto& [key, arrival] : one) {
            const auto same = two.find(key);
            if (same == two.end()) continue;
            const Vec3 at = survey.stations[static_cast<std::size_t>(key.first)].position;
            links.emplace_back(distance(at, middle), arrival, same->second);
        }
        std::sort(links.begin(), links.end());
        if (links.size() > static_cast<std::size_t>(options.most_shared)) {
            links.resize(static_cast<std::size_t>(options.most_shared));
        }
        paired[static_cast<std::size_t>(first)] = paired[static_cast<std::size_t>(second)] = 1;
        for (const auto& [far, n, m] : links) {
            const Arrival& a = survey.arrivals[static_cast<std::size_t>(n)];
            const Arrival& b = survey.arrivals[static_cast<std::size_t>(m)];
            const double travel_a = a.time - survey.event_of(a).origin_time;
            const double travel_b = b.time - survey.event_of(b).origin_time;
            const double weight =
                least > 0 ? std::sqrt(2.0) * least / std::hypot(a.error, b.error) : 1;
            out.push_back({first, second, a.station, a.phase, DifferenceKind::catalogue,
                           travel_a - travel_b, weight});
        }
    }
    const auto alone = std::count(paired.begin(), paired.end(), 0);
    const std::string lonely =
        alone == 0
            ? ""
            : fmt::format("; {} of {} events have no neighbour (`separation`, `least_shared`)",
                          alone, survey.events.size());
    notes.add(fmt::format("{} differences of {} pairs of events were made{}", out.size(),
                          pairs.size(), lonely));
    return out;
}

}  // namespace fermat
