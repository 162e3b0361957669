#include "bench/tomography.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "bench/measure.hpp"
#include "bench/paper_schedule.hpp"
#include "bench/table.hpp"
#include "bench/tomography_survey.hpp"
#include "core/version.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {
namespace {

/// Paper 4, Table 1: seconds of cell and of vertex smoothing of the stage, by its basic algorithm.
struct PaperSeconds {
    double cell;
    double vertex;
};
constexpr std::array<PaperSeconds, 6> paper = {{{113.716, 97.731},
                                                {41.541, 36.235},
                                                {6.332, 6.240},
                                                {1.718, 1.914},
                                                {0.170, 0.292},
                                                {0.064, 0.153}}};

/// Means over the iterations of a stage.
void add_stage(BenchTable& table, const InversionResult& result, int stage) {
    IterationSeconds sum;
    double rms = 0;
    int count = 0;
    std::string cell;
    std::string vertex;
    for (const IterationReport& report : result.history) {
        if (report.stage != stage) continue;
        sum.times += report.seconds.times;
        sum.rays += report.seconds.rays;
        sum.cell_smoothing += report.seconds.cell_smoothing;
        sum.vertex_smoothing += report.seconds.vertex_smoothing;
        sum.update += report.seconds.update;
        rms = report.misfit.rms;
        cell = to_string(report.cell);
        vertex = to_string(report.vertex);
        ++count;
    }
    const PaperSeconds& theirs = paper[static_cast<std::size_t>(stage - 1)];
    table.add({std::string_view(cell), std::string_view(vertex), sum.times / count,
               sum.rays / count, sum.cell_smoothing / count, sum.vertex_smoothing / count,
               sum.update / count, theirs.cell, theirs.vertex, rms});
}

}  // namespace

void bench_tomography(const TomographyBench& bench, Monitor& monitor) {
    const TomographySurvey survey = potrillo_survey(bench.threads, monitor);
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = paper_schedule();
    for (Stage& stage : options.schedule) stage.iterations = bench.iterations;

    const Stopwatch watch;
    const InversionResult result =
        invert(survey.start, survey.picks, options, {bench.threads, bench.device, monitor});
    const double seconds = watch.seconds();
    BenchTable table(
        fmt::format("fermat {}: tomography, {} thread{}{}; seconds of one iteration, mean of {} "
                    "(paper 4, Table 1: times 0.248, rays 0.054, smoothing as told)",
                    version, bench.threads, bench.threads == 1 ? "" : "s",
                    bench.device == Device::cuda ? " and the CUDA device" : "", bench.iterations),
        {"cells", "vertices", "times", "rays", "cell_smoothing", "vertex_smoothing", "update",
         "paper_cell", "paper_vertex", "rms"},
        bench.csv);
    for (int stage = 1; stage <= static_cast<int>(paper.size()); ++stage) {
        add_stage(table, result, stage);
    }
    double smoothing = 0;
    for (const IterationReport& report : result.history) {
        smoothing += report.seconds.cell_smoothing + report.seconds.vertex_smoothing;
    }
    const Misfit& first = result.history.front().misfit;
    const Misfit& last = result.history.back().misfit;
    fmt::print(
        "{} iterations in {:.3g} s, smoothing {:.2g} % of it; rms {:.4g} -> {:.4g}, noise {:g}; "
        "{} rays, {} lost\n",
        result.history.back().iteration, seconds, 100 * smoothing / seconds, first.rms, last.rms,
        survey.noise, last.used, last.lost);
    table.commit();
}

}  // namespace fermat::bench
