#include "io/run_io.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

int whole(const CsvTable& table, std::size_t row, std::size_t column, int low) {
    const std::int64_t value = table.integer(row, column);
    if (value < low || value > std::numeric_limits<int>::max()) {
        throw InputError(fmt::format("{}column '{}' is {} (must be at least {})", table.where(row),
                                     table.names()[column], value, low));
    }
    return static_cast<int>(value);
}

SmoothingSize read_size(const CsvTable& table, std::size_t row, const std::string& prefix) {
    const auto y = table.find_column(prefix + "_y");
    return {whole(table, row, table.column(prefix + "_x"), 1), y ? whole(table, row, *y, 1) : 1,
            whole(table, row, table.column(prefix + "_z"), 1)};
}

/// A number as text; empty if it is NaN.
class NumberText {
  public:
    explicit NumberText(double value) : text_(std::isnan(value) ? "" : fmt::format("{}", value)) {}
    CsvCell cell() const { return std::string_view(text_); }

  private:
    std::string text_;
};

std::string_view use_name(PickUse use) {
    return use == PickUse::used ? "used" : use == PickUse::lost ? "lost" : "rejected";
}

}  // namespace

std::vector<Stage> read_schedule(const fs::path& path, Notes& notes) {
    const CsvTable table(path);
    if (table.rows() == 0) {
        throw InputError(fmt::format("'{}' has a header and no rows", path.string()));
    }
    const std::size_t iterations = table.column("iterations");
    const auto cell_passes = table.find_column("cell_passes");
    const auto vertex_passes = table.find_column("vertex_passes");
    constexpr std::array<std::string_view, 9> known = {
        "iterations", "cell_x",   "cell_y",      "cell_z",       "vertex_x",
        "vertex_y",   "vertex_z", "cell_passes", "vertex_passes"};
    note_unused_columns(fmt::format("'{}'", path.string()), table.names(), known,
                        "a schedule may also have cell_passes,vertex_passes", notes);
    std::vector<Stage> schedule;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        schedule.push_back({whole(table, row, iterations, 1), read_size(table, row, "cell"),
                            read_size(table, row, "vertex"),
                            cell_passes ? whole(table, row, *cell_passes, 0) : 1,
                            vertex_passes ? whole(table, row, *vertex_passes, 0) : 1});
    }
    return schedule;
}

void write_history(const fs::path& path, std::span<const IterationReport> history,
                   const std::string& run) {
    CsvWriter table(path,
                    {"iteration",
                     "rms",
                     "picks",
                     "max_update",
                     "cell_size",
                     "vertex_size",
                     "seconds",
                     "chi2",
                     "lost",
                     "rejected",
                     "stage",
                     "seconds_times",
                     "seconds_rays",
                     "seconds_cell_smoothing",
                     "seconds_vertex_smoothing",
                     "seconds_update",
                     "weighted_rms",
                     "lambda",
                     "roughness",
                     "passes"},
                    run);
    for (const IterationReport& report : history) {
        const bool updated = report.stage > 0;
        const std::string cell = updated ? to_string(report.cell) : "";
        const std::string vertex = updated ? to_string(report.vertex) : "";
        const NumberText chi2(report.misfit.chi2);
        const NumberText weighted(report.misfit.weighted_rms);
        const IterationSeconds& spent = report.seconds;
        table.add_row({std::int64_t{report.iteration},
                       report.misfit.rms,
                       report.misfit.used,
                       report.max_update,
                       std::string_view(cell),
                       std::string_view(vertex),
                       spent.total(),
                       chi2.cell(),
                       report.misfit.lost,
                       report.misfit.rejected,
                       std::int64_t{report.stage},
                       spent.times,
                       spent.rays,
                       spent.cell_smoothing,
                       spent.vertex_smoothing,
                       spent.update,
                       weighted.cell(),
                       report.lambda,
                       report.roughness,
                       std::int64_t{report.passes}});
    }
    table.commit();
}

void write_terms(const fs::path& path, const Survey& picks, const PickTerms& terms,
                 const std::string& run) {
    if (terms.shot.empty() && terms.receiver.empty() && terms.common.empty()) return;
    std::vector<std::string> names = {"kind", "number", "x"};
    if (!picks.is_2d) names.emplace_back("y");
    names.insert(names.end(), {"z", "picks", "term"});
    CsvWriter table(path, names, run);
    const auto write = [&](const char* kind, const std::vector<double>& term, const auto& points,
                           auto Arrival::*point, Phase phase = Phase::P) {
        std::vector<std::int64_t> counts(points.size(), 0);
        for (const Arrival& pick : picks.arrivals) {
            const bool counts_here = terms.receiver_s.empty() || pick.phase == phase;
            counts[static_cast<std::size_t>(pick.*point)] += counts_here ? 1 : 0;
        }
        for (std::size_t n = 0; n < term.size(); ++n) {
            const Vec3 p = points[n].position;
            std::vector<CsvCell> cells = {std::string_view(kind), static_cast<std::int64_t>(n),
                                          p.x};
            if (!picks.is_2d) cells.emplace_back(p.y);
            cells.insert(cells.end(), {CsvCell(p.z), CsvCell(counts[n]), CsvCell(term[n])});
            table.add_row(cells);
        }
    };
    write("shot", terms.shot, picks.events, &Arrival::event);
    write("receiver", terms.receiver, picks.stations, &Arrival::station);
    write("receiver_s", terms.receiver_s, picks.stations, &Arrival::station, Phase::S);
    for (const double term : terms.common) {
        const std::string_view nowhere;
        std::vector<CsvCell> cells = {std::string_view("common"), std::int64_t{0}, nowhere};
        if (!picks.is_2d) cells.emplace_back(nowhere);
        cells.insert(cells.end(),
                     {CsvCell(nowhere), CsvCell(static_cast<std::int64_t>(picks.arrivals.size())),
                      CsvCell(term)});
        table.add_row(cells);
    }
    table.commit();
}

void write_residuals(const fs::path& path, const Survey& picks, const InversionResult& result,
                     const std::string& run, const RayNames& rays) {
    const bool later = !rays.phases.empty();
    const bool two_phases = !later && phases_of(picks).size() > 1;
    std::vector<std::string> names = {"source", "receiver"};
    if (two_phases || later) names.emplace_back("phase");
    for (const std::string prefix : {"source_", "receiver_"}) {
        names.push_back(prefix + "x");
        if (!picks.is_2d) names.push_back(prefix + "y");
        names.push_back(prefix + "z");
    }
    names.insert(names.end(), {"time", "error", "initial_residual", "final_residual", "use"});
    if (later) names.emplace_back("status");
    CsvWriter table(path, names, run);
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        std::vector<CsvCell> cells = {std::int64_t{pick.event}, std::int64_t{pick.station}};
        if (two_phases) cells.emplace_back(name_of(pick.phase));
        if (later) cells.emplace_back(std::string_view(rays.phases[n]));
        for (const Vec3& p : {picks.event_of(pick).position, picks.station_of(pick).position}) {
            cells.emplace_back(p.x);
            if (!picks.is_2d) cells.emplace_back(p.y);
            cells.emplace_back(p.z);
        }
        const NumberText error(picks.has_errors ? pick.error
                                                : std::numeric_limits<double>::quiet_NaN());
        const NumberText initial(result.initial_residual[n]);
        const NumberText final_(result.final_residual[n]);
        cells.emplace_back(pick.time - picks.event_of(pick).origin_time);
        cells.insert(cells.end(), {error.cell(), initial.cell(), final_.cell(),
                                   CsvCell(use_name(result.final_use[n]))});
        if (later) cells.emplace_back(std::string_view(rays.statuses[n]));
        table.add_row(cells);
    }
    table.commit();
}

void write_coverage(const fs::path& path, const Grid& grid, FieldView<const float> coverage,
                    const std::string& run) {
    ImageWriter image(path, grid, run);
    image.add_cell_array("coverage", coverage);
    image.commit();
}

}  // namespace fermat
