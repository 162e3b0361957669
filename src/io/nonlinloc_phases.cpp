#include "io/nonlinloc_phases.hpp"
#include "io/format_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace {

struct ObservedPick {
    std::string station;
    std::string phase;
    double time = 0;
    double error = missing_error;
    bool wanted = true;
    Polarity polarity = 0;
    std::size_t line = 0;
};

struct ObservedEvent {
    std::string id;
    std::vector<ObservedPick> picks;
    NamedPlace geographic;
    NamedPlace plain;
};

bool is_pick(const std::vector<std::string_view>& words) {
    return words.size() >= 11 && words[6].size() == 8 && parse_integer(words[6]).has_value();
}

class PhaseFile : public FileLines {
  public:
    using FileLines::FileLines;

    std::vector<ObservedEvent> read() {
        const bool located = file_.text().find("END_PHASE") != std::string::npos;
        bool inside = !located;
        while (const auto line = lines_.next()) {
            const std::string_view shown = trim(*line);
            const auto words = split_words(shown);
            if (words.empty()) {
                if (!located) close();
                continue;
            }
            if (shown.starts_with('#')) {
                // NLLoc skips such lines; ours name the event of the picks that follow.
                if (words[0] == "#" && words.size() > 2 && words[1] == "PUBLIC_ID") {
                    event_.id = words[2];
                }
                continue;
            }
            if (words[0] == "PUBLIC_ID" && words.size() > 1 && words[1] != "None") {
                event_.id = words[1];
            } else if (words[0] == "HYPOCENTER" && words.size() > 8) {
                event_.plain.place = {number(words, 2), number(words, 4), number(words, 6)};
            } else if (words[0] == "GEOGRAPHIC" && words.size() > 13) {
                read_geographic(words);
            } else if (words[0] == "PHASE" && words.size() > 1 && words[1] == "ID") {
                inside = true;
            } else if (words[0] == "END_PHASE") {
                inside = false;
                close();
            } else if (inside && is_pick(words)) {
                add(words);
            } else if (inside) {
                fail(
                    fmt::format("{} is no phase (must be station instrument component onset "
                                "phase motion yyyymmdd hhmm second GAU error ...)",
                                in_quotes(shown)));
            }
        }
        close();
        name_events();
        return std::move(events_);
    }

  private:
    double number(const std::vector<std::string_view>& words, std::size_t n) const {
        const auto value = parse_number(words[n]);
        if (!value || !std::isfinite(*value)) {
            fail(fmt::format("word {} is {} (must be a number)", n + 1, in_quotes(words[n])));
        }
        return *value;
    }
    double date(int year, int month, int day, int hour, int minute, double second) const {
        constexpr double most = 86400;  // seconds may go on after the minute
        const auto time = std::abs(second) <= most
                              ? seconds_of(year, month, day, hour, minute, second)
                              : std::nullopt;
        if (!time) fail("there is no such date");
        return *time;
    }

    /// GEOGRAPHIC OT y m d h m s Lat a Long o Depth d
    void read_geographic(const std::vector<std::string_view>& words) {
        const auto whole = [&](std::size_t n) {
            const double value = number(words, n);
            return std::abs(value) < 1e5 ? static_cast<int>(value) : -1;  // no date has it
        };
        event_.geographic.time =
            date(whole(2), whole(3), whole(4), whole(5), whole(6), number(words, 7));
        event_.geographic.place = {number(words, 11), number(words, 9), number(words, 13)};
        event_.plain.time = event_.geographic.time;
    }

    void add(const std::vector<std::string_view>& words) {
        const auto day = *parse_integer(words[6]);
        const auto clock = parse_integer(words[7]);
        if (!clock || *clock < 0) {
            fail(fmt::format("the hour and minute are {} (must be hhmm)", in_quotes(words[7])));
        }
        ObservedPick pick;
        pick.station = words[0];
        pick.phase = words[4] == "?" ? "" : words[4];
        pick.time = date(static_cast<int>(day / 10000), static_cast<int>(day / 100 % 100),
                         static_cast<int>(day % 100), static_cast<int>(*clock / 100),
                         static_cast<int>(*clock % 100), number(words, 8));
        if (words[9] == "GAU" && number(words, 10) > 0) pick.error = number(words, 10);
        const auto weight = words.size() > 14 ? parse_number(words[14]) : std::nullopt;
        pick.wanted = !weight || *weight != 0;
        pick.polarity = polarity_of(words[5]);
        pick.line = lines_.number();
        event_.picks.push_back(std::move(pick));
    }

    void close() {
        if (!event_.picks.empty()) events_.push_back(std::move(event_));
        event_ = {};
    }

    void name_events() {
        std::map<std::string, int> seen;
        for (ObservedEvent& event : events_) {
            if (event.id.empty()) {
                double first = std::numeric_limits<double>::infinity();
                for (const ObservedPick& pick : event.picks) first = std::min(first, pick.time);
                std::string text = clock_text(std::floor(first));
                for (const char mark : {'-', ':'}) std::erase(text, mark);
                text[8] = '.';
                event.id = text.substr(0, 15);
            }
            const int times = ++seen[event.id];
            if (times > 1) event.id += fmt::format("_{}", times);
            event.geographic.id = event.plain.id = event.id;
        }
    }

    ObservedEvent event_;
    std::vector<ObservedEvent> events_;
};

}  // namespace

void read_nonlinloc_phases(const TextFile& file, PhaseRows& rows) {
    for (const ObservedEvent& event : PhaseFile(file).read()) {
        for (const ObservedPick& pick : event.picks) {
            if (!pick.wanted) {
                rows.leave_out(pick.station);
                continue;
            }
            rows.add(event.id, pick.station, pick.phase, pick.time, pick.error,
                     fmt::format("{} line {}: ", file.quoted(), pick.line), pick.polarity);
        }
    }
}

PlaceTable read_nonlinloc_hypocentres(const TextFile& file, bool plain) {
    PlaceTable table;
    table.geographic = !plain;
    table.has_dates = true;
    for (const ObservedEvent& event : PhaseFile(file).read()) {
        const NamedPlace& place = plain ? event.plain : event.geographic;
        if (!std::isnan(place.time)) table.rows.push_back(place);
    }
    return table;
}

bool is_nonlinloc_phases(const TextFile& file) {
    const std::string_view shown = file.first_line();
    return shown.starts_with("NLLOC ") || shown.starts_with("PUBLIC_ID") ||
           is_pick(split_words(shown));
}

const CatalogueReader nonlinloc_catalogue{
    is_nonlinloc_phases,
    [](const TextFile& file, PhaseRows& rows, Notes&) { read_nonlinloc_phases(file, rows); },
    [](const TextFile& file, bool plain, Notes&) -> std::optional<PlaceTable> {
        PlaceTable found = read_nonlinloc_hypocentres(file, plain);
        if (found.rows.empty()) return std::nullopt;
        return found;
    },
    nullptr, true};

const PlaceReader nonlinloc_events{
    [](const TextFile& file) { return file.first_line(true).starts_with("NLLOC "); },
    [](const TextFile& file, Notes&) {
        const bool plain = file.text().find("TRANSFORM  NONE") != std::string::npos;
        return read_nonlinloc_hypocentres(file, plain);
    }};

}  // namespace fermat
