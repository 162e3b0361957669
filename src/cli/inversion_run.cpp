#include "cli/inversion_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <system_error>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto checkpoint_name = "checkpoint.h5";

int planned_iterations(const InversionInputs& inputs) {
    const auto schedule = inputs.options.schedule.empty() ? default_schedule(inputs.start.grid())
                                                          : inputs.options.schedule;
    return std::accumulate(schedule.begin(), schedule.end(), 0,
                           [](int sum, const Stage& stage) { return sum + stage.iterations; });
}

/// "iteration 3/36: rms 0.0512, chi2 1.05, 6344 rays, 0 lost, ...".
std::string line_of(const IterationReport& report, int planned) {
    const Misfit& fit = report.misfit;
    std::string line =
        fmt::format("iteration {}/{}: rms {:.5g}", report.iteration, planned, fit.rms);
    if (!std::isnan(fit.chi2)) line += fmt::format(", chi2 {:.4g}", fit.chi2);
    line += fmt::format(", {} rays, {} lost", fit.used, fit.lost);
    if (fit.rejected > 0) line += fmt::format(", {} outliers", fit.rejected);
    if (report.stage > 0) {
        line += fmt::format(", update {:.3g} %, cells {}, vertices {}", 100 * report.max_update,
                            to_string(report.cell), to_string(report.vertex));
    }
    const IterationSeconds& s = report.seconds;
    return line + fmt::format(", {:.3g} s (times {:.3g}, rays {:.3g}, smoothing {:.3g})", s.total(),
                              s.times, s.rays, s.cell_smoothing + s.vertex_smoothing);
}

std::string ending_of(const InversionResult& result) {
    double seconds = 0;
    for (const IterationReport& report : result.history) seconds += report.seconds.total();
    const std::string why = result.reason == StopReason::schedule_end  ? "the schedule's end"
                            : result.reason == StopReason::target_rms  ? "the target RMS"
                            : result.reason == StopReason::target_chi2 ? "the target chi2"
                                                                       : "stagnation";
    const Misfit& last = result.history.back().misfit;
    std::string text =
        fmt::format("rms {:.5g} -> {:.5g}", result.history.front().misfit.rms, last.rms);
    if (!std::isnan(last.chi2)) {
        text +=
            fmt::format(", chi2 {:.4g} -> {:.4g}", result.history.front().misfit.chi2, last.chi2);
    }
    return fmt::format("{} in {} iterations, {:.3g} s; stopped at {}", text,
                       result.history.back().iteration, seconds, why);
}

void say(const Run& run, const std::string& line) {
    if (run.common.quiet) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

}  // namespace

void RunFolder::create() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (!fs::is_directory(folder_)) {
        throw InputError(fmt::format("--output is '{}' (cannot be made a folder: {})",
                                     folder_.string(),
                                     error ? error.message() : "a file has that name"));
    }
}

std::optional<InversionState> RunFolder::state(const InversionInputs& inputs, bool resume) const {
    const fs::path checkpoint = file(checkpoint_name);
    std::error_code ignored;
    if (!resume) {
        fs::remove(checkpoint, ignored);
        return std::nullopt;
    }
    // A run that was stopped before its first update has nothing to go on from.
    if (!fs::exists(checkpoint, ignored)) return std::nullopt;
    return read_checkpoint(checkpoint, inputs.start.grid(),
                           run_fingerprint(inputs.start, inputs.picks, inputs.options));
}

InversionResult run_inversion(const InversionInputs& inputs, const RunFolder& folder, bool resume,
                              const Run& run) {
    std::optional<InversionState> state;
    std::string fingerprint;
    together(run.ranks, [&] {
        validate(inputs.options, inputs.picks, inputs.start.grid());
        if (!run.ranks.is_root()) return;
        folder.create();
        OutputFile settings(folder.file("settings.toml"));
        settings.write(run.settings);
        settings.commit();
        fingerprint = run_fingerprint(inputs.start, inputs.picks, inputs.options);
        state = folder.state(inputs, resume);
        if (state) say(run, fmt::format("going on after iteration {}", state->next.iteration));
    });
    const int planned = planned_iterations(inputs);
    InversionListener listener;
    listener.iteration = [&](const IterationReport& report) { say(run, line_of(report, planned)); };
    listener.update = [&](const InversionState& now) {
        write_history(folder.file("history.csv"), now.history);
        write_checkpoint(folder.file(checkpoint_name), now, fingerprint);
    };
    InversionResult result = invert(inputs.start, inputs.picks, inputs.options, listener,
                                    run.monitor, run.ranks, std::move(state));
    together(run.ranks, [&] {
        if (!run.ranks.is_root()) return;
        write_coverage(folder.file("coverage.h5"), inputs.start.grid(), result.coverage);
        write_residuals(folder.file("residuals.csv"), inputs.picks, result);
        write_history(folder.file("history.csv"), result.history);
        write_model(folder.file("model.h5"), result.model);
        say(run, ending_of(result));
    });
    return result;
}

void write_recovery(const RunFolder& folder, const Model& start, const Model& board,
                    const InversionResult& found, bool quiet) {
    CsvWriter table(folder.file("recovery.csv"),
                    {"min_coverage", "nodes", "correlation", "amplitude"});
    for (const std::int64_t least : {1, 10}) {
        const Recovery score =
            recovery(start, board, found.model, found.coverage, static_cast<double>(least));
        table.add_row({least, score.nodes, score.correlation, score.amplitude});
        if (quiet) continue;
        fmt::print(
            "recovery where at least {} ray{}: correlation {:.3f}, amplitude {:.3f}, {} nodes\n",
            least, least == 1 ? " passes" : "s pass", score.correlation, score.amplitude,
            score.nodes);
    }
    table.commit();
}

}  // namespace fermat::cli
