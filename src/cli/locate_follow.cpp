#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>

#include "cli/app.hpp"
#include "cli/appended_lines.hpp"
#include "cli/flags.hpp"
#include "cli/growing_text.hpp"
#include "cli/json.hpp"
#include "cli/locate_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/cell_text.hpp"
#include "io/clock.hpp"
#include "io/geometry.hpp"
#include "io/phase_rows.hpp"
#include "io/term_table.hpp"
#include "io/text.hpp"
#include "location/locator.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

/// A row of the table of picks.
struct FollowedPick {
    std::string station;
    std::string phase;
    std::string time;
    double seconds = 0;
    double error = std::nan("");
    Polarity polarity = 0;

    friend bool operator==(const FollowedPick& a, const FollowedPick& b) {
        return a.time == b.time && a.polarity == b.polarity &&
               (a.error == b.error || (std::isnan(a.error) && std::isnan(b.error)));
    }
};

/// The picks of an event so far, one per station and phase.
struct FollowedEvent {
    std::map<std::pair<std::string, std::string>, FollowedPick> picks;
    SteadyClock::time_point last{};
    bool changed = false;  ///< since it was located
    int version = 0;       ///< lines that are written of it
};

/// The value of a name in a line of JSON that describe() wrote; as text without quotes.
std::string value_in(std::string_view line, std::string_view name) {
    const std::string mark = fmt::format("\"{}\":", name);
    const std::size_t begin = line.find(mark);
    if (begin == std::string_view::npos) return {};
    std::string_view rest = line.substr(begin + mark.size());
    const bool quoted = rest.starts_with('"');
    if (quoted) rest.remove_prefix(1);
    return std::string(rest.substr(0, rest.find_first_of(quoted ? "\"" : ",}")));
}

class Follower {
  public:
    Follower(const LocateFlags& flags, const Run& run)
        : flags_(flags), run_(run), medium_(medium_of(flags.medium, notes_)) {
        if (!flags.options.model_error) {
            throw InputError(
                "--follow needs --model-error (one event tells little of the model's errors; "
                "fermat locate finds them from a catalogue and prints them)");
        }
        if (!flags.files.stations) throw InputError("--follow needs --stations");
        const bool others = flags.fits || flags.sampled || flags.moved || flags.hyp ||
                            flags.grids || flags.made_terms || flags.motions ||
                            flags.exported.file || flags.files.events;
        if (others) {
            throw InputError(
                "--follow writes lines of JSON to -o and nothing else (leave out --fits, --hyp, "
                "--export, --events and the like)");
        }
        if (flags.terms && (*flags.terms == "find" || *flags.terms == "ssst")) {
            throw InputError("--follow takes station terms from a file (--terms FILE)");
        }
        if (!(flags.settle >= 0)) throw InputError("--settle must be >= 0");
        read_stations();
        if (flags.surface) surface_.emplace(read_surface(*flags.surface, notes_));
        LocateOptions options = settled_options(flags, medium_.first());
        if (flags.terms) {
            Survey all;
            all.stations = stations_;
            options.given_terms = read_station_terms(fs::path(*flags.terms), all,
                                                     plane_ ? &*plane_ : nullptr, sphere_, notes_);
        }
        execution_.emplace(run.execution());
        locator_.emplace(medium_, stations_, options, surface_ ? &*surface_ : nullptr, *execution_,
                         notes_);
        tell(notes_);
    }

    void follow() {
        GrowingText input(flags_.files.picks);
        read_results();
        AppendedLines output(flags_.output);
        std::optional<AppendedLines> journal;
        if (input.is_standard() && flags_.output != "-") {
            const fs::path kept = flags_.output.string() + ".picks";
            std::ifstream before(kept);
            for (std::string line; std::getline(before, line);) take(line);
            journal.emplace(kept);
        }
        say_ready();
        while (true) {
            run_.monitor.check();
            for (const std::string& line : input.next()) {
                if (trim(line).empty()) {
                    locate_changed(output, SteadyClock::time_point::max());
                } else if (take(line) && journal) {
                    journal->add(line);
                }
            }
            const auto settle = std::chrono::duration_cast<SteadyClock::duration>(
                std::chrono::duration<double>(flags_.settle));
            locate_changed(output, input.ended() ? SteadyClock::time_point::max()
                                                 : SteadyClock::now() - settle);
            if (input.ended()) return;
        }
    }

  private:
    void read_stations() {
        PlaceTable table = read_station_table(*flags_.files.stations, notes_);
        sphere_ = on_sphere(medium_.first());
        if (sphere_ && !table.geographic) {
            throw InputError(
                "the stations have x and y (a spherical model needs longitude and latitude)");
        }
        if (!sphere_) {
            plane_ = plane_of({&table}, flags_.files.centre);
            if (plane_) put_on_plane(table, *plane_);
        }
        if (table.is_2d != medium_.grid().is_2d()) {
            throw InputError("the model and the stations must both be 2-D or both be 3-D");
        }
        for (const NamedPlace& row : table.rows) {
            const Vec3 at = sphere_ ? Vec3{row.place.y, row.place.x, row.place.z} : row.place;
            stations_.push_back({at, row.id});
        }
        places_ = std::move(table);
    }

    /// What earlier runs wrote: how many lines each event has, and of how many picks the last was.
    void read_results() {
        if (flags_.output == "-") return;
        std::ifstream file(flags_.output);
        for (std::string line; std::getline(file, line);) {
            if (!line.ends_with('}')) continue;
            const std::string id = value_in(line, "event");
            events_[id].version += 1;
            written_[id] = value_in(line, "digest");
        }
    }

    void say_ready() const {
        if (run_.common.quiet) return;
        spdlog::info("{} stations are ready; picks are awaited", stations_.size());
    }

    /// Adds a row. False for the header and for rows that cannot be used or are known.
    bool take(const std::string& line) {
        ++line_;
        std::vector<std::string> cells;
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find(',', begin), line.size());
            const auto cell = trim(std::string_view(line).substr(begin, end - begin));
            cells.emplace_back(unguarded_cell(cell));
            begin = end + 1;
        }
        if (trim(line).starts_with('#')) return false;
        if (std::find(cells.begin(), cells.end(), "station") != cells.end()) {
            set_columns(cells);
            return true;
        }
        try {
            return take_row(cells);
        } catch (const InputError& error) {
            spdlog::warn("row {}: {}; it is left out", line_, error.what());
            return false;
        }
    }

    void set_columns(const std::vector<std::string>& names) {
        columns_.clear();
        for (std::size_t n = 0; n < names.size(); ++n) columns_.emplace(names[n], n);
        for (const char* const needed : {"event", "station", "time"}) {
            if (!columns_.contains(needed)) {
                throw InputError(
                    fmt::format("the picks have no column '{}' (event,station,time are "
                                "needed, phase, error and polarity known)",
                                needed));
            }
        }
    }

    bool take_row(const std::vector<std::string>& cells) {
        if (columns_.empty()) set_columns({"event", "station", "phase", "time", "error"});
        const auto cell = [&](const char* name) {
            const auto found = columns_.find(name);
            const bool there = found != columns_.end() && found->second < cells.size();
            return there ? cells[found->second] : std::string();
        };
        FollowedPick pick{cell("station"), columns_.contains("phase") ? cell("phase") : "P",
                          cell("time")};
        const std::string id = cell("event");
        if (id.empty() || pick.station.empty()) throw InputError("event or station is empty");
        const auto clock = parse_clock(pick.time);
        const auto number = clock ? clock : parse_number(pick.time);
        if (!number || !std::isfinite(*number)) {
            throw InputError(
                fmt::format("time is {} (must be a date or seconds)", in_quotes(pick.time)));
        }
        pick.seconds = *number;
        dates_ = dates_ || clock.has_value();
        if (const std::string error = cell("error"); !error.empty()) {
            pick.error = parse_number(error).value_or(-1);
            if (!(pick.error > 0) || !std::isfinite(pick.error)) {
                throw InputError(
                    fmt::format("error is {} (must be > 0, or empty for none)", in_quotes(error)));
            }
        }
        pick.polarity = polarity_of(cell("polarity"));
        FollowedEvent& event = events_[id];
        event.last = SteadyClock::now();
        auto [known, added] = event.picks.emplace(std::pair(pick.station, pick.phase), pick);
        if (!added && known->second == pick) return false;
        known->second = std::move(pick);
        event.changed = true;
        return true;
    }

    /// What tells whether an event changed since a line was written of it.
    static std::string digest_of(const FollowedEvent& event) {
        std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
        const auto add = [&](std::string_view text) {
            for (const char c : text)
                hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
            hash = (hash ^ 1) * 1099511628211U;
        };
        for (const auto& [key, pick] : event.picks) {
            add(pick.station);
            add(pick.phase);
            add(pick.time);
            add(std::isnan(pick.error) ? "" : fmt::format("{}", pick.error));
        }
        return fmt::format("{:016x}", hash);
    }

    void locate_changed(AppendedLines& output, SteadyClock::time_point before) {
        for (auto& [id, event] : events_) {
            if (!event.changed || event.last > before) continue;
            event.changed = false;
            const std::string digest = digest_of(event);
            if (written_[id] == digest) continue;  // by an earlier run
            output.add(line_of(id, event, digest));
            written_[id] = digest;
        }
    }

    std::string line_of(const std::string& id, FollowedEvent& event, const std::string& digest) {
        Notes notes;
        std::string reason;
        Hypocentre found;
        try {
            PhaseRows rows("event " + id);
            rows.set_stations(places_);
            bool errors = false;
            for (const auto& [key, pick] : event.picks) {
                errors = errors || pick.error > 0;
                rows.add(id, pick.station, pick.phase, pick.seconds, pick.error, "", pick.polarity);
            }
            SurveyFile picks = rows.finish(errors, medium_.grid().is_2d(), notes);
            found = locator_->locate(picks.picks, notes).events.front();
        } catch (const InputError& error) {
            reason = error.what();
            found.picks = static_cast<int>(event.picks.size());
        }
        ++event.version;
        return describe(id, event, found, digest, reason, notes);
    }

    std::string describe(const std::string& id, const FollowedEvent& event, const Hypocentre& found,
                         const std::string& digest, const std::string& reason,
                         const Notes& notes) const {
        std::string line = fmt::format(R"({{"event":{},"version":{},"status":{})", json_text(id),
                                       event.version, json_text(name_of(found.status)));
        const auto number = [&](std::string_view name, double value) {
            line += fmt::format(R"(,"{}":{})", name, json_number(value));
        };
        if (is_located(found.status)) {
            line += fmt::format(
                R"(,"origin_time":{})",
                dates_ ? json_text(clock_text(found.origin_time)) : json_number(found.origin_time));
            const GeoPoint at = plane_ ? plane_->to_geographic({found.position.x, found.position.y})
                                       : GeoPoint{found.position.y, found.position.x};
            if (plane_ || sphere_) {
                number("longitude", at.longitude);
                number("latitude", at.latitude);
            }
            if (!sphere_) {
                number("x", found.position.x);
                if (!medium_.grid().is_2d()) number("y", found.position.y);
            }
            number("z", found.position.z);
            number("error_x", std::sqrt(found.covariance[0][0]));
            number("error_y", std::sqrt(found.covariance[1][1]));
            number("error_z", std::sqrt(found.covariance[2][2]));
            number("error_time", found.time_error);
            number("rms", found.rms);
            number("gap", found.gap);
            number("nearest", found.nearest);
            line += fmt::format(R"(,"quality":{})", json_text(name_of(found.quality)));
        }
        line += fmt::format(R"(,"picks":{},"used":{},"digest":"{}")", event.picks.size(),
                            found.used, digest);
        if (!reason.empty()) line += fmt::format(R"(,"reason":{})", json_text(reason));
        std::string said;
        for (const std::string& note : notes.sentences()) {
            said += (said.empty() ? "" : ",") + json_text(with_flags(note));
        }
        if (!said.empty()) line += fmt::format(R"(,"notes":[{}])", said);
        return line + "}";
    }

    const LocateFlags& flags_;
    const Run& run_;
    Notes notes_{};
    Medium medium_;
    PlaceTable places_{};
    std::vector<Station> stations_{};
    std::optional<LocalPlane> plane_{};
    std::optional<Surface> surface_{};
    std::optional<Execution> execution_{};
    std::optional<Locator> locator_{};
    std::map<std::string, std::size_t> columns_{};
    std::map<std::string, FollowedEvent> events_{};
    std::map<std::string, std::string> written_{};  ///< digest of the last line of each event
    std::size_t line_ = 0;
    bool sphere_ = false;
    bool dates_ = false;
};

}  // namespace

void follow_picks(const LocateFlags& flags, const Run& run) { Follower(flags, run).follow(); }

}  // namespace fermat::cli
