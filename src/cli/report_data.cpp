#include "cli/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "cli/json.hpp"
#include "cli/report_events.hpp"
#include "cli/report_fields.hpp"
#include "cli/report_layers.hpp"
#include "cli/report_picks.hpp"
#include "cli/run_folder.hpp"
#include "cli/table_number.hpp"
#include "cli/tell.hpp"
#include "cli/unit_flags.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/folder_lock.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/run_mark.hpp"
#include "io/text.hpp"
#include "model/metric.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// An array of values that are JSON already.
std::string json_list(const std::vector<std::string>& values) {
    std::string text(1, '[');
    for (const std::string& value : values) {
        if (text.size() > 1) text += ',';
        text += value;
    }
    text += ']';
    return text;
}

std::string history_json(const CsvTable& table) {
    std::vector<std::string> names;
    for (const std::string& name : table.names()) names.push_back(json_text(name));
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<std::string> cells;
        for (std::size_t column = 0; column < table.names().size(); ++column) {
            const std::string_view text = table.text(row, column);
            const auto number = parse_number(text);
            cells.push_back(number ? json_number(*number) : json_text(text));
        }
        rows.push_back(json_list(cells));
    }
    return fmt::format(R"({{"names":{},"rows":{}}})", json_list(names), json_list(rows));
}

/// The state of a run that is shown.
struct Shown {
    RunPhase phase;
    Model model;
    int iteration = 0;
    std::optional<ReportPicks> picks;                        ///< once it has ended
    std::vector<std::pair<std::string, std::string>> marks;  ///< files and their identities
};

/// What a reader wants to know first, as pairs of a name and a value.
std::string summary_json(const Shown& shown, const CsvTable& history, const UnitNames& units,
                         const ReportGrid& grid_shown) {
    const Model& model = shown.model;
    std::string pairs;
    const auto add = [&](std::string_view name, const std::string& value) {
        pairs +=
            fmt::format("{}[{},{}]", pairs.empty() ? "" : ",", json_text(name), json_text(value));
    };
    const std::size_t last = history.rows() - 1;
    const double first_rms = history.number(0, history.column("rms"));
    const double last_rms = history.number(last, history.column("rms"));
    // As in the page's charts: milliseconds where seconds are small.
    const bool is_small = units.time == "s" && first_rms < 0.1 && last_rms < 0.1;
    const double factor = is_small ? 1000 : 1;
    const std::string unit = is_small ? "ms" : units.time;
    add("plain RMS residual",
        fmt::format("{:.4g} → {:.4g} {}", factor * first_rms, factor * last_rms, unit));
    if (const auto weighted = history.find_column("weighted_rms")) {
        const double first = number_or_nan(history, 0, *weighted);
        const double value = number_or_nan(history, last, *weighted);
        if (std::isfinite(value)) {
            add("weighted RMS residual",
                fmt::format("{:.4g} → {:.4g} {}", factor * first, factor * value, unit));
        }
    }
    if (const auto chi2 = history.find_column("chi2")) {
        const double value = number_or_nan(history, last, *chi2);
        if (std::isfinite(value)) add("χ² per pick", fmt::format("{:.4g}", value));
    }
    add("iterations", std::to_string(shown.iteration));
    const std::string_view used = history.text(last, history.column("picks"));
    add("picks used",
        shown.picks ? fmt::format("{} of {}", used, shown.picks->count) : std::string(used));
    const Grid& grid = model.grid();
    add("nodes",
        to_string(grid.shape) +
            (grid_shown.step() > 1 ? fmt::format(", every {}th shown", grid_shown.step()) : ""));
    const auto rock = [&] {
        std::pair<float, float> span{std::numeric_limits<float>::infinity(), 0.0F};
        for (const float v : model.velocity()) {
            if (v > 0) span = {std::min(span.first, v), std::max(span.second, v)};
        }
        return span;
    }();
    add("velocity",
        fmt::format("{:.4g} to {:.4g} {}/{}", rock.first, rock.second, units.length, units.time));
    if (const auto seconds = history.find_column("seconds")) {
        double sum = 0;
        for (std::size_t row = 0; row <= last; ++row) sum += history.number(row, *seconds);
        add("computing time", fmt::format("{:.3g} s", sum));
    }
    return "[" + pairs + "]";
}

/// The run's own settings where it wrote them.
std::string settings_text(const fs::path& run) {
    const fs::path file = run / "settings.toml";
    return fs::exists(file) ? read_whole_file(file) : "This run wrote no settings.toml.";
}

Model read_start(const fs::path& path, const Grid& grid) {
    Notes notes;
    Model start = read_model(path, notes);
    tell(notes);
    if (start.grid().shape != grid.shape) {
        throw InputError(fmt::format("'{}' has shape {} (must be {}, as the run's model)",
                                     path.string(), to_string(start.grid().shape),
                                     to_string(grid.shape)));
    }
    return start;
}

std::string build_line() {
    return fmt::format("Fermat {}, {} build by {}; CUDA: {}; MPI: {}.", version, build::type,
                       build::compiler, build::cuda, build::mpi);
}

using SummaryPairs = std::vector<std::pair<std::string, std::string>>;

std::string pairs_json(const SummaryPairs& pairs) {
    std::vector<std::string> out;
    for (const auto& [name, value] : pairs) {
        out.push_back(fmt::format("[{},{}]", json_text(name), json_text(value)));
    }
    return json_list(out);
}

/// Of the unit of length; that of a word that is no unit is not asked for.
double metres_of(const UnitNames& units) {
    try {
        return unit_size(Quantity::length, units.length);
    } catch (const InputError&) {
        return 1000;
    }
}

std::string catalogue_data(const ReportOptions& options) {
    if (options.start) {
        throw InputError("--start is of a run's page (a catalogue has no model)");
    }
    const CsvTable table(options.run);
    const UnitNames units = units_of_table(options.run, options.units);
    const ReportEvents events = read_report_events(table, {metres_of(units)});
    ReportStations stations;
    if (options.stations) {
        Notes notes;
        add_station_places(*options.stations, events, stations, notes);
        tell(notes);
    }
    if (options.fits) add_station_fits(CsvTable(*options.fits), stations);
    const std::string name = options.run.filename().string();
    return fmt::format(
        R"({{"title":{},"subtitle":{},"going":false,"units":{{"length":{},"time":{}}},)"
        R"("summary":{},"model":null,"history":null,"picks":null,"events":{},"layers":null,"settings":"",)"
        R"("footer":{}}})",
        json_text(options.title.empty() ? name : options.title),
        json_text(fmt::format("Events of {}, {}", name, events.kind)), json_text(units.length),
        json_text(units.time), pairs_json(events_summary(events, units.length, units.time)),
        events_json(events, stations), json_text(build_line()));
}

/// Events of a run that relocated them; "null" if there are none.
std::string run_events_json(const fs::path& run, RunPhase phase, const Model& model,
                            const UnitNames& units) {
    const fs::path file = run / "events.csv";
    if (phase != RunPhase::ended || !fs::exists(file)) return "null";
    ReportStations stations;
    const CsvTable residuals(run / "residuals.csv");
    const fs::path moved = run / "moved_picks.csv";
    const double radius = on_sphere(model) ? model.coordinates().radius : 0;
    const ReportEvents events = read_report_events(CsvTable(file), {metres_of(units), radius});
    add_run_residuals(residuals, fs::exists(moved) ? CsvTable(moved) : residuals, events, stations);
    return events_json(events, stations);
}

}  // namespace

bool is_catalogue_report(const ReportOptions& options) {
    std::error_code ignored;
    return fs::is_regular_file(options.run, ignored);
}

RunPhase phase_of_run(const fs::path& run) {
    if (!fs::is_directory(run)) {
        throw InputError(fmt::format("'{}' is not a folder (must be one that fermat invert wrote)",
                                     run.string()));
    }
    // Asked first: a run that ends in between has ended.
    const bool held = FolderLock::is_held(run);
    if (fs::exists(run / "model.h5")) return RunPhase::ended;
    return held ? RunPhase::going : RunPhase::stopped;
}

namespace {

Shown ended_run(const fs::path& run, const CsvTable& history) {
    Notes none;  // of a file of our own
    Model model = read_model(run / "model.h5", none);
    const CsvTable table(run / "residuals.csv");
    const std::size_t last = history.rows() - 1;
    const double iteration = history.number(last, history.column("iteration"));
    const bool is_count = iteration >= 0 && iteration < 1e9;
    ReportPicks picks = read_report_picks(table, model);
    return {RunPhase::ended,
            std::move(model),
            is_count ? static_cast<int>(iteration) : 0,
            std::move(picks),
            {{"residuals.csv", table.run()}, {"model.h5", run_of_file(run / "model.h5")}}};
}

Shown checkpointed_run(const fs::path& run, RunPhase phase) {
    RunSnapshot seen = read_snapshot(run / "checkpoint.h5");
    return {
        phase, std::move(seen.model), seen.iteration, std::nullopt, {{"checkpoint.h5", seen.run}}};
}

/// Files of a run that is going are renamed into place complete, and their writer may hold its lock
/// for a moment longer.
Shown shown_run(const fs::path& run, RunPhase phase, const CsvTable& history) {
    constexpr int most_tries = 20;
    for (int tries = 1;; ++tries) {
        try {
            return phase == RunPhase::ended ? ended_run(run, history)
                                            : checkpointed_run(run, phase);
        } catch (const InputError&) {
            if (tries == most_tries || !FolderLock::is_held(run)) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
}

/// Throws InputError where a run that has not ended has nothing to show.
void require_something(const fs::path& run, RunPhase phase) {
    if (phase == RunPhase::ended || fs::exists(run / "checkpoint.h5")) return;
    throw InputError(fmt::format("'{}' has no model.h5 ({})", run.string(),
                                 phase == RunPhase::going
                                     ? "its run is going and has made no update yet: wait for one"
                                 : fs::exists(run / "settings.toml")
                                     ? "its run has not ended and made no update: start it again"
                                     : "is it a folder that fermat invert wrote?"));
}

std::string subtitle_of(const Shown& shown, const std::string& name) {
    const std::string what = "Traveltime tomography of " + name;
    switch (shown.phase) {
        case RunPhase::going:
            return fmt::format("{}: still going, the model of iteration {}", what, shown.iteration);
        case RunPhase::stopped:
            return fmt::format(
                "{}: stopped after iteration {} (fermat invert --resume goes on with it)", what,
                shown.iteration);
        case RunPhase::ended:
            break;
    }
    return what;
}

}  // namespace

std::string report_data(const ReportOptions& options) {
    if (is_catalogue_report(options)) return catalogue_data(options);
    const fs::path& run = options.run;
    if ((options.stations || options.fits) && fs::exists(run)) {
        throw InputError(fmt::format(
            "{} is of the page of a catalogue (the run in '{}' has its own stations and residuals)",
            options.stations ? "--stations" : "--fits", run.string()));
    }
    const RunPhase phase = phase_of_run(run);
    require_something(run, phase);
    const CsvTable history(run / "history.csv");
    if (history.rows() == 0) {
        throw InputError(fmt::format("'{}' has a header and no rows", history.path().string()));
    }
    Shown shown = shown_run(run, phase, history);
    const Model& model = shown.model;
    const Grid& grid = model.grid();
    std::optional<Model> start;
    if (options.start) {
        start = read_start(*options.start, grid);
    } else if (fs::exists(run / "start.h5")) {
        start = read_start(run / "start.h5", grid);
    }
    shown.marks.emplace(shown.marks.begin(), "history.csv", history.run());
    for (const char* name : {"coverage.h5", "trust.h5", "layers.csv", "settings.toml"}) {
        if (fs::exists(run / name)) shown.marks.emplace_back(name, run_of_file(run / name));
    }
    check_one_run(run, shown.marks);
    const ReportGrid seen(model);
    const UnitNames units = units_of_run(run, options.units, model);
    const std::string name = fs::weakly_canonical(run).filename().string();
    return fmt::format(
        R"({{"title":{},"subtitle":{},"going":{},"units":{{"length":{},"time":{}}},)"
        R"("summary":{},"model":{},"history":{},"picks":{},"events":{},"layers":{},"settings":{},"footer":{}}})",
        json_text(options.title.empty() ? name : options.title),
        json_text(subtitle_of(shown, name)), phase == RunPhase::going, json_text(units.length),
        json_text(units.time), summary_json(shown, history, units, seen),
        fields_json(model, start, run, seen, units), history_json(history),
        shown.picks ? picks_json(*shown.picks) : "null", run_events_json(run, phase, model, units),
        phase == RunPhase::ended ? layers_json(run) : "null", json_text(settings_text(run)),
        json_text(build_line()));
}

}  // namespace fermat::cli
