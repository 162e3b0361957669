#include "survey/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"

namespace fermat {
namespace {

std::string name_or_number(const std::string& id, std::ptrdiff_t number) {
    return id.empty() ? std::to_string(number) : id;
}

template <class IndexOf>
ArrivalLists lists_of(const Survey& survey, std::size_t count, IndexOf index_of) {
    ArrivalLists lists(count);
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const auto of = static_cast<std::size_t>(index_of(survey.arrivals[n]));
        FERMAT_EXPECT(of < count);
        lists[of].push_back(static_cast<std::int32_t>(n));
    }
    return lists;
}

std::size_t filled(const std::vector<char>& used) {
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), 1));
}

}  // namespace

std::string name_of(const Survey& survey, const Event& event) {
    return name_or_number(event.id, &event - survey.events.data());
}

std::string name_of(const Survey& survey, const Station& station) {
    return name_or_number(station.id, &station - survey.stations.data());
}

std::vector<RayPair> all_pairs(std::size_t sources, std::size_t receivers) {
    std::vector<RayPair> pairs;
    pairs.reserve(sources * receivers);
    for (std::size_t s = 0; s < sources; ++s) {
        for (std::size_t r = 0; r < receivers; ++r) {
            pairs.push_back({static_cast<std::int32_t>(s), static_cast<std::int32_t>(r)});
        }
    }
    return pairs;
}

Survey survey_of(std::span<const PointSource> sources, std::span<const Vec3> receivers,
                 std::span<const RayPair> pairs) {
    Survey survey;
    survey.events.reserve(sources.size());
    survey.stations.reserve(receivers.size());
    survey.arrivals.reserve(pairs.size());
    for (const PointSource& source : sources) {
        survey.events.push_back({source.position, source.start_time});
    }
    for (const Vec3 receiver : receivers) survey.stations.push_back({receiver});
    for (const RayPair pair : pairs) survey.arrivals.push_back({pair.source, pair.receiver});
    return survey;
}

Survey survey_of(std::span<const PointSource> sources, std::span<const Vec3> receivers) {
    return survey_of(sources, receivers, all_pairs(sources.size(), receivers.size()));
}

Survey without_times(const Survey& survey) {
    Survey out = survey;
    out.has_errors = false;
    for (Arrival& arrival : out.arrivals) arrival.time = arrival.error = 0;
    return out;
}

void validate(const Survey& survey) {
    const std::size_t events = survey.events.size();
    const std::size_t stations = survey.stations.size();
    for (const Arrival& arrival : survey.arrivals) {
        const bool good = arrival.event >= 0 && static_cast<std::size_t>(arrival.event) < events &&
                          arrival.station >= 0 &&
                          static_cast<std::size_t>(arrival.station) < stations;
        if (!good) {
            throw InputError(fmt::format(
                "pair ({}, {}) names a source or receiver that is not there (there are {} and {})",
                arrival.event, arrival.station, events, stations));
        }
    }
}

ArrivalLists by_event(const Survey& survey) {
    return lists_of(survey, survey.events.size(), [](const Arrival& a) { return a.event; });
}

ArrivalLists by_station(const Survey& survey) {
    return lists_of(survey, survey.stations.size(), [](const Arrival& a) { return a.station; });
}

std::vector<std::int32_t> sorted_by_event(const Survey& survey) {
    std::vector<std::int32_t> numbers(survey.arrivals.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto event = [&](std::int32_t n) {
        return survey.arrivals[static_cast<std::size_t>(n)].event;
    };
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](std::int32_t a, std::int32_t b) { return event(a) < event(b); });
    return numbers;
}

std::vector<Phase> phases_of(const Survey& survey) {
    std::vector<Phase> phases;
    for (const auto& [name, phase] : choices<Phase>.entries) {
        const auto has_phase = [&, wanted = phase](const Arrival& a) { return a.phase == wanted; };
        if (std::any_of(survey.arrivals.begin(), survey.arrivals.end(), has_phase)) {
            phases.push_back(phase);
        }
    }
    return phases;
}

std::vector<std::int32_t> arrivals_of(const Survey& survey, Phase phase) {
    std::vector<std::int32_t> numbers;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        if (survey.arrivals[n].phase == phase) numbers.push_back(static_cast<std::int32_t>(n));
    }
    return numbers;
}

std::vector<std::int32_t> ray_order(const Survey& survey) {
    std::vector<std::int32_t> numbers = sorted_by_event(survey);
    const auto phase = [&](std::int32_t n) {
        return survey.arrivals[static_cast<std::size_t>(n)].phase;
    };
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](std::int32_t a, std::int32_t b) { return phase(a) < phase(b); });
    return numbers;
}

void require_phases(const Medium& medium, const Survey& survey) {
    if (phases_of(survey).size() <= medium.phases().size()) return;
    throw InputError(fmt::format(
        "{} of {} arrivals are of phase S and the medium has one velocity (give S velocities or "
        "Vp/Vs too, or leave out one of the phases)",
        arrivals_of(survey, Phase::S).size(), survey.arrivals.size()));
}

Listeners listeners_of(const Survey& survey, std::span<const std::int32_t> arrivals) {
    Listeners out;
    out.positions.reserve(arrivals.size());
    out.stations.reserve(arrivals.size());
    for (const std::int32_t n : arrivals) {
        FERMAT_EXPECT(static_cast<std::size_t>(n) < survey.arrivals.size());
        const Arrival& arrival = survey.arrivals[static_cast<std::size_t>(n)];
        out.positions.push_back(survey.station_of(arrival).position);
        out.stations.push_back(arrival.station);
    }
    return out;
}

Survey exchanged(const Survey& survey) {
    Survey out;
    out.has_errors = survey.has_errors;
    out.is_2d = survey.is_2d;
    out.events.reserve(survey.stations.size());
    out.stations.reserve(survey.events.size());
    for (const Station& station : survey.stations) {
        out.events.push_back({station.position, 0, station.id});
    }
    for (const Event& event : survey.events) out.stations.push_back({event.position, event.id});
    out.arrivals = survey.arrivals;
    for (Arrival& arrival : out.arrivals) {
        arrival.time -= survey.event_of(arrival).origin_time;
        const std::int32_t event = arrival.event;
        arrival.event = std::int32_t{arrival.station};
        arrival.station = event;
    }
    return out;
}

Survey subset(const Survey& survey, std::span<const std::int32_t> arrivals) {
    Survey out{survey.events,     survey.stations, {},
               survey.has_errors, survey.is_2d,    survey.differences};
    out.arrivals.reserve(arrivals.size());
    for (const std::int32_t n : arrivals) {
        FERMAT_EXPECT(static_cast<std::size_t>(n) < survey.arrivals.size());
        out.arrivals.push_back(survey.arrivals[static_cast<std::size_t>(n)]);
    }
    return out;
}

Survey compact(const Survey& survey, std::span<const std::int32_t> arrivals) {
    Survey out = subset(survey, arrivals);
    const auto keep_named = [&](auto& points, auto Arrival::*index) {
        std::vector<std::int32_t> number(points.size(), -1);  // now, of those before
        std::remove_reference_t<decltype(points)> named;
        for (Arrival& arrival : out.arrivals) {
            const auto before = static_cast<std::size_t>(arrival.*index);
            std::int32_t& now = number[before];
            if (now < 0) {
                now = static_cast<std::int32_t>(named.size());
                named.push_back(points[before]);
            }
            arrival.*index = now;
        }
        points = std::move(named);
        return number;
    };
    const auto event = keep_named(out.events, &Arrival::event);
    const auto station = keep_named(out.stations, &Arrival::station);
    for (TimeDifference& one : out.differences) {
        one.first = event[static_cast<std::size_t>(one.first)];
        one.second = event[static_cast<std::size_t>(one.second)];
        one.station = station[static_cast<std::size_t>(one.station)];
    }
    std::erase_if(out.differences, [](const TimeDifference& one) {
        return one.first < 0 || one.second < 0 || one.station < 0;
    });
    return out;
}

UsedPoints used_points(const Survey& survey) {
    std::vector<char> events(survey.events.size(), 0);
    std::vector<char> stations(survey.stations.size(), 0);
    for (const Arrival& arrival : survey.arrivals) {
        events[static_cast<std::size_t>(arrival.event)] = 1;
        stations[static_cast<std::size_t>(arrival.station)] = 1;
    }
    return {filled(events), filled(stations)};
}

}  // namespace fermat
