#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/bench_eikonal.hpp"
#include "cli/bench_rays.hpp"
#include "cli/bench_smoothing.hpp"
#include "cli/bench_tomography.hpp"
#include "cli/commands.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "core/parallel.hpp"
#include "core/version.hpp"

namespace fermat::cli {
namespace {

struct BenchFlags {
    bool quick = false;
    int repeats = 0;  ///< 0: not given
    EikonalBench bench;
    std::optional<std::filesystem::path> csv;
};

void add_flags(CLI::App& app, BenchFlags& flags) {
    app.add_flag("--quick", flags.quick, "cubes up to 128^3 only, and fewer runs");
    add_value(app, "--repeat", "R", flags.repeats,
              "runs of each, of which the median is told (default: 5; 3 with --quick)",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 1, 1000);
              });
    add_value(app, "--largest", "N", flags.bench.largest, "leave out grids above N a side",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 64, 1600);
              })
        ->default_str("1600");
    add_path(app, "--csv", flags.csv, "CSV to write: all rows and columns");
}

void run_eikonal(const BenchFlags& flags, const Run& run) {
    require_cpu(run.common, "fermat bench eikonal");
    constexpr int quick_volume = 128;
    EikonalBench bench = flags.bench;
    bench.repeats = flags.repeats > 0 ? flags.repeats : flags.quick ? 3 : 5;
    bench.threads = resolve_threads(run.common.threads);
    if (flags.quick) bench.largest_volume = quick_volume;
    BenchReport report(flags.csv);
    report.say(fmt::format("fermat {}: eikonal solvers, {} thread{}, median of {}", version,
                           bench.threads, bench.threads == 1 ? "" : "s", bench.repeats));
    // No bar: it would draw between the rows and into the time that is measured.
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_eikonal(bench, report, stop_only);
    run.monitor.check();
    report.commit();
}

void add_rays_flags(CLI::App& app, RaysBench& bench) {
    add_value(app, "--repeat", "R", bench.repeats, "runs of each, of which the median is told",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 1, 1000);
              })
        ->default_str("5");
    add_value(app, "--largest", "N", bench.largest, "leave out cubes above N nodes a side",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 64, 1600);
              })
        ->default_str("256");
    add_value(app, "--rays", "N", bench.rays, "rays of each cube",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 1, 1000000);
              })
        ->default_str("1000");
    add_path(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_rays(const RaysBench& flags, const Run& run) {
    require_cpu(run.common, "fermat bench rays");
    RaysBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_rays(bench, stop_only);
}

void add_smoothing_flags(CLI::App& app, SmoothingBench& bench) {
    app.add_flag("--quick", bench.quick, "without basic where it takes seconds, and fewer runs");
    add_value(app, "--repeat", "R", bench.repeats,
              "runs of table and running, of which the median is told (default: 21; 5 with "
              "--quick)",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 1, 100000);
              });
    add_path(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_smoothing(const SmoothingBench& flags, const Run& run) {
    require_cpu(run.common, "fermat bench smoothing");
    SmoothingBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_smoothing(bench, stop_only);
}

void add_tomography_flags(CLI::App& app, TomographyBench& bench) {
    add_value(app, "--iterations", "N", bench.iterations, "of each of the six stages",
              [](std::string_view flag, std::string_view text) {
                  return parse_whole(flag, text, 1, 1000);
              })
        ->default_str("6");
    add_path(app, "--csv", bench.csv, "CSV to write: the same rows");
}

void run_tomography(const TomographyBench& flags, const Run& run) {
    require_cpu(run.common, "fermat bench tomography");
    TomographyBench bench = flags;
    bench.threads = resolve_threads(run.common.threads);
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    bench_tomography(bench, stop_only);
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
    program.add_command<RaysBench>(
        group, "rays", "Rays per second and their accuracy, and the sensitivity matrix",
        "fermat bench rays --largest 64 --rays 100 --repeat 1 --threads 1", &add_rays_flags,
        &run_rays);
    program.add_command<SmoothingBench>(
        group, "smoothing", "Smoothing: paper 4's tables, four methods side by side",
        "fermat bench smoothing --quick --threads 1", &add_smoothing_flags, &run_smoothing);
    program.add_command<TomographyBench>(
        group, "tomography", "The tomography loop: paper 4's Table 1, seconds by stage",
        "fermat bench tomography --iterations 1", &add_tomography_flags, &run_tomography);
}

}  // namespace fermat::cli
