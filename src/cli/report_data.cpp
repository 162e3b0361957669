#include "cli/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cli/json.hpp"
#include "cli/run_folder.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/csv.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/run_mark.hpp"
#include "io/text.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_nodes = 2'000'000;  // 11 MB of page a field
constexpr std::size_t most_picks = 60'000;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Every step-th node along each axis that has more than one.
struct Thinning {
    Grid grid;
    int step = 1;

    explicit Thinning(const Grid& full) : grid(full) {
        while (grid.shape.count() > most_nodes) {
            ++step;
            const auto fewer = [&](int n) { return n == 1 ? 1 : (n - 1) / step + 1; };
            grid.shape = {fewer(full.shape.x), fewer(full.shape.y), fewer(full.shape.z)};
        }
        grid.spacing = step * full.spacing;
    }

    std::vector<float> nodes(FieldView<const float> values) const {
        std::vector<float> kept;
        kept.reserve(grid.shape.count());
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    kept.push_back(values({i * step, j * step, k * step}));
                }
            }
        }
        return kept;
    }

    /// Of the cells that became one, the largest value.
    std::vector<float> cells(FieldView<const float> values) const {
        const Shape many = values.shape();
        const auto few = [](int nodes) { return std::max(1, nodes - 1); };
        const Shape shape{few(grid.shape.x), few(grid.shape.y), few(grid.shape.z)};
        std::vector<float> kept(shape.count(), 0.0F);
        for (int i = 0; i < many.x; ++i) {
            for (int j = 0; j < many.y; ++j) {
                for (int k = 0; k < many.z; ++k) {
                    float& cell = kept[shape.offset(std::min(i / step, shape.x - 1),
                                                    std::min(j / step, shape.y - 1),
                                                    std::min(k / step, shape.z - 1))];
                    cell = std::max(cell, values({i, j, k}));
                }
            }
        }
        return kept;
    }
};

std::string triple(double x, double y, double z) { return fmt::format("[{},{},{}]", x, y, z); }

std::string model_json(const Model& model, const std::optional<Model>& start,
                       const Thinning& thin) {
    const Grid& grid = thin.grid;
    return fmt::format(R"({{"shape":{},"origin":{},"spacing":{},"velocity":{},"start":{}}})",
                       triple(grid.shape.x, grid.shape.y, grid.shape.z),
                       triple(grid.origin.x, grid.origin.y, grid.origin.z),
                       triple(grid.spacing.x, grid.spacing.y, grid.spacing.z),
                       json_floats(thin.nodes(model.velocity())),
                       start ? json_floats(thin.nodes(start->velocity())) : "null");
}

std::string coverage_json(const fs::path& path, const Grid& grid, const Thinning& thin) {
    const ImageReader image(path);
    if (image.grid().shape != grid.shape) {
        throw InputError(fmt::format("'{}' has shape {} (must be {}, as the model)", path.string(),
                                     to_string(image.grid().shape), to_string(grid.shape)));
    }
    return json_floats(thin.cells(image.read_cell_array("coverage").view()));
}

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

struct Residuals {
    std::vector<float> offset, before, after;
    std::size_t picks = 0;
};

Residuals read_residuals(const CsvTable& table) {
    const bool is_2d = !table.find_column("source_y");
    std::vector<std::pair<std::size_t, std::size_t>> axes = {
        {table.column("source_x"), table.column("receiver_x")}};
    if (!is_2d) axes.emplace_back(table.column("source_y"), table.column("receiver_y"));
    const std::size_t before = table.column("initial_residual");
    const std::size_t after = table.column("final_residual");
    Residuals list;
    list.picks = table.rows();
    const std::size_t step = (table.rows() + most_picks - 1) / most_picks;
    for (std::size_t row = 0; row < table.rows(); row += step) {
        double square = 0;
        for (const auto& [from, to] : axes) {
            const double apart = table.number(row, to) - table.number(row, from);
            square += apart * apart;
        }
        list.offset.push_back(static_cast<float>(std::sqrt(square)));
        list.before.push_back(static_cast<float>(number_or_nan(table, row, before)));
        list.after.push_back(static_cast<float>(number_or_nan(table, row, after)));
    }
    return list;
}

std::string residuals_json(const Residuals& list) {
    return fmt::format(R"({{"offset":{},"before":{},"after":{}}})", json_floats(list.offset),
                       json_floats(list.before), json_floats(list.after));
}

/// What a reader wants to know first, as pairs of a name and a value.
std::string summary_json(const Model& model, const CsvTable& history, const Residuals& residuals,
                         const ReportOptions& options, const Thinning& thin) {
    std::string pairs;
    const auto add = [&](std::string_view name, const std::string& value) {
        pairs +=
            fmt::format("{}[{},{}]", pairs.empty() ? "" : ",", json_text(name), json_text(value));
    };
    const std::size_t last = history.rows() - 1;
    const double first_rms = history.number(0, history.column("rms"));
    const double last_rms = history.number(last, history.column("rms"));
    add("RMS residual", fmt::format("{:.4g} → {:.4g} {}", first_rms, last_rms, options.time));
    if (const auto chi2 = history.find_column("chi2")) {
        const double value = number_or_nan(history, last, *chi2);
        if (std::isfinite(value)) add("χ² per pick", fmt::format("{:.4g}", value));
    }
    add("iterations", std::string(history.text(last, history.column("iteration"))));
    add("picks used",
        fmt::format("{} of {}", history.text(last, history.column("picks")), residuals.picks));
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
    if (options.start) start = read_start(*options.start, grid);
    const CsvTable history(run / "history.csv");
    if (history.rows() == 0) {
        throw InputError(fmt::format("'{}' has a header and no rows", history.path().string()));
    }
    const CsvTable picks(run / "residuals.csv");
    const Residuals residuals = read_residuals(picks);
    std::vector<std::pair<std::string, std::string>> marks = {{"history.csv", history.run()},
                                                              {"residuals.csv", picks.run()}};
    for (const char* name : {"model.h5", "coverage.h5", "settings.toml"}) {
        if (fs::exists(run / name)) marks.emplace_back(name, run_of_file(run / name));
    }
    check_one_run(run, marks);
    const Thinning thin(grid);
    const fs::path name = fs::weakly_canonical(run).filename();
    return fmt::format(
        R"({{"title":{},"subtitle":{},"units":{{"length":{},"time":{}}},"summary":{},"model":{},)"
        R"("coverage":{},"history":{},"residuals":{},"settings":{},"footer":{}}})",
        json_text(options.title.empty() ? name.string() : options.title),
        json_text("Traveltime tomography of " + name.string()), json_text(options.length),
        json_text(options.time), summary_json(model, history, residuals, options, thin),
        model_json(model, start, thin),
        fs::exists(run / "coverage.h5") ? coverage_json(run / "coverage.h5", grid, thin) : "null",
        history_json(history), residuals_json(residuals), json_text(settings_text(run)),
        json_text(fmt::format("Fermat {}, {} build by {}; CUDA: {}; MPI: {}.", version, build::type,
                              build::compiler, build::cuda, build::mpi)));
}

}  // namespace fermat::cli
