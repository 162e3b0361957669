// Catalogues whose lines are words: NonLinLoc, hypoDD, TomoATT and LOTOS.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "io/date_parts.hpp"
#include "io/shown.hpp"
#include "io/text.hpp"
#include "io/written_catalogue.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

FormatNeeds word_needs(std::string_view shown, std::size_t letters) {
    FormatNeeds needs;
    needs.shown = shown;
    needs.name_letters = letters;
    needs.words = true;
    return needs;
}

/// The error of a pick, and the best one where it has none.
double error_of(const WrittenCatalogue& out, std::int32_t pick) {
    const double error = out.arrival(pick).error;
    return out.survey.has_errors && error > 0 ? error : best_error;
}

void note_no_errors(const fs::path& path, const WrittenCatalogue& out, Notes& notes) {
    if (out.survey.has_errors) return;
    notes.add(fmt::format("'{}': {} picks have no errors and get {} s", path.string(),
                          out.survey.arrivals.size(), best_error));
}

/// A name without blanks.
std::string as_word(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '_');
    std::replace(name.begin(), name.end(), '\t', '_');
    return name;
}

/// Ids of hypoDD are numbers; where one is not, all are numbered from 1.
bool are_numbers(const std::vector<WrittenEvent>& events) {
    std::set<std::int64_t> seen;
    constexpr std::int64_t most = 999999999;  // as hypoDD prints them
    return std::all_of(events.begin(), events.end(), [&](const WrittenEvent& event) {
        const auto number = parse_integer(event.id);
        return number && *number >= 0 && *number <= most && seen.insert(*number).second;
    });
}

}  // namespace

CatalogueTexts nonlinloc_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    FormatNeeds needs = word_needs("NonLinLoc", 63);
    needs.geographic = needs.origins = false;
    needs.names_events = needs.later_phases = true;
    const WrittenCatalogue out = prepared(path, picks, needs, notes);
    note_no_errors(path, out, notes);
    const auto placed = std::count_if(out.events.begin(), out.events.end(),
                                      [](const auto& event) { return event.has_place; });
    notes.add(fmt::format(
        "'{}': times are held to 0.0001 s and errors to three digits{}", path.string(),
        placed > 0 ? fmt::format("; the places and origin times of {} events are not kept", placed)
                   : ""));
    CatalogueTexts texts;
    for (const WrittenEvent& event : out.events) {
        texts.picks += fmt::format("# PUBLIC_ID {}\n", as_word(event.id));
        for (const std::int32_t pick : event.picks) {
            const DateParts at = date_parts(out.arrival(pick).time, 4);
            texts.picks += fmt::format(
                "{:<6} ?    ?    ? {:<6} {} {:04}{:02}{:02} {:02}{:02} {:9.4f} GAU {:9.2e} "
                "-1.00e+00 -1.00e+00 -1.00e+00\n",
                out.station_of(pick).name, out.phase(pick), motion_letter(out.polarity(pick)),
                at.year, at.month, at.day, at.hour, at.minute, at.second, error_of(out, pick));
        }
        texts.picks += '\n';
    }
    for (const WrittenStation& station : out.stations) {
        texts.stations +=
            out.plane != nullptr
                ? fmt::format("GTSRCE {} LATLON {:.7f} {:.7f} 0.0 {:.4f}\n", station.name,
                              station.at.latitude, station.at.longitude, station.height)
                : fmt::format("GTSRCE {} XYZ {} {} {} 0.0\n", station.name, station.place.x,
                              station.place.y, station.place.z);
    }
    return texts;
}

CatalogueTexts hypodd_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    FormatNeeds needs = word_needs("hypoDD", 7);
    needs.names_events = true;
    const WrittenCatalogue out = prepared(path, picks, needs, notes);
    note_losses(path, out, true, notes);
    note_lost_polarities(path, out, notes);
    note_no_errors(path, out, notes);
    const bool numbers = are_numbers(out.events);
    if (!numbers) {
        notes.add(fmt::format(
            "'{}': hypoDD's events are numbers: {} names are not kept and become numbers from 1",
            path.string(), out.events.size()));
    }
    CatalogueTexts texts;
    std::size_t heavy = 0;
    for (std::size_t n = 0; n < out.events.size(); ++n) {
        const WrittenEvent& event = out.events[n];
        const DateParts at = date_parts(event.origin, 3);
        double across = 0, down = 0, rms = 0;
        if (event.found != nullptr) {
            const Matrix3& c = event.found->covariance;
            const double km = out.plane->metres / 1000;
            across = km * std::sqrt(or_zero(std::max(c[0][0], c[1][1])));
            down = km * std::sqrt(or_zero(c[2][2]));
            rms = or_zero(event.found->rms);
        }
        texts.picks += fmt::format(
            "# {:4} {:2} {:2} {:2} {:2} {:6.3f} {:10.6f} {:11.6f} {:9.4f} {:5.2f} {:.3f} {:.3f} "
            "{:.4f} {:>9}\n",
            at.year, at.month, at.day, at.hour, at.minute, at.second, event.at.latitude,
            event.at.longitude, event.depth, shown_magnitude(event), across, down, rms,
            numbers ? event.id : fmt::format("{}", n + 1));
        for (const std::int32_t pick : event.picks) {
            const double weight = best_error / error_of(out, pick);
            heavy += weight > 1.000001;
            texts.picks +=
                fmt::format("{:<7} {:11.6f} {:8.6f} {}\n", out.station_of(pick).name,
                            out.travel_time(pick), weight, name_of(out.arrival(pick).phase));
        }
    }
    if (out.survey.has_errors) {
        notes.add(fmt::format(
            "'{}': errors became weights of 0.05 s / error{}", path.string(),
            heavy > 0 ? fmt::format("; {} are larger than 1, which ph2dt has for the best", heavy)
                      : ""));
    }
    for (const WrittenStation& station : out.stations) {
        texts.stations +=
            fmt::format("{:<7} {:10.6f} {:11.6f} {:8.1f}\n", station.name, station.at.latitude,
                        station.at.longitude, 1000 * station.height);
    }
    return texts;
}

CatalogueTexts src_rec_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    FormatNeeds needs = word_needs("TomoATT", 0);
    needs.names_events = true;
    const WrittenCatalogue out = prepared(path, picks, needs, notes);
    note_losses(path, out, false, notes);
    note_lost_polarities(path, out, notes);
    CatalogueTexts texts;
    std::set<std::string> names;
    for (std::size_t n = 0; n < out.events.size(); ++n) {
        const WrittenEvent& event = out.events[n];
        const DateParts at = date_parts(event.origin, 4);
        const std::string name = as_word(event.id);
        if (!names.insert(name).second) {
            throw InputError(
                fmt::format("two events would be {} in '{}' (TomoATT's names have no "
                            "blanks and are different; rename one)",
                            in_quotes(name), path.string()));
        }
        texts.picks += fmt::format(
            "{} {} {} {} {} {} {:.4f} {:.7f} {:.7f} {:.5f} {:.2f} {} {} 1.0\n", n, at.year,
            at.month, at.day, at.hour, at.minute, at.second, event.at.latitude, event.at.longitude,
            event.depth, shown_magnitude(event), event.picks.size(), name);
        for (const std::int32_t pick : event.picks) {
            const WrittenStation& station = out.station_of(pick);
            texts.picks += fmt::format("{} {} {} {:.7f} {:.7f} {:.2f} {} {:.6f} 1.0\n", n,
                                       out.arrival(pick).station, station.name, station.at.latitude,
                                       station.at.longitude, 1000 * station.height,
                                       name_of(out.arrival(pick).phase), out.travel_time(pick));
        }
    }
    return texts;
}

CatalogueTexts lotos_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    FormatNeeds needs = word_needs("LOTOS", 0);
    needs.dates = false;
    const WrittenCatalogue out = prepared(path, picks, needs, notes);
    note_losses(path, out, false, notes);
    note_lost_polarities(path, out, notes);
    notes.add(fmt::format(
        "'{}': the origin times of {} events are not kept; {} stations are numbered from 1",
        path.string(), out.events.size(), out.stations.size()));
    CatalogueTexts texts;
    for (const WrittenEvent& event : out.events) {
        texts.picks += fmt::format("{:.6f} {:.6f} {:.4f} {}\n", event.at.longitude,
                                   event.at.latitude, event.depth, event.picks.size());
        for (const std::int32_t pick : event.picks) {
            const Arrival& arrival = out.arrival(pick);
            texts.picks += fmt::format("{} {} {:.4f}\n", arrival.phase == Phase::S ? 2 : 1,
                                       arrival.station + 1, out.travel_time(pick));
        }
    }
    for (const WrittenStation& station : out.stations) {
        texts.stations += fmt::format("{:.6f} {:.6f} {:.4f} {}\n", station.at.longitude,
                                      station.at.latitude, 0.0 - station.height, station.name);
    }
    return texts;
}

}  // namespace fermat
