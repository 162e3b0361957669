#include "bench/tomography.hpp"

#include <fmt/format.h>

#include <string>

#include "bench/measure.hpp"
#include "bench/paper_schedule.hpp"
#include "bench/papers/paper4_published.hpp"
#include "bench/table.hpp"
#include "bench/tomography_survey.hpp"
#include "core/version.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {
namespace {

InversionOptions options_of(const TomographyBench& bench) {
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.eikonal.solver = bench.solver;
    options.tracer = bench.tracer;
    options.smoother = bench.smoother;
    options.schedule = paper_schedule();
    for (Stage& stage : options.schedule) stage.iterations = bench.iterations;
    return options;
}

std::vector<StageMeans> stages_of(const InversionResult& result) {
    std::vector<StageMeans> stages(table_1.size());
    std::vector<int> counts(stages.size());
    for (const IterationReport& report : result.history) {
        if (report.stage == 0) continue;
        const auto n = static_cast<std::size_t>(report.stage - 1);
        StageMeans& stage = stages[n];
        stage.seconds.times += report.seconds.times;
        stage.seconds.rays += report.seconds.rays;
        stage.seconds.cell_smoothing += report.seconds.cell_smoothing;
        stage.seconds.vertex_smoothing += report.seconds.vertex_smoothing;
        stage.seconds.update += report.seconds.update;
        stage.rms = report.misfit.rms;
        stage.cell = to_string(report.cell);
        stage.vertex = to_string(report.vertex);
        ++counts[n];
    }
    for (std::size_t n = 0; n < stages.size(); ++n) {
        IterationSeconds& seconds = stages[n].seconds;
        for (double* part : {&seconds.times, &seconds.rays, &seconds.cell_smoothing,
                             &seconds.vertex_smoothing, &seconds.update}) {
            *part /= counts[n];
        }
    }
    return stages;
}

}  // namespace

std::vector<StageMeans> potrillo_stages(const TomographyBench& bench, int shots, Monitor& monitor) {
    const TomographySurvey survey = potrillo_survey(bench.threads, monitor, shots);
    return stages_of(invert(survey.start, survey.picks, options_of(bench),
                            {bench.threads, bench.device, monitor}));
}

void bench_tomography(const TomographyBench& bench, Monitor& monitor) {
    const TomographySurvey survey = potrillo_survey(bench.threads, monitor);
    const Stopwatch watch;
    const InversionResult result = invert(survey.start, survey.picks, options_of(bench),
                                          {bench.threads, bench.device, monitor});
    const double seconds = watch.seconds();
    BenchTable table(
        fmt::format("fermat {}: tomography by {}, {} and {}, {} thread{}{}; seconds of one "
                    "iteration, mean of {} (paper 4, Table 1: times {}, rays {}, smoothing as "
                    "told)",
                    version, name_of(bench.solver), name_of(bench.tracer), name_of(bench.smoother),
                    bench.threads, bench.threads == 1 ? "" : "s",
                    bench.device == Device::cuda ? " and the CUDA device" : "", bench.iterations,
                    table_1_times, table_1_rays),
        {"cells", "vertices", "times", "rays", "cell_smoothing", "vertex_smoothing", "update",
         "paper_cell", "paper_vertex", "rms"},
        bench.csv);
    const std::vector<StageMeans> stages = stages_of(result);
    double smoothing = 0;
    for (std::size_t n = 0; n < stages.size(); ++n) {
        const StageMeans& stage = stages[n];
        table.add({std::string_view(stage.cell), std::string_view(stage.vertex),
                   stage.seconds.times, stage.seconds.rays, stage.seconds.cell_smoothing,
                   stage.seconds.vertex_smoothing, stage.seconds.update, table_1[n].cell,
                   table_1[n].vertex, stage.rms});
    }
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
