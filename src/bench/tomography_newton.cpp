#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "bench/tomography.hpp"
#include "bench/tomography_survey.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "tomography/gauss_newton/memory_estimate.hpp"
#include "tomography/gauss_newton/unknowns.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {
namespace {

/// Says how large the problem is.
MemoryEstimate announce(const TomographySurvey& survey, Index3 ratio, int threads, bool cuda) {
    MemoryPlan plan{survey.start.grid(), ratio};
    plan.threads = threads;
    plan.cuda = cuda;
    const MemoryEstimate estimate = estimate_memory(plan, survey.picks);
    const Shape nodes = plan.grid.shape;
    fmt::print("{} x {} x {} nodes, {} unknowns, {} picks, about {:.3g} entries of rows\n", nodes.x,
               nodes.y, nodes.z, estimate.unknowns, survey.picks.arrivals.size(), estimate.entries);
    return estimate;
}

}  // namespace

void bench_gauss_newton(const TomographyBench& bench, Monitor& monitor) {
    const TomographySurvey survey =
        bench.unknowns > 0 ? local_survey(bench.unknowns, bench.picks, bench.threads, monitor)
                           : potrillo_survey(bench.threads, monitor);
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.gauss_newton.iterations = bench.iterations;
    constexpr std::size_t most_unknowns = 30000;  // what an inversion chooses by itself
    options.gauss_newton.ratio =
        bench.unknowns > 0 ? Index3{1, 1, 1} : unknowns_ratio(survey.start, most_unknowns);

    const bool cuda = bench.device == Device::cuda;
    const MemoryEstimate estimate =
        announce(survey, options.gauss_newton.ratio, bench.threads, cuda);
    const MemoryProbe memory;
    std::size_t on_device = 0;
    InversionListener listener;
    if (cuda) {
        listener.iteration = [&](const IterationReport&, const Model&) {
            on_device = std::max(on_device, device_memory_taken());
        };
    }
    const Stopwatch watch;
    const InversionResult result = invert(survey.start, survey.picks, options,
                                          {bench.threads, bench.device, monitor}, listener);
    const double seconds = watch.seconds();
    BenchTable table(
        fmt::format("fermat {}: tomography by Gauss-Newton, {} thread{}{}; seconds of each "
                    "iteration",
                    version, bench.threads, bench.threads == 1 ? "" : "s",
                    cuda ? " and the CUDA device" : ""),
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
        "{:g}; {} rays, {} lost; memory {:.3g} GB{} (estimated {:.3g}{})\n",
        result.history.back().iteration, result.history.back().passes, seconds,
        seconds / result.history.back().passes, first.rms, last.rms, survey.noise, last.used,
        last.lost, 1e-9 * memory.peak_bytes(),
        cuda ? fmt::format(", {:.3g} GB of the device", 1e-9 * static_cast<double>(on_device)) : "",
        1e-9 * estimate.host(), cuda ? fmt::format(", {:.3g}", 1e-9 * estimate.device()) : "");
    table.commit();
}

}  // namespace fermat::bench
