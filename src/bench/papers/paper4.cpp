// Paper 4 (summed volumes for smoothing): Table 1 by the paper's chain and by ours, Tables 5 and 11
// with their 36 iterations, and the GPU's share of time and bandwidth of Tables 6 to 10 and 12 to
// 16.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/paper4_published.hpp"
#include "bench/papers/paper_report.hpp"
#include "bench/tomography.hpp"
#include "core/device_bandwidth.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat::bench {
namespace {

/// The Potrillo model: 414,414 vertices.
constexpr Shape vertices{207, 77, 26};
constexpr Shape cells{206, 76, 25};

Field<double> random_values(Shape shape) {
    std::mt19937_64 random(1);
    Field<double> field(shape);
    for (double& value : field) value = static_cast<double>(random() >> 11) * 0x1p-53;
    return field;
}

/// Rays per cell, none in half of the cells.
Field<double> random_coverage() {
    Field<double> coverage = random_values(cells);
    for (double& rays : coverage) rays = std::floor(std::max(0.0, 20 * rays - 10));
    return coverage;
}

/// How Table 1 is made: by what solves, traces and smooths.
struct Chain {
    std::string name;
    Solver solver;
    Tracer tracer;
    Smoother smoother;
};

void table_1_of(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    std::vector<Chain> chains = {{"fermat", Solver::fim, Tracer::descent, Smoother::running}};
    if (!bench.quick) {
        chains.insert(chains.begin(), {{"basic", Solver::vidale, Tracer::cells, Smoother::basic},
                                       {"cached", Solver::vidale, Tracer::cells, Smoother::cached},
                                       {"table", Solver::vidale, Tracer::cells, Smoother::table}});
    }
    const int shots = bench.quick ? 1 : 8;
    report.begin(
        "Table 1",
        fmt::format("seconds per iteration of a survey of Potrillo's size, {} shot{}; the paper "
                    "has 7 shots, and smooths by basic\n"
                    "  basic, cached, table  the paper's chain: solver vidale, tracer cells, and "
                    "that smoother, on one thread as in the paper\n"
                    "  fermat                the default: fim, descent, running",
                    shots, shots == 1 ? "" : "s"),
        {"chain", "cells", "vertices"},
        {{"times", "s", true},
         {"rays", "s", true},
         {"cell_smoothing", "s", true},
         {"vertex_smoothing", "s", true},
         {"rms", "s", false}});
    for (const Chain& chain : chains) {
        if (bench.device == Device::cuda &&
            (chain.solver != Solver::fim || chain.smoother == Smoother::basic)) {
            continue;  // the device has fim, and of the smoothers table and running
        }
        TomographyBench tomography;
        tomography.iterations = 1;
        tomography.solver = chain.solver;
        tomography.tracer = chain.tracer;
        tomography.smoother = chain.smoother;
        tomography.threads = chain.solver == Solver::vidale ? 1 : bench.threads;
        tomography.device = bench.device;
        const std::vector<StageMeans> stages = potrillo_stages(tomography, shots, monitor);
        for (std::size_t n = 0; n < stages.size(); ++n) {
            const StageMeans& stage = stages[n];
            report.add({chain.name, stage.cell, stage.vertex},
                       {{stage.seconds.times, table_1_times},
                        {stage.seconds.rays, table_1_rays},
                        {stage.seconds.cell_smoothing, table_1[n].cell},
                        {stage.seconds.vertex_smoothing, table_1[n].vertex},
                        stage.rms});
        }
    }
}

/// One of the two smoothers, for one size.
struct Subject {
    const PublishedSmoother& published;
    Field<double> fresh;
    Field<double> coverage;  ///< empty: vertices

    double milliseconds(const SmoothingSize& size, Smoother smoother,
                        const Execution& execution) const {
        Field<double> values = fresh.copy();
        const Stopwatch watch;
        if (coverage.size() > 0) {
            smooth_cells(values, coverage, size, {smoother}, execution);
        } else {
            smooth_vertices(values.view(), size, {smoother}, {}, execution);
        }
        return 1e3 * watch.seconds();
    }
    SmoothingSplit on_device(const SmoothingSize& size, Smoother smoother) const {
        Field<double> values = fresh.copy();
        SmoothingSplit split;
        if (coverage.size() > 0) {
            smooth_cells_cuda(values, coverage, size, smoother, 1, &split);
        } else {
            smooth_vertices_cuda(values, {}, size, smoother, 1, &split);
        }
        return split;
    }
};

/// The paper's measure: how many per cent faster than basic.
std::optional<double> improvement(std::optional<double> basic, std::optional<double> other) {
    if (!basic || !other) return std::nullopt;
    return 100 * (*basic / *other - 1);
}

/// Milliseconds of an iteration. Columns of the CPU that the paper has run on one thread, as its.
struct IterationTimes {
    std::optional<double> basic;
    std::optional<double> cached;
    double table = 0;
    std::optional<double> table_cuda;
};

std::vector<IterationTimes> iterations(const PaperBench& bench, std::string_view table,
                                       const Subject& subject, PaperReport& report,
                                       Monitor& monitor) {
    // The headlines are found from both tables.
    const bool wanted = report.wants(table);
    if (!report.wants("Headlines") && !wanted) return {};
    std::vector<IterationTimes> all;
    report.begin(table,
                 "milliseconds per iteration: the paper's three algorithms on one thread, as in "
                 "the paper, its table on the GPU, and running on one thread\n"
                 "  improvement  relative to basic, in per cent, as in the paper",
                 {"iteration", "size"},
                 {{"basic", "ms", true},
                  {"caching", "ms", true},
                  {"SVT", "ms", true},
                  {"SVT_CUDA", "ms", true},
                  {"running", "ms", false},
                  {"running_CUDA", "ms", false},
                  {"caching_improvement", "%", true},
                  {"SVT_improvement", "%", true},
                  {"SVT_CUDA_improvement", "%", true}});
    const Execution cpu = on_cpu(1, monitor);
    const bool cuda = bench.device == Device::cuda;
    for (std::size_t n = 0; n < subject.published.rows.size(); ++n) {
        if (bench.quick && n % 6 != 0) continue;
        monitor.check();
        const SmoothingSize& size = subject.published.sizes[n / 6];
        const SmoothingRow& theirs = subject.published.rows[n];
        // The work of `basic` is known in advance: some 10^9 additions per second.
        constexpr double patience = 3e8;
        const double additions =
            static_cast<double>(subject.fresh.size()) * size.x * size.y * size.z;
        std::optional<double> basic;
        if (!(bench.quick && additions > patience)) {
            basic = subject.milliseconds(size, Smoother::basic, cpu);
        }
        std::optional<double> cached;
        if (!(bench.quick && additions > 20 * patience)) {
            cached = subject.milliseconds(size, Smoother::cached, cpu);
        }
        const double svt = subject.milliseconds(size, Smoother::table, cpu);
        const double running = subject.milliseconds(size, Smoother::running, cpu);
        std::optional<double> svt_cuda;
        std::optional<double> running_cuda;
        if (cuda) {
            const auto total = [&](Smoother smoother) {
                if (n == 0) subject.on_device(size, smoother);
                return 1e3 * subject.on_device(size, smoother).total();
            };
            svt_cuda = total(Smoother::table);
            running_cuda = total(Smoother::running);
        }
        const auto their_improvement = [&](double other) {
            return 100 * (theirs.basic / other - 1);
        };
        report.add({std::to_string(n + 1), to_string(size)},
                   {{basic, theirs.basic},
                    {cached, theirs.cached},
                    {svt, theirs.table},
                    {svt_cuda, theirs.gpu},
                    running,
                    running_cuda,
                    {improvement(basic, cached), their_improvement(theirs.cached)},
                    {improvement(basic, svt), their_improvement(theirs.table)},
                    {improvement(basic, svt_cuda), their_improvement(theirs.gpu)}});
        all.push_back({basic, cached, svt, svt_cuda});
    }
    return all;
}

/// The sentences of the paper's conclusions, beside what the iterations gave.
void headlines(std::string_view smoother, const PublishedHeadlines& theirs,
               const std::vector<IterationTimes>& iterations, PaperReport& report) {
    const auto best = [&](auto other) {
        std::optional<double> most;
        for (const IterationTimes& times : iterations) {
            const std::optional<double> milliseconds = other(times);
            if (!times.basic || !milliseconds) continue;
            most = std::max(most.value_or(0), *times.basic / *milliseconds);
        }
        return most;
    };
    double sum = 0;
    double count = 0;
    for (const IterationTimes& times : iterations) {
        if (!times.table_cuda) continue;
        sum += 100 * (times.table / *times.table_cuda - 1);
        count += 1;
    }
    report.add(
        {std::string(smoother)},
        {{best([](const IterationTimes& t) { return t.cached; }), theirs.cached},
         {best([](const IterationTimes& t) { return std::optional(t.table); }), theirs.table},
         {best([](const IterationTimes& t) { return t.table_cuda; }), theirs.gpu},
         {count > 0 ? std::optional(sum / count) : std::nullopt, theirs.gpu_over_table}});
}

void split(const PaperBench& bench, std::string_view tables, const Subject& subject,
           PaperReport& report) {
    if (!report.wants(tables)) return;
    report.begin(tables,
                 "where the GPU's time goes, for the largest box; throughput: fields read and "
                 "written once, over the kernels' time",
                 {"smoother"},
                 {{"kernels", "us", true},
                  {"kernel_share", "%", true},
                  {"to_device_share", "%", true},
                  {"to_host_share", "%", true},
                  {"throughput", "GB/s", true},
                  {"of_peak", "%", true}});
    const PublishedSmoother& theirs = subject.published;
    const double peak = device_bandwidth();
    for (const Smoother smoother : {Smoother::table, Smoother::running}) {
        std::vector<SmoothingSplit> runs;
        for (int n = 0; n < std::max(3, bench.runs()); ++n) {
            runs.push_back(subject.on_device(theirs.sizes[0], smoother));
        }
        const SmoothingSplit& run = runs.back();
        const auto share = [&](double seconds) { return 100 * seconds / run.total(); };
        const double fields = subject.coverage.size() > 0 ? 3 : 2;
        const double rate =
            fields * sizeof(double) * static_cast<double>(subject.fresh.size()) / run.kernels;
        report.add({std::string(name_of(smoother))},
                   {{1e6 * run.kernels, theirs.kernel_us},
                    {share(run.kernels), theirs.kernel_percent},
                    {share(run.to_device), theirs.to_device_percent},
                    {share(run.to_host), theirs.to_host_percent},
                    {1e-9 * rate, theirs.requested},
                    {peak > 0 ? std::optional(100 * rate / peak) : std::nullopt,
                     100 * theirs.achieved / quadro_peak}});
    }
}

}  // namespace

void bench_paper4(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    if (report.wants("Table 1")) table_1_of(bench, report, monitor);
    const Subject cell{cell_smoother, random_values(cells), random_coverage()};
    const Subject vertex{vertex_smoother, random_values(vertices), {}};
    const auto of_cells = iterations(bench, "Table 5", cell, report, monitor);
    const auto of_vertices = iterations(bench, "Table 11", vertex, report, monitor);
    if (report.wants("Headlines")) {
        report.begin(
            "Headlines",
            "the largest speed-up over basic of each algorithm in Tables 5 and 11, and how "
            "many per cent faster than SVT the GPU is on average",
            {"smoother"},
            {{"caching", "", true},
             {"SVT", "", true},
             {"SVT_CUDA", "", true},
             {"CUDA_over_SVT", "%", true}});
        headlines("cells", cell_headlines, of_cells, report);
        headlines("vertices", vertex_headlines, of_vertices, report);
    }
    if (bench.device == Device::cuda) {
        split(bench, "Tables 6 to 10", cell, report);
        split(bench, "Tables 12 to 16", vertex, report);
    }
}

}  // namespace fermat::bench
