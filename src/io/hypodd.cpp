#include "io/hypodd.hpp"
#include "io/format_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// The words of each line; those of '#' lines come without the '#'.
class HashLines : public FileLines {
  public:
    using FileLines::FileLines;

    bool next() {
        while (const auto line = lines_.next()) {
            std::string_view shown = trim(*line);
            if (shown.empty()) continue;
            is_header = shown.starts_with('#');
            if (is_header) shown.remove_prefix(1);
            words = split_words(shown);
            return true;
        }
        return false;
    }
    double number(std::size_t n, std::string_view what) const {
        const auto value = n < words.size() ? parse_number(words[n]) : std::nullopt;
        if (!value || !std::isfinite(*value)) {
            fail(fmt::format("{} is {} (must be a number)", what,
                             n < words.size() ? in_quotes(words[n]) : "missing"));
        }
        return *value;
    }
    /// NaN where it is not known.
    double magnitude(std::size_t n) const {
        const auto value = n < words.size() ? parse_number(words[n]) : std::nullopt;
        return value && std::isnan(*value) ? *value : number(n, "the magnitude");
    }
    int whole(std::size_t n, std::string_view what) const {
        const double value = number(n, what);
        if (value != std::floor(value) || std::abs(value) > 1e6) {
            fail(fmt::format("{} is {} (must be a whole number)", what, in_quotes(words[n])));
        }
        return static_cast<int>(value);
    }

    bool is_header = false;
    std::vector<std::string_view> words;
};

NamedPlace header_of(const HashLines& lines) {
    if (lines.words.size() < 14) {
        lines.fail(fmt::format(
            "the event has {} words (must be # year month day hour minute second latitude "
            "longitude depth magnitude EH EV RMS id)",
            lines.words.size()));
    }
    const auto time = seconds_of(lines.whole(0, "the year"), lines.whole(1, "the month"),
                                 lines.whole(2, "the day"), lines.whole(3, "the hour"),
                                 lines.whole(4, "the minute"), lines.number(5, "the second"));
    if (!time) lines.fail("there is no such date");
    return {std::string(lines.words[13]),
            {lines.number(7, "the longitude"), lines.number(6, "the latitude"),
             lines.number(8, "the depth")},
            *time,
            lines.magnitude(9)};
}

std::optional<Phase> phase_in(std::string_view word) {
    try {
        return phase_of_name(word);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// By ids, or by numbers where a survey has none.
template <class Points>
std::map<std::string, std::int32_t, std::less<>> numbers_of(const Survey& survey,
                                                            const Points& points) {
    std::map<std::string, std::int32_t, std::less<>> out;
    for (std::size_t n = 0; n < points.size(); ++n) {
        out.emplace(name_of(survey, points[n]), static_cast<std::int32_t>(n));
    }
    return out;
}

}  // namespace

PlaceTable read_hypodd_headers(const TextFile& file) {
    HashLines lines(file);
    PlaceTable table;
    table.geographic = table.has_dates = true;
    std::map<std::string, std::size_t, std::less<>> seen;
    while (lines.next()) {
        if (!lines.is_header) continue;
        NamedPlace event = header_of(lines);
        if (!seen.emplace(event.id, table.rows.size()).second) {
            lines.fail(fmt::format("event {} comes twice (ids must differ)", in_quotes(event.id)));
        }
        table.rows.push_back(std::move(event));
    }
    return table;
}

void read_hypodd_phases(const TextFile& file, PhaseRows& rows, Notes& notes) {
    // hypoDD's weights are from 0 to 1 and have no unit.
    constexpr double error_of_full_weight = 0.05;
    HashLines lines(file);
    NamedPlace event;
    std::size_t kept = 0;
    while (lines.next()) {
        if (lines.is_header) {
            event = header_of(lines);
            continue;
        }
        if (event.id.empty()) lines.fail("a pick comes before the first event (# ...)");
        if (lines.words.size() < 4) {
            lines.fail(
                fmt::format("the pick has {} words (must be station, time of travel, "
                            "weight, phase)",
                            lines.words.size()));
        }
        const double travel = lines.number(1, "the time of travel");
        const double weight = lines.number(2, "the weight");
        const std::string station(lines.words[0]);
        if (weight == 0) {
            rows.leave_out(station);
            continue;
        }
        // A negative weight marks a pick that ph2dt keeps whatever its distance and weight.
        kept += weight < 0;
        rows.add(event.id, station, lines.words[3], event.time + travel,
                 error_of_full_weight / std::abs(weight), lines.where());
    }
    if (kept > 0) {
        notes.add(
            fmt::format("{}: {} picks have a negative weight, which says that they are kept; "
                        "they count by its size",
                        lines.quoted(), kept));
    }
}

std::vector<TimeDifference> read_hypodd_differences(const TextFile& file, const Survey& survey,
                                                    Notes& notes) {
    const auto events = numbers_of(survey, survey.events);
    const auto stations = numbers_of(survey, survey.stations);
    HashLines lines(file);
    std::vector<TimeDifference> out;
    LeftOut no_event("events that are not known");
    LeftOut no_station("stations that are not known");
    LeftOut no_phase("phases other than P and S");
    LeftOut no_correction("the correction of origin times is not known (-999)");
    TimeDifference pair;
    double correction = 0;
    bool any = false;
    std::string missing;
    std::size_t rows = 0;
    while (lines.next()) {
        if (lines.is_header) {
            if (lines.words.size() < 2) lines.fail("the pair has no two events (# id id)");
            any = true;
            missing.clear();
            for (const std::size_t n : {0U, 1U}) {
                const auto found = events.find(lines.words[n]);
                if (found == events.end()) missing = lines.words[n];
                if (found != events.end()) (n == 0 ? pair.first : pair.second) = found->second;
            }
            correction = lines.words.size() > 2 ? lines.number(2, "the correction") : 0;
            continue;
        }
        if (!any) lines.fail("a difference comes before the first pair (# id id)");
        const bool from_catalogue = lines.words.size() == 5;
        if (!from_catalogue && lines.words.size() != 4) {
            lines.fail(
                fmt::format("the line has {} words (must be station, two times of travel, "
                            "weight, phase, or station, difference, weight, phase)",
                            lines.words.size()));
        }
        ++rows;
        const double time = lines.number(1, "the time");
        const double second = from_catalogue ? lines.number(2, "the second time") : correction;
        const double weight = lines.number(from_catalogue ? 3 : 2, "the weight");
        const std::string_view name = lines.words[from_catalogue ? 4 : 3];
        const auto phase = phase_in(name);
        const auto station = stations.find(lines.words[0]);
        if (!missing.empty()) {
            no_event.add(missing);
        } else if (station == stations.end()) {
            no_station.add(lines.words[0]);
        } else if (!phase) {
            no_phase.add(name);
        } else if (!from_catalogue && correction == -999) {
            no_correction.add("");
        } else {
            out.push_back({pair.first, pair.second, station->second, *phase,
                           from_catalogue ? DifferenceKind::catalogue : DifferenceKind::correlation,
                           time - second, std::max(weight, 0.0)});
        }
    }
    for (const LeftOut* left : {&no_event, &no_station, &no_phase, &no_correction}) {
        left->tell(lines.quoted(), rows, notes, "differences");
    }
    if (out.empty()) {
        throw InputError(fmt::format("{} has no difference that can be used", lines.quoted()));
    }
    return out;
}

const CatalogueReader hypodd_catalogue{
    [](const TextFile& file) {
        const std::string_view shown = file.first_line(true);
        return shown.starts_with('#') && shown.find(',') == std::string_view::npos &&
               split_words(shown.substr(1)).size() >= 14;
    },
    read_hypodd_phases,
    [](const TextFile& file, bool, Notes&) { return std::optional(read_hypodd_headers(file)); },
    nullptr, true};

const PlaceReader hypodd_headers{
    [](const TextFile& file) {
        const std::string_view line = file.first_line(true);
        return line.starts_with('#') && split_words(line).size() >= 15;
    },
    [](const TextFile& file, Notes&) { return read_hypodd_headers(file); }};

}  // namespace fermat
