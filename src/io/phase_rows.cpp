#include "io/phase_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "io/text.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<Phase> known_phase(std::string_view name) {
    try {
        return phase_of_name(name);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// The wave that arrives as a later phase: that of the last P or S of its name. Nothing if it has
/// other letters than those of phases.
std::optional<Phase> wave_of_later(std::string_view name) {
    constexpr std::string_view letters = "PSpsgnbmcK0123456789";
    if (name.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
    const std::size_t last = name.find_last_of("PSps");
    if (last == std::string_view::npos) return std::nullopt;
    return name[last] == 'P' || name[last] == 'p' ? Phase::P : Phase::S;
}

/// Names of phases in capitals, as some catalogues have them, in the usual letters.
std::string usual_name(std::string_view text) {
    std::string name(trim(text));
    for (std::size_t n = 1; n < name.size(); ++n) {
        if (name[n] == 'G' || name[n] == 'N' || name[n] == 'B' || name[n] == 'M') {
            name[n] = static_cast<char>(name[n] - 'A' + 'a');
        }
    }
    return name;
}

/// Starts the keys of points without an id, which no file can hold.
constexpr char no_id = '\x01';

std::string key_of(const std::string& id, Vec3 place) {
    // -0 and 0 are the same place.
    return id.empty()
               ? fmt::format("{}{} {} {}", no_id, place.x + 0.0, place.y + 0.0, place.z + 0.0)
               : id;
}

void require_same(const char* what, const std::string& id, Vec3 before, Vec3 now) {
    if (before == now) return;
    throw InputError(
        fmt::format("{} {} is at ({:g}, {:g}, {:g}) and at ({:g}, {:g}, {:g}) (an id must have "
                    "one position)",
                    what, in_quotes(id), before.x, before.y, before.z, now.x, now.y, now.z));
}

/// Points that had no id get none.
template <class Points>
void forget_keys(Points& points) {
    for (auto& point : points) {
        if (point.id.starts_with(no_id)) point.id.clear();
    }
}

}  // namespace

void LeftOut::tell(const std::string& file, std::size_t rows, Notes& notes,
                   std::string_view what) const {
    if (count_ == 0) return;
    std::string list;
    std::size_t shown = 0;
    for (const std::string& name : names_) {
        if (name.empty()) continue;
        if (++shown > 5) break;
        list += (shown == 1 ? " (" : ", ") + in_quotes(name);
    }
    if (shown > 0) list += shown > 5 ? fmt::format(" and {} more)", names_.size() - 5) : ")";
    notes.add(
        fmt::format("{}: {} of {} {} are left out: {}{}", file, count_, rows, what, why_, list));
}

void PhaseRows::set_stations(const PlaceTable& stations) {
    for (const NamedPlace& row : stations.rows) stations_.emplace(row.id, row.place);
}

void PhaseRows::set_events(const PlaceTable& events) {
    for (const NamedPlace& row : events.rows) events_.emplace(row.id, row);
}

std::string PhaseRows::place_station(const std::string& id, Vec3 place) {
    const std::string key = key_of(id, place);
    const auto [entry, added] = stations_.emplace(key, place);
    if (!added) require_same("station", id, entry->second, place);
    return key;
}

std::string PhaseRows::place_event(const std::string& id, Vec3 place) {
    const std::string key = key_of(id, place);
    const auto [entry, added] = events_.emplace(key, NamedPlace{key, place});
    if (!added) require_same("event", id, entry->second.place, place);
    return key;
}

void PhaseRows::add(const std::string& event, const std::string& station, std::string_view phase,
                    double time, double error, std::string where, Polarity polarity) {
    ++rows_;
    auto wave = known_phase(phase);
    std::string name = later_ ? usual_name(phase) : std::string();
    if (later_ && !wave) wave = wave_of_later(name);
    if (!wave) {
        (trim(phase).empty() ? phaseless_ : other_phase_).add(phase);
        return;
    }
    const auto place = stations_.find(station);
    if (place == stations_.end()) {
        nowhere_.add(station);
        return;
    }
    try {
        // Places that are not known cannot be compared: events are told apart by their ids.
        const std::int32_t e = builder_.event(Vec3{}, event);
        if (static_cast<std::size_t>(e) == event_ids_.size()) event_ids_.push_back(event);
        const std::int32_t s = builder_.station(place->second, station);
        if (!seen_.emplace(e, s, later_ ? name : std::string(name_of(*wave))).second) {
            repeated_.add("");
            return;
        }
        builder_.add({e, s, time, error, *wave});
        where_.push_back(std::move(where));
        polarities_.push_back(polarity);
        if (later_) phases_.push_back(std::move(name));
    } catch (const InputError& wrong) {
        const std::string what = wrong.what();
        throw InputError(what.starts_with(where) ? what : where + what);
    }
}

SurveyFile PhaseRows::finish(bool has_errors, bool is_2d, Notes& notes) {
    for (const LeftOut* left : {&phaseless_, &other_phase_, &nowhere_, &repeated_, &unwanted_}) {
        left->tell(file_, rows_, notes);
    }
    SurveyFile out;
    out.picks = builder_.take(has_errors, is_2d);
    out.phases = std::move(phases_);
    if (std::any_of(polarities_.begin(), polarities_.end(), [](Polarity p) { return p != 0; })) {
        out.polarities = std::move(polarities_);
    }
    Survey& survey = out.picks;
    if (survey.arrivals.empty()) {
        throw InputError(fmt::format("{} has no pick that can be used", file_));
    }
    std::vector<double> first(survey.events.size(), std::numeric_limits<double>::infinity());
    for (const Arrival& arrival : survey.arrivals) {
        double& time = first[static_cast<std::size_t>(arrival.event)];
        time = std::min(time, arrival.time);
    }
    std::size_t late = 0;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        Event& event = survey.events[n];
        const auto known = events_.find(event_ids_[n]);
        const bool is_known = known != events_.end();
        event.position = is_known ? known->second.place : Vec3{unknown, unknown, unknown};
        // A pick before its event is an error of one of both, which locating finds out.
        const bool timed = is_known && known->second.time <= first[n];
        event.origin_time = timed ? known->second.time : first[n];
        late += is_known && known->second.time > first[n];
        out.magnitudes.push_back(is_known ? known->second.magnitude : unknown);
    }
    if (late > 0) {
        notes.add(fmt::format(
            "{}: {} of {} events have picks before their origin time, which is taken to be that of "
            "the first pick (locating finds it anew; one of both is wrong)",
            file_, late, survey.events.size()));
    }
    forget_keys(survey.events);
    forget_keys(survey.stations);
    settle_times(
        survey, file_, [&](std::size_t n) { return where_[n]; }, notes);
    return out;
}

}  // namespace fermat
