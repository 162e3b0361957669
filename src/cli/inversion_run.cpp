#include "cli/inversion_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <system_error>

#include "cli/run_lines.hpp"
#include "cli/run_settings.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "cli/unit_flags.hpp"
#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/difference_io.hpp"
#include "io/geometry.hpp"
#include "io/joint_io.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"
#include "tomography/doubts.hpp"
#include "tomography/joint/invert_joint.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

int planned_iterations(const InversionInputs& inputs) {
    if (inputs.options.method != InversionMethod::hole) {
        return inputs.options.gauss_newton.iterations;
    }
    const auto schedule = inputs.options.schedule.empty() ? default_schedule(inputs.start.grid())
                                                          : inputs.options.schedule;
    return std::accumulate(schedule.begin(), schedule.end(), 0,
                           [](int sum, const Stage& stage) { return sum + stage.iterations; });
}

/// Writes how well the inversion recovered a checkerboard.
void write_recovery(const RunFolder& folder, const InversionInputs& inputs,
                    const InversionResult& found, const std::string& identity, bool quiet) {
    CsvWriter table(folder.file("recovery.csv"),
                    {"min_coverage", "nodes", "correlation", "amplitude"}, identity);
    for (const std::int64_t least : {1, 10}) {
        const Recovery score = recovery(inputs.start.first(), *inputs.board, found.model,
                                        found.coverage, static_cast<double>(least));
        table.add_row({least, score.nodes, score.correlation, score.amplitude});
        if (quiet) continue;
        fmt::print(
            "recovery where at least {} ray{}: correlation {:.3f}, amplitude {:.3f}, {} nodes\n",
            least, least == 1 ? " passes" : "s pass", score.correlation, score.amplitude,
            score.nodes);
    }
    table.commit();
}

/// Reports what was chosen for the user, and inconsistencies of the inputs.
void tell_setup(const InversionInputs& inputs, const Run& run) {
    for (const std::string& sentence : inputs.choices) say(run, "chosen: " + with_flags(sentence));
    warn(inputs.warnings);
}

/// The files that the run will write under names that people use for files of their own too.
std::vector<std::string> shared_names(const InversionInputs& inputs) {
    std::vector<std::string> names;
    const auto add = [&](bool written, std::initializer_list<const char*> files) {
        if (written) names.insert(names.end(), files.begin(), files.end());
    };
    add(inputs.board.has_value(), {"board.h5", "picks.csv"});
    add(inputs.guessed_start, {"start.h5"});
    add(inputs.options.joint.relocate != Relocate::none, {"events.csv", "moved_picks.csv"});
    add(!inputs.picks.differences.empty(), {"differences.csv"});
    add(phases_of(inputs.picks).size() > 1, {"s_model.h5"});
    return names;
}

}  // namespace

std::optional<InversionState> enter_run(RunFolder& folder, const Grid& grid, const RunPlan& plan,
                                        bool resume, const Run& run) {
    folder.open();
    const fs::path checkpoint = folder.file(checkpoint_name);
    std::error_code ignored;
    // A run that was stopped before its first update has no checkpoint.
    if (resume && fs::exists(checkpoint, ignored)) {
        auto state = read_checkpoint(checkpoint, grid, plan.identity);
        folder.go_on(plan);
        return state;
    }
    const std::string told = folder.start(plan);
    if (!told.empty()) say(run, printable(told));
    return std::nullopt;
}

InversionResult run_inversion(const InversionInputs& inputs, RunFolder& folder,
                              const RunStart& start, const IterationChoice& kept, const Run& run) {
    if (!kept.empty() && is_joint(inputs.picks, inputs.options)) {
        throw InputError(
            "--keep is given for an inversion of two phases or with --relocate (it is for one "
            "velocity and events that stay)");
    }
    std::optional<InversionState> state;
    std::string identity;
    together(run.ranks, [&] {
        require_invertible(inputs.start, inputs.picks, inputs.options, run.common.device);
        if (!run.ranks.is_root()) return;
        identity = run_fingerprint(inputs.start, inputs.picks, inputs.options, run.common.device);
        const RunPlan plan{identity, shared_names(inputs), start.overwrite,
                           with_choices(with_units(run.settings, inputs.units),
                                        {inputs.options, inputs.start.grid(), inputs.guessed_start,
                                         inputs.choices}),
                           run.inputs};
        state = enter_run(folder, inputs.start.grid(), plan, start.resume, run);
        tell_setup(inputs, run);
        if (state) say(run, fmt::format("going on after iteration {}", state->iteration()));
        if (inputs.guessed_start)
            write_model(folder.file("start.h5"), inputs.start.first(), identity);
        if (!inputs.board) return;
        write_model(folder.file("board.h5"), *inputs.board, identity);
        write_model_picks(inputs.start.first(), folder.file("picks.csv"), inputs.picks, identity);
    });
    const int planned = planned_iterations(inputs);
    InversionListener listener;
    listener.iteration = [&](const IterationReport& report, const Model&) {
        say(run, line_of(report, planned));
    };
    IterationKeeper keeper(inputs.picks, inputs.options, folder, identity, run);
    if (!kept.empty()) keeper.listen(listener, kept);
    listener.update = [&](const InversionState& now) {
        write_history(folder.file("history.csv"), now.history, identity);
        write_checkpoint(folder.file(checkpoint_name), inputs.start.place(), now, identity);
    };
    InversionResult result = invert(inputs.start, inputs.picks, inputs.options, run.execution(),
                                    listener, std::move(state));
    together(run.ranks, [&] {
        if (!run.ranks.is_root()) return;
        write_coverage(folder.file("coverage.h5"), inputs.start.grid(), result.coverage, identity);
        write_residuals(folder.file("residuals.csv"), inputs.picks, result, identity);
        write_history(folder.file("history.csv"), result.history, identity);
        write_terms(folder.file("terms.csv"), inputs.picks, result.terms, identity);
        write_events(folder.file("events.csv"), inputs.picks, result, identity, inputs.plane);
        if (!inputs.picks.differences.empty()) {
            write_difference_fits(folder.file("differences.csv"), inputs.picks,
                                  inputs.picks.differences, result.differences, identity);
        }
        SurveyFile moved{{}, inputs.picks, inputs.plane, inputs.projection};
        moved.polarities = inputs.polarities;
        write_moved_picks(folder.file("moved_picks.csv"), std::move(moved), result, identity);
        if (result.s_model) {
            write_model(folder.file("s_model.h5"), *result.s_model, identity);
            write_vp_vs(folder.file("vp_vs.h5"), result, identity);
            write_coverage(folder.file("s_coverage.h5"), inputs.start.grid(), result.s_coverage,
                           identity);
        }
        write_model(folder.file("model.h5"), result.model, identity);
        say(run, ending_of(result));
        if (!result.events.empty()) say(run, relocation_of(result));
        for (const std::string& line : describe(inputs.picks.differences, result.differences)) {
            say(run, with_flags(line));
        }
        if (!kept.empty()) say(run, keeper.summary(kept, result.history.back().iteration));
        warn(doubts_about(inputs.start.first(), inputs.picks, inputs.options, result));
        if (inputs.board) write_recovery(folder, inputs, result, identity, run.common.quiet);
        folder.finish();
        if (!result.events.empty()) {
            Notes notes;
            write_export(inputs.exported, inputs.picks, inputs.plane,
                         catalogue_of(inputs.picks, result), {}, notes);
            tell(notes);
        }
    });
    return result;
}

}  // namespace fermat::cli
