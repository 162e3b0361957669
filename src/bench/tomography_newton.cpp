#include <fmt/format.h>

#include <string>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "bench/tomography.hpp"
#include "bench/tomography_survey.hpp"
#include "core/version.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {

void bench_gauss_newton(const TomographyBench& bench, Monitor& monitor) {
    const TomographySurvey survey =
        bench.unknowns > 0 ? local_survey(bench.unknowns, bench.picks, bench.threads, monitor)
                           : potrillo_survey(bench.threads, monitor);
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.eikonal.threads = bench.threads;
    options.eikonal.device = bench.device;
    options.gauss_newton.iterations = bench.iterations;
    if (bench.unknowns > 0) options.gauss_newton.ratio = {1, 1, 1};

    const Shape nodes = survey.start.grid().shape;
    fmt::print("{} x {} x {} nodes, {} picks\n", nodes.x, nodes.y, nodes.z,
               survey.picks.picks.size());
    const MemoryProbe memory;
    const Stopwatch watch;
    const InversionResult result = invert(survey.start, survey.picks, options, {}, monitor);
    const double seconds = watch.seconds();
    BenchTable table(
        fmt::format("fermat {}: tomography by Gauss-Newton, {} thread{}{}; seconds of each "
                    "iteration",
                    version, bench.threads, bench.threads == 1 ? "" : "s",
                    bench.device == Device::cuda ? " and the CUDA device" : ""),
        {"iteration", "passes", "times", "rays", "step", "total", "chi2", "rms"}, bench.csv);
    for (const IterationReport& report : result.history) {
        const IterationSeconds& took = report.seconds;
        table.add({static_cast<double>(report.iteration), static_cast<double>(report.passes),
                   took.times, took.rays, took.update, took.total(), report.misfit.chi2,
                   report.misfit.rms});
    }
    const Misfit& first = result.history.front().misfit;
    const Misfit& last = result.history.back().misfit;
    fmt::print(
        "{} iterations, {} passes in {:.3g} s, {:.3g} s per pass; rms {:.4g} -> {:.4g}, noise "
        "{:g}; {} rays, {} lost; memory {:.3g} GB\n",
        result.history.back().iteration, result.history.back().passes, seconds,
        seconds / result.history.back().passes, first.rms, last.rms, survey.noise, last.used,
        last.lost, 1e-9 * memory.peak_bytes());
    table.commit();
}

}  // namespace fermat::bench
