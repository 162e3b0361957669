#include "io/written_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "io/date_parts.hpp"
#include "io/phase_rows.hpp"
#include "io/shown.hpp"
#include "io/text.hpp"
#include "location/locate_phases.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// The code of a station behind that of its network: "NJQ" of "CI.NJQ" or "CI_NJQ".
std::string without_network(const std::string& name) {
    const std::size_t mark = name.find_first_of("._");
    return mark == std::string::npos || mark + 1 == name.size() ? name : name.substr(mark + 1);
}

/// Names as a format can hold them; two stations of one name are refused.
class StationNames {
  public:
    StationNames(std::string file, const FormatNeeds& needs)
        : file_(std::move(file)), needs_(needs) {}

    std::string add(const std::string& name) {
        std::string kept = name;
        const std::size_t most = needs_.name_letters;
        if (most > 0 && kept.size() > most) {
            kept = without_network(kept);
            if (kept.size() > most) kept.resize(most);
            ++shortened_;
            example_ = fmt::format("{} became {}", in_quotes(name), in_quotes(kept));
        }
        if (needs_.words && kept.find_first_of(" \t") != std::string::npos) {
            throw InputError(
                fmt::format("station {} has a blank in its name, which {} cannot hold (rename it)",
                            in_quotes(name), needs_.shown));
        }
        const auto [at, is_new] = seen_.emplace(kept, name);
        if (!is_new) {
            throw InputError(fmt::format(
                "{}: stations {} and {} would both be {} ({} holds {} letters; rename them, or "
                "write another format)",
                file_, in_quotes(at->second), in_quotes(name), in_quotes(kept), needs_.shown,
                most));
        }
        return kept;
    }
    void tell(std::size_t count, Notes& notes) const {
        if (shortened_ == 0) return;
        notes.add(fmt::format("{}: the names of {} of {} stations are shortened to {} letters ({})",
                              file_, shortened_, count, needs_.name_letters, example_));
    }

  private:
    std::string file_;
    const FormatNeeds& needs_;
    std::map<std::string, std::string> seen_;
    std::size_t shortened_ = 0;
    std::string example_;
};

/// Counts what is left out, with the reason.
void tell(const std::string& file, std::size_t left, std::size_t all, const char* what,
          std::string_view why, Notes& notes) {
    if (left == 0) return;
    notes.add(fmt::format("{}: {} of {} {} are left out: {}", file, left, all, what, why));
}

void require_frame(const fs::path& path, const WrittenPicks& picks, const FormatNeeds& needs) {
    const SurveyFile& file = picks.file;
    if (file.picks.is_2d) {
        throw InputError(fmt::format("{} cannot be written: {} is 3-D and the picks are 2-D",
                                     quoted(path), needs.shown));
    }
    if (!needs.geographic || file.plane) return;
    if (!file.projection.empty()) {
        throw InputError(fmt::format(
            "the plane of the picks, '{}', is one of PROJ, which the Python package knows "
            "(fermat.picks(FILE).save(...))",
            file.projection));
    }
    throw InputError(fmt::format(
        "{} cannot be written: {} has longitudes and latitudes, and the picks have x and y without "
        "a plane (put the line '# local plane: longitude=LON latitude=LAT metres=1000' of x = y = "
        "0 before the header of their table)",
        quoted(path), needs.shown));
}

/// Whether the origin time is that of the first pick, which stands for one that is not known.
bool is_untimed(const Survey& survey, const Event& event, const std::vector<std::int32_t>& picks) {
    double first = std::numeric_limits<double>::infinity();
    for (const std::int32_t pick : picks) {
        first = std::min(first, survey.arrivals[static_cast<std::size_t>(pick)].time);
    }
    return first == event.origin_time;
}

/// Refuses dates that a format does not have; seconds that are no dates are told.
void check_dates(const fs::path& path, const WrittenCatalogue& out, const FormatNeeds& needs,
                 Notes& notes) {
    if (!needs.dates) return;
    std::size_t dated = 0;
    for (const WrittenEvent& event : out.events) {
        if (!event.has_origin && event.picks.empty()) continue;
        const double time = event.has_origin ? event.origin : out.arrival(event.picks.front()).time;
        if (!has_date(time)) {
            throw InputError(fmt::format("event {} has the time {:g} s, which is no date",
                                         in_quotes(event.id), time));
        }
        const int year = date_parts(time, 2).year;
        constexpr double one_year = 31536000;
        dated += std::abs(time) >= one_year;
        if (needs.short_years && (year < 1970 || year > 2069)) {
            throw InputError(fmt::format(
                "event {} is of the year {}, and {} has years of two digits, from 1970 to 2069 "
                "(write another format)",
                in_quotes(event.id), year, needs.shown));
        }
    }
    if (dated == 0 && !out.events.empty()) {
        notes.add(fmt::format(
            "{}: the times of the picks are no dates; they are written as seconds after "
            "1970-01-01T00:00:00",
            quoted(path)));
    }
}

std::vector<WrittenStation> stations_of(const fs::path& path, const WrittenPicks& picks,
                                        const FormatNeeds& needs, Notes& notes) {
    const Survey& survey = picks.file.picks;
    const LocalPlane* plane = picks.file.plane ? &*picks.file.plane : nullptr;
    const double km = plane == nullptr ? 1 : plane->metres / 1000;
    StationNames names(quoted(path), needs);
    std::vector<WrittenStation> out;
    for (const Station& station : survey.stations) {
        const Vec3 p = station.position;
        out.push_back({names.add(name_of(survey, station)), p,
                       plane == nullptr ? GeoPoint{} : plane->to_geographic({p.x, p.y}),
                       0.0 - p.z * km});
    }
    names.tell(survey.stations.size(), notes);
    return out;
}

/// Sorts events and picks out that the format cannot hold.
void add_events(const fs::path& path, const WrittenPicks& picks, const FormatNeeds& needs,
                WrittenCatalogue& out, Notes& notes) {
    const Survey& survey = out.survey;
    const ArrivalLists lists = by_event(survey);
    const double km = out.plane == nullptr ? 1 : out.plane->metres / 1000;
    std::size_t nowhere = 0, untimed = 0, empty = 0, early = 0, gross = 0, later = 0;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const Event& event = survey.events[n];
        WrittenEvent one{name_of(survey, event), n};
        one.found = out.found != nullptr && is_located(out.found->events[n].status)
                        ? &out.found->events[n]
                        : nullptr;
        one.has_place = is_finite(event.position);
        one.has_origin =
            one.has_place && (one.found != nullptr || !is_untimed(survey, event, lists[n]));
        if (lists[n].empty() && !needs.lone_events) {
            ++empty;
            continue;
        }
        if (needs.origins && !one.has_origin) {
            ++(one.has_place ? untimed : nowhere);
            continue;
        }
        for (const std::int32_t pick : lists[n]) {
            const auto i = static_cast<std::size_t>(pick);
            constexpr double least = 0.5;  // as relocated() has it
            if (!needs.later_phases && !may_come_first(out.phase(pick))) {
                ++later;
            } else if (!needs.gross_picks && one.found != nullptr &&
                       out.found->fits[i].weight < least) {
                ++gross;
            } else if (needs.origins && survey.arrivals[i].time < event.origin_time) {
                ++early;
            } else {
                one.picks.push_back(pick);
            }
        }
        if (one.picks.empty() && !needs.lone_events) {
            ++empty;
            continue;
        }
        if (one.has_place && out.plane != nullptr) {
            one.at = out.plane->to_geographic({event.position.x, event.position.y});
        }
        one.depth = event.position.z * km;
        one.origin = event.origin_time;
        one.magnitude = n < picks.magnitudes.size() ? picks.magnitudes[n] : not_known;
        out.events.push_back(std::move(one));
    }
    const std::string file = quoted(path);
    const std::size_t events = survey.events.size();
    tell(file, nowhere, events, "events", "they have no place (locate them)", notes);
    tell(file, untimed, events, "events",
         "they have a place and no origin time (locate them with `fixed=place`)", notes);
    tell(file, empty, events, "events", "they have no picks", notes);
    tell(file, early, survey.arrivals.size(), "picks", "they are before their event", notes);
    tell(file, gross, survey.arrivals.size(), "picks", "the location calls them gross", notes);
    tell(file, later, survey.arrivals.size(), "picks",
         "they are of later phases, which the format does not hold", notes);
    if (out.events.empty()) {
        throw InputError(fmt::format("none of {} events can be written to {} ({})", events, file,
                                     nowhere > 0   ? "they have no place: locate them first"
                                     : untimed > 0 ? "they have no origin time: locate them first"
                                                   : "they have no picks"));
    }
}

}  // namespace

WrittenCatalogue prepared(const fs::path& path, const WrittenPicks& picks, const FormatNeeds& needs,
                          Notes& notes) {
    require_frame(path, picks, needs);
    WrittenCatalogue out{picks.file.picks, picks.file.plane ? &*picks.file.plane : nullptr,
                         picks.found};
    out.polarities = picks.file.polarities;
    out.phases = picks.file.phases;
    out.stations = stations_of(path, picks, needs, notes);
    add_events(path, picks, needs, out, notes);
    check_dates(path, out, needs, notes);
    std::size_t unnamed = 0;
    for (std::size_t n = 0; n < out.events.size(); ++n) {
        unnamed += out.events[n].id != fmt::format("{}", n + 1);
    }
    if (!needs.names_events && unnamed > 0) {
        notes.add(fmt::format("{}: the names of {} events are not kept ({} numbers them)",
                              quoted(path), unnamed, needs.shown));
    }
    if (!picks.file.points.empty()) {
        notes.add(fmt::format("{}: {} points of the ground are not kept", quoted(path),
                              picks.file.points.size()));
    }
    return out;
}

void note_lost_polarities(const fs::path& path, const WrittenCatalogue& out, Notes& notes) {
    const auto known = std::count_if(out.polarities.begin(), out.polarities.end(),
                                     [](Polarity one) { return one != 0; });
    if (known == 0) return;
    notes.add(fmt::format("{}: {} first motions are not kept (QuakeML, .obs and .csv hold them)",
                          quoted(path), known));
}

double shown_magnitude(const WrittenEvent& event) {
    return std::isfinite(event.magnitude) ? event.magnitude : 0.0;
}

void note_losses(const fs::path& path, const WrittenCatalogue& out, bool errors, Notes& notes) {
    const auto open = std::count_if(out.events.begin(), out.events.end(), [](const auto& event) {
        return !std::isfinite(event.magnitude);
    });
    if (open > 0) {
        notes.add(
            fmt::format("{}: the magnitudes of {} of {} events are not known and written as 0",
                        quoted(path), open, out.events.size()));
    }
    if (!errors && out.survey.has_errors) {
        notes.add(fmt::format("{}: the errors of {} picks are not kept", quoted(path),
                              out.survey.arrivals.size()));
    }
}

}  // namespace fermat
