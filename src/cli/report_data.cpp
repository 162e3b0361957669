#include "cli/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cli/json.hpp"
#include "cli/report_fields.hpp"
#include "cli/report_picks.hpp"
#include "cli/run_folder.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/csv.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/run_mark.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A number; not one where the field is empty or a word.
double number_or_nan(const CsvTable& table, std::size_t row, std::size_t column) {
    return parse_number(table.text(row, column)).value_or(not_a_number);
}

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

/// What a reader wants to know first, as pairs of a name and a value.
std::string summary_json(const Model& model, const CsvTable& history, const ReportPicks& picks,
                         const ReportOptions& options, const Thinning& thin) {
    std::string pairs;
    const auto add = [&](std::string_view name, const std::string& value) {
        pairs +=
            fmt::format("{}[{},{}]", pairs.empty() ? "" : ",", json_text(name), json_text(value));
    };
    const std::size_t last = history.rows() - 1;
    const double first_rms = history.number(0, history.column("rms"));
    const double last_rms = history.number(last, history.column("rms"));
    // As in the page's charts: milliseconds where seconds are small.
    const bool is_small = options.time == "s" && first_rms < 0.1 && last_rms < 0.1;
    const double factor = is_small ? 1000 : 1;
    const std::string unit = is_small ? "ms" : options.time;
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
    add("iterations", std::string(history.text(last, history.column("iteration"))));
    add("picks used",
        fmt::format("{} of {}", history.text(last, history.column("picks")), picks.count));
    const Grid& grid = model.grid();
    add("nodes", to_string(grid.shape) +
                     (thin.step > 1 ? fmt::format(", every {}th shown", thin.step) : ""));
    const auto rock = [&] {
        std::pair<float, float> span{std::numeric_limits<float>::infinity(), 0.0F};
        for (const float v : model.velocity()) {
            if (v > 0) span = {std::min(span.first, v), std::max(span.second, v)};
        }
        return span;
    }();
    add("velocity", fmt::format("{:.4g} to {:.4g} {}/{}", rock.first, rock.second, options.length,
                                options.time));
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

}  // namespace

std::string report_data(const ReportOptions& options) {
    const fs::path& run = options.run;
    if (!fs::is_directory(run)) {
        throw InputError(fmt::format("'{}' is not a folder (must be one that fermat invert wrote)",
                                     run.string()));
    }
    if (!fs::exists(run / "model.h5") && fs::exists(run / "settings.toml")) {
        throw InputError(fmt::format(
            "'{}' has no model.h5 (its run has not ended: fermat invert --resume goes on with it)",
            run.string()));
    }
    Notes none;  // of a file of our own
    const Model model = read_model(run / "model.h5", none);
    const Grid& grid = model.grid();
    std::optional<Model> start;
    if (options.start) {
        start = read_start(*options.start, grid);
    } else if (fs::exists(run / "start.h5")) {
        start = read_start(run / "start.h5", grid);
    }
    const CsvTable history(run / "history.csv");
    if (history.rows() == 0) {
        throw InputError(fmt::format("'{}' has a header and no rows", history.path().string()));
    }
    const CsvTable table(run / "residuals.csv");
    const ReportPicks picks = read_report_picks(table);
    std::vector<std::pair<std::string, std::string>> marks = {{"history.csv", history.run()},
                                                              {"residuals.csv", table.run()}};
    for (const char* name : {"model.h5", "coverage.h5", "trust.h5", "settings.toml"}) {
        if (fs::exists(run / name)) marks.emplace_back(name, run_of_file(run / name));
    }
    check_one_run(run, marks);
    const Thinning thin(grid);
    const fs::path name = fs::weakly_canonical(run).filename();
    return fmt::format(
        R"({{"title":{},"subtitle":{},"units":{{"length":{},"time":{}}},"summary":{},"model":{},)"
        R"("history":{},"picks":{},"settings":{},"footer":{}}})",
        json_text(options.title.empty() ? name.string() : options.title),
        json_text("Traveltime tomography of " + name.string()), json_text(options.length),
        json_text(options.time), summary_json(model, history, picks, options, thin),
        fields_json(model, start, run, thin), history_json(history), picks_json(picks),
        json_text(settings_text(run)),
        json_text(fmt::format("Fermat {}, {} build by {}; CUDA: {}; MPI: {}.", version, build::type,
                              build::compiler, build::cuda, build::mpi)));
}

}  // namespace fermat::cli
