#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands.hpp"
#include "cli/device_flags.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/graph_flags.hpp"
#include "cli/medium_flags.hpp"
#include "cli/ray_outputs.hpp"
#include "cli/ray_survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/vector_coverage.hpp"
#include "rays/integrate.hpp"
#include "rays/rays.hpp"

namespace fermat::cli {
namespace {

struct RaysFlags {
    MediumFlags medium;
    RaySurveyFlags survey;
    RayOptions rays;
    SolverFlags solver;
    std::vector<int> devices;
    std::optional<std::filesystem::path> read;
    RayOutputFlags outputs;
};

void add_flags(CLI::App& app, RaysFlags& flags) {
    add_medium_flags(app, flags.medium);
    add_ray_survey_flags(app, flags.survey,
                         "picks, CSV or .sgt: their pairs, and their points where none are given");
    add_path(
        app, "--read", flags.read,
        "vector coverage XML: take its rays instead of tracing, for --coverage and the others");
    add_option_flags(app, flags.rays, flags.solver.axes);
    add_solver_flags(app, flags.solver);
    add_device_flags(app, flags.devices);
    add_output(app, "-o,--output", flags.outputs.rays, "rays to write: .h5");
    add_text_output(app, "--table", flags.outputs.table,
                    "CSV to write (-: standard output): source,receiver,time,length,points,status "
                    "(and start, if bent)");
    add_output(app, "--sensitivity", flags.outputs.sensitivity,
               "sparse matrix to write: .h5, one row per ray");
    add_choice(app, "--basis", flags.outputs.basis, "columns of --sensitivity");
    add_output(app, "--coverage", flags.outputs.coverage,
               "rays and ray length in each cell to write: .h5");
    add_text_output(app, "--vector-coverage", flags.outputs.vector_coverage,
                    "XML to write (-: standard output): shot, receiver, pick time and vertices of "
                    "each ray");
}

void check(const RaysFlags& flags, const CommonOptions& common) {
    const bool graph = flags.rays.tracer == Tracer::graph;
    if (graph) {
        check_graph_device(flags.solver, common);
    } else {
        usable_device(common);
    }
    if (flags.solver.names_graph() && !graph && flags.rays.tracer != Tracer::bending) {
        throw InputError(fmt::format(
            "--solver is '{}' (makes no field for --tracer {}: use --tracer graph)",
            name_of(std::get<GraphSolver>(*flags.solver.solver)), name_of(flags.rays.tracer)));
    }
    if (flags.solver.names_eikonal() && graph) {
        throw InputError(fmt::format("--solver is '{}' (--tracer graph needs one of {})",
                                     name_of(std::get<Solver>(*flags.solver.solver)),
                                     names_of<GraphSolver>()));
    }
    const auto outputs = flags.outputs.files();
    if (std::none_of(outputs.begin(), outputs.end(), [](const auto& o) { return o.path; })) {
        throw InputError(
            "nothing to write (use -o rays.h5, --table, --sensitivity, --coverage or "
            "--vector-coverage)");
    }
    for (const FlagFile& output : outputs) {
        const bool text = output.flag == "--table" || output.flag == "--vector-coverage";
        if (!text) check_hdf5_output(output);
    }
}

/// Rays of a file, with their times in the model.
void take_rays_of_file(const RaysFlags& flags, const Medium& medium, Notes& notes, const Run& run) {
    const RaySurveyFlags& survey = flags.survey;
    if (!survey.source.empty() || survey.sources || survey.receivers || survey.pairs ||
        survey.picks || !survey.phases.empty()) {
        throw InputError("--read brings its own rays (leave out sources, receivers and picks)");
    }
    const Model& model = medium.first();
    VectorCoverage read = read_vector_coverage(*flags.read, notes);
    try {
        integrate_rays(model, read.rays);
    } catch (const InputError& error) {
        throw InputError(fmt::format("'{}': {}", flags.read->string(), error.what()));
    }
    tell(notes);
    RayOutputs outputs(flags.outputs, medium, {Phase::P}, std::move(read.pick_times),
                       run.common.threads, Tracer::descent);
    outputs.take(read.rays);
    run.monitor.check();
    outputs.commit();
    if (!run.common.quiet && !is_standard_output(flags.outputs.table) &&
        !is_standard_output(flags.outputs.vector_coverage)) {
        fmt::print("{}\n", outputs.summary());
    }
}

void trace(const RaysFlags& flags, const Run& run) {
    check(flags, run.common);
    const auto devices = named_devices(flags.devices, run.common);
    RayOptions options = flags.rays;
    options.eikonal = eikonal_options(flags.solver);
    Notes notes;
    const Medium medium = medium_of(flags.medium, notes);
    if (flags.read) {
        take_rays_of_file(flags, medium, notes, run);
        return;
    }
    const Model& model = medium.first();
    options.graph = graph_options(flags.solver, model.grid());
    validate(options, model.grid());
    const Survey survey = read_ray_survey(model, flags.survey, notes);
    tell(notes);
    std::vector<double> pick_times;
    if (flags.survey.picks) {
        for (const Arrival& pick : survey.arrivals) pick_times.push_back(pick.time);
    }
    RayOutputs outputs(flags.outputs, medium, phases_of(survey), std::move(pick_times),
                       run.common.threads, options.tracer);

    const auto start = std::chrono::steady_clock::now();
    Notes of_rays;
    for_each_event_rays(
        medium, survey, options, run.execution(), [&](RaySet&& rays) { outputs.take(rays); },
        &of_rays);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    run.monitor.check();
    tell(of_rays);
    outputs.commit();
    if (!run.common.quiet && !is_standard_output(flags.outputs.table) &&
        !is_standard_output(flags.outputs.vector_coverage)) {
        fmt::print("{} in {:.3g} s\n", outputs.summary(), spent.count());
    }
}

}  // namespace

void add_rays_command(Program& program) {
    program.add_command<RaysFlags>(
        program.root(), "rays", "Rays between sources and receivers, and how they sample the model",
        "fermat model gradient --shape 65,65,33 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n"
        "printf 'x,y,z\\n1,1,0\\n5,5,0\\n' > sources.csv\n"
        "printf 'x,y,z\\n6,1,0\\n6,3,0\\n6,5,0\\n' > receivers.csv\n"
        "fermat rays --model model.h5 --sources sources.csv --receivers receivers.csv "
        "-o rays.h5 --table rays.csv --coverage coverage.h5",
        &add_flags, &trace);
}

}  // namespace fermat::cli
