#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench/adjoint.hpp"
#include "bench/bending.hpp"
#include "bench/eikonal.hpp"
#include "bench/graph.hpp"
#include "bench/metric.hpp"
#include "bench/phases.hpp"
#include "bench/rays.hpp"
#include "bench/tomography.hpp"
#include "cli/commands.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/paper_command.hpp"
#include "core/parallel.hpp"
#include "core/version.hpp"

namespace fermat::cli {
namespace {

using namespace bench;

struct BenchFlags {
    bool quick = false;
    int repeats = 0;  ///< 0: not given
    EikonalBench bench;
    std::optional<std::filesystem::path> csv;
};

void add_flags(CLI::App& app, BenchFlags& flags) {
    app.add_flag("--quick", flags.quick, "cubes up to 128^3 only, and fewer runs");
    add_whole(app, "--repeat", "R", flags.repeats,
              "runs of each, of which the median is told (default: 5; 3 with --quick)", 1, 1000);
    add_whole(app, "--largest", "N", flags.bench.largest, "leave out grids above N a side", 64,
              1600)
        ->default_str("1600");
    add_output(app, "--csv", flags.csv, "CSV to write: all rows and columns");
}

void run_eikonal(const BenchFlags& flags, const Run& run) {
    constexpr int quick_volume = 128;
    EikonalBench bench = flags.bench;
    bench.repeats = flags.repeats > 0 ? flags.repeats : flags.quick ? 3 : 5;
    bench.threads = resolve_threads(run.common.threads);
    if (flags.quick) bench.largest_volume = quick_volume;
    if (usable_device(run.common) == Device::cuda) {
        if (!flags.quick) bench.largest_volume = 1024;
        bench_eikonal_cuda(bench, flags.csv, run.monitor);
        return;
    }
    BenchReport report(flags.csv);
    report.say(fmt::format("fermat {}: eikonal solvers, {} thread{}, median of {}", version,
                           bench.threads, bench.threads == 1 ? "" : "s", bench.repeats));
    // No progress bar: it would draw between the rows and slow down what is measured.
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_eikonal(bench, report, stop_only);
    run.monitor.check();
    report.commit();
}

void add_rays_flags(CLI::App& app, RaysBench& bench) {
    add_whole(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told", 1,
              1000)
        ->default_str("5");
    add_whole(app, "--largest", "N", bench.largest, "leave out cubes above N nodes a side", 64,
              1600)
        ->default_str("256");
    add_whole(app, "--rays", "N", bench.rays, "rays of each cube", 1, 1000000)->default_str("1000");
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_rays(const RaysBench& flags, const Run& run) {
    RaysBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    if (usable_device(run.common) == Device::cuda) {
        bench_rays_cuda(bench, run.monitor);
        return;
    }
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_rays(bench, stop_only);
}

void add_phases_flags(CLI::App& app, PhasesBench& bench) {
    add_whole(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told", 1,
              1000)
        ->default_str("3");
    add_whole(app, "--nodes", "N", bench.nodes, "of the cube, per side", 9, 1025)
        ->default_str("257");
    add_whole(app, "--rays", "N", bench.rays, "rays of each medium", 1, 100000000)
        ->default_str("1000000");
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_phases(const PhasesBench& flags, const Run& run) {
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_phases(flags, run.execution().heard_by(stop_only));
}

void add_graph_flags(CLI::App& app, GraphBench& bench) {
    app.add_flag("--quick", bench.quick, "four sizes up to 512, radii 1 and 6");
    add_whole(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told", 1,
              1000)
        ->default_str("3");
    add_whole(app, "--largest", "N", bench.largest, "leave out grids above N nodes a side", 128,
              1600)
        ->default_str("1600");
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_graph(const GraphBench& flags, const Run& run) {
    GraphBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    if (usable_device(run.common) == Device::cuda) {
        bench_graph_cuda(bench, stop_only);
    } else {
        bench_graph(bench, stop_only);
    }
}

void add_tomography_flags(CLI::App& app, TomographyBench& bench) {
    add_whole(app, "--iterations", "N", bench.iterations,
              "of each of the six stages of hole; at most, of gauss-newton", 1, 1000)
        ->default_str("6");
    add_choice(app, "--method", bench.method, "which loop");
    add_choice(app, "--solver", bench.solver, "of hole: method of the traveltimes");
    add_choice(app, "--tracer", bench.tracer, "of hole: method of the rays");
    add_choice(app, "--smoother", bench.smoother, "of hole: method of the smoothing");
    add_whole(app, "--unknowns", "N", bench.unknowns,
              "of gauss-newton: a cube of about N unknowns, in place of Potrillo's size", 1000,
              100000000);
    add_whole(app, "--picks", "N", bench.picks, "of that cube, about", 1, 10000000)
        ->default_str("200000");
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_tomography(const TomographyBench& flags, const Run& run) {
    TomographyBench bench = flags;
    if (usable_device(run.common) == Device::cuda) bench.device = Device::cuda;
    bench.threads = resolve_threads(run.common.threads);
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    if (bench.method == InversionMethod::hole && bench.unknowns == 0) {
        bench_tomography(bench, stop_only);
    } else {
        bench_gauss_newton(bench, stop_only);
    }
}

void add_bending_flags(CLI::App& app, BendingBench& bench) {
    app.add_flag("--quick", bench.quick, "a tenth of the sources, a coarser reference, one run");
    add_whole(app, "--repeat", "R", bench.repeats,
              "runs of each, of which the median is told (default: 3; 1 with --quick)", 1, 1000);
    add_whole(app, "--refine", "N", bench.refine,
              "cells of the eikonal reference along one of the model's (default: 4; 2 with "
              "--quick)",
              1, 16);
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
    add_output_folder(
        app, "--write", bench.write,
        "folder to write the set into, instead: model.h5, sources.csv, receivers.csv, pairs.csv");
}

void run_bending(const BendingBench& flags, const Run& run) {
    BendingBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    bench.cuda = usable_device(run.common) == Device::cuda;
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_bending(bench, stop_only);
}

void add_adjoint_flags(CLI::App& app, AdjointBench& bench) {
    add_whole(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told", 1,
              1000)
        ->default_str("5");
    add_whole(app, "--largest", "N", bench.largest,
              "leave out cubes above N nodes a side, and squares above 8 N", 64, 1600)
        ->default_str("129");
    add_whole(app, "--shots", "N", bench.shots,
              "and one gradient of a survey of N shots on 128^3 nodes", 0, 1000000);
    add_whole(app, "--receivers", "N", bench.receivers, "of that survey", 1, 1000000)
        ->default_str("1000");
    add_whole(app, "--media", "N", bench.media,
              "instead: curved and anisotropic media of N^3 nodes", 9, 2000);
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_adjoint(const AdjointBench& flags, const Run& run) {
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_adjoint(flags,
                  {resolve_threads(run.common.threads), usable_device(run.common), stop_only});
}

void add_metric_flags(CLI::App& app, MetricBench& bench) {
    app.add_flag("--quick", bench.quick, "a third of the nodes per axis, and 100 rays");
    add_whole(app, "--nodes", "N", bench.nodes,
              "nodes along each axis (default: those of the published measurements)", 5, 2000);
    add_whole(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told", 1,
              1000)
        ->default_str("3");
    add_output(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_metric(const MetricBench& flags, const Run& run) {
    MetricBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    if (usable_device(run.common) == Device::cuda) bench.device = Device::cuda;
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_metric(bench, stop_only);
}

}  // namespace

void add_bench_commands(Program& program) {
    CLI::App& group = program.add_group(
        "bench", "Measure speed and accuracy: the papers' tables, on this machine",
        "fermat bench eikonal --largest 64 --repeat 1 --threads 1");
    program.add_command<BenchFlags>(
        group, "eikonal", "Traveltime fields: papers 5 and 1, cubes, threads",
        "fermat bench eikonal --quick --largest 100 --repeat 1 --threads 1 --csv bench.csv",
        &add_flags, &run_eikonal);
    program.add_command<AdjointBench>(group, "adjoint",
                                      "Derivatives of traveltimes: the adjoint beside the solve",
                                      "fermat bench adjoint --largest 65 --repeat 1 --threads 1",
                                      &add_adjoint_flags, &run_adjoint);
    program.add_command<BendingBench>(
        group, "bending", "Two-point rays: paper 3's figure 7, accuracy, and the set itself",
        "fermat bench bending --write costa-rica\n"
        "fermat rays --model costa-rica/model.h5 --sources costa-rica/sources.csv --receivers "
        "costa-rica/receivers.csv --pairs costa-rica/pairs.csv --tracer bending --starts straight "
        "--table rays.csv",
        &add_bending_flags, &run_bending);
    program.add_command<RaysBench>(
        group, "rays", "Rays per second and their accuracy, and the sensitivity matrix",
        "fermat bench rays --largest 64 --rays 100 --repeat 1 --threads 1", &add_rays_flags,
        &run_rays);
    program.add_command<PhasesBench>(group, "phases", "Reflections in layers: rays per second",
                                     "fermat bench phases --nodes 33 --rays 100 --repeat 1",
                                     &add_phases_flags, &run_phases);
    program.add_command<GraphBench>(
        group, "graph", "Shortest paths on the grid graph: paper 1's Figures 7 and 8",
        "fermat bench graph --quick --largest 128 --repeat 1 --threads 1 --csv graph.csv",
        &add_graph_flags, &run_graph);
    program.add_command<MetricBench>(
        group, "metric", "Spherical, graded, terrain-following and anisotropic media",
        "fermat bench metric --quick --repeat 1 --threads 1", &add_metric_flags, &run_metric);
    program.add_command<TomographyBench>(
        group, "tomography", "The tomography loop: paper 4's Table 1, seconds by stage",
        "fermat bench tomography --iterations 1", &add_tomography_flags, &run_tomography);
    program.add_command<PaperFlags>(
        group, "paper", "The tables and figures of one of the five papers, beside its values",
        "fermat bench paper 5 --quick --threads 1 --csv paper5.csv", &add_paper_flags, &run_paper);
}

}  // namespace fermat::cli
