#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/id.hpp"
#include "core/vec3.hpp"
#include "model/medium.hpp"
#include "model/phase.hpp"
#include "survey/point_source.hpp"

namespace fermat {

/// What is known of an event beforehand, and kept where events move: a quarry's place, a shot's
/// time.
struct KnownParts {
    bool place = false;
    bool time = false;

    bool any() const { return place || time; }
    friend bool operator==(const KnownParts&, const KnownParts&) = default;
};

/// A shot or an earthquake.
struct Event {
    Vec3 position;
    double origin_time = 0;
    std::string id{};  ///< empty if it has only its number
    KnownParts known{};

    PointSource source() const { return {position, origin_time}; }
    friend bool operator==(const Event&, const Event&) = default;
};

/// A receiver.
struct Station {
    Vec3 position;
    std::string id{};  ///< empty if it has only its number

    friend bool operator==(const Station&, const Station&) = default;
};

using EventId = Id<Event>;      ///< index into Survey::events
using StationId = Id<Station>;  ///< index into Survey::stations

/// One wave from one event at one station: a pick, or a ray that is wanted.
struct Arrival {
    EventId event;
    StationId station;
    double time = 0;   ///< on the clock of Event::origin_time; 0 where none was picked
    double error = 0;  ///< standard deviation; 0 where not given
    Phase phase = Phase::P;

    friend bool operator==(const Arrival&, const Arrival&) = default;
};

/// Where the difference of two times of travel comes from.
enum class DifferenceKind : std::uint8_t { catalogue, correlation };
template <>
inline constexpr auto choices<DifferenceKind> = choice_table<DifferenceKind>(
    "kind of difference",
    {{"catalogue", DifferenceKind::catalogue}, {"correlation", DifferenceKind::correlation}});
inline constexpr std::size_t kind_count = choices<DifferenceKind>.entries.size();

/// By how much longer a wave travels from one event to a station than from another.
struct TimeDifference {
    EventId first;
    EventId second;
    StationId station;
    Phase phase = Phase::P;
    DifferenceKind kind = DifferenceKind::catalogue;
    double time = 0;  ///< travel time of the first - that of the second
    double weight = 1;

    friend bool operator==(const TimeDifference&, const TimeDifference&) = default;
};

/// Who shot, who listened, and what arrived. An event or station is its index, and in files its id:
/// two shots at one place are two events.
struct Survey {
    std::vector<Event> events;
    std::vector<Station> stations;
    std::vector<Arrival> arrivals;
    bool has_errors = false;
    bool is_2d = false;  ///< the file had no y columns
    /// Measured beside the arrivals, where events move: of arrivals that may not be among them.
    std::vector<TimeDifference> differences{};

    const Event& event_of(const Arrival& arrival) const {
        return events[static_cast<std::size_t>(arrival.event)];
    }
    const Station& station_of(const Arrival& arrival) const {
        return stations[static_cast<std::size_t>(arrival.station)];
    }
    friend bool operator==(const Survey&, const Survey&) = default;
};

/// The name of an event or station in messages: its id, or its number.
std::string name_of(const Survey& survey, const Event& event);
std::string name_of(const Survey& survey, const Station& station);

/// A source and a receiver, as events and stations of a survey or as two lists of points.
struct RayPair {
    EventId source;
    StationId receiver;

    /// Receivers shoot and sources listen.
    RayPair turned() const { return {std::int32_t{receiver}, std::int32_t{source}}; }
};

/// Pairs of every source with every receiver, grouped by source.
std::vector<RayPair> all_pairs(std::size_t sources, std::size_t receivers);

/// A survey without times: one arrival per pair, in the order of the pairs.
Survey survey_of(std::span<const PointSource> sources, std::span<const Vec3> receivers,
                 std::span<const RayPair> pairs);
/// Every source with every receiver, grouped by source.
Survey survey_of(std::span<const PointSource> sources, std::span<const Vec3> receivers);

/// The survey without picked times and errors, as a geometry for synthetic picks.
Survey without_times(const Survey& survey);

/// Throws InputError where an arrival names an event or station that is not there.
void validate(const Survey& survey);

/// Numbers of arrivals, one list per event or station; each list is in the order of the arrivals.
using ArrivalLists = std::vector<std::vector<std::int32_t>>;
ArrivalLists by_event(const Survey& survey);
ArrivalLists by_station(const Survey& survey);

/// Numbers of all arrivals, sorted by event; those of one event keep their order.
std::vector<std::int32_t> sorted_by_event(const Survey& survey);

/// The phases that have arrivals, P first.
std::vector<Phase> phases_of(const Survey& survey);
/// Numbers of the arrivals of a phase, in their order.
std::vector<std::int32_t> arrivals_of(const Survey& survey, Phase phase);
/// Numbers of all arrivals in the order in which rays are traced: phase after phase, and within a
/// phase sorted by event.
std::vector<std::int32_t> ray_order(const Survey& survey);
/// Throws InputError if the survey has two phases and the medium one velocity.
void require_phases(const Medium& medium, const Survey& survey);

/// Positions of the stations of some arrivals, and the numbers of these stations.
struct Listeners {
    std::vector<Vec3> positions;
    std::vector<std::int32_t> stations;
};
Listeners listeners_of(const Survey& survey, std::span<const std::int32_t> arrivals);

/// The survey turned round: stations shoot and events listen. First arrivals are reciprocal. The
/// arrivals keep their order, and their times count from the new events' origin times of 0.
Survey exchanged(const Survey& survey);

/// Some arrivals of a survey, in the order given. All events, stations and differences stay.
Survey subset(const Survey& survey, std::span<const std::int32_t> arrivals);

/// Some arrivals of a survey, in the order given, with only the events and stations that they name,
/// in the order of their first arrival, and the differences of these.
Survey compact(const Survey& survey, std::span<const std::int32_t> arrivals);

/// How many events and stations have arrivals.
struct UsedPoints {
    std::size_t events = 0;
    std::size_t stations = 0;
};
UsedPoints used_points(const Survey& survey);

}  // namespace fermat
