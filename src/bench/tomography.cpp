#include "bench/tomography.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/paper_schedule.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "model/makers.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::bench {
namespace {

constexpr double noise = 0.05;  // seconds

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

/// A line of 205 km with a slight bend, at the surface.
Vec3 on_line(double part) {
    return {1 + 205 * part, 36 + 5 * std::sin(std::numbers::pi * part), 0};
}

/// The start model with a low at its middle and a high below: +-8 %.
Model with_anomalies(const Model& start) {
    const Grid& grid = start.grid();
    Field<float> v(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const auto bump = [&](double x, double z, double wx, double wz) {
                    const double dx = (i - x) / wx;
                    const double dz = (k - z) / wz;
                    return std::exp(-dx * dx - dz * dz);
                };
                const double factor = 1 - 0.08 * bump(100, 3, 25, 5) + 0.08 * bump(150, 8, 25, 6);
                v(i, j, k) = static_cast<float>(start.velocity()(i, j, k) * factor);
            }
        }
    }
    return Model(grid, std::move(v));
}

Picks survey(const Model& truth, int threads, Monitor& monitor) {
    constexpr int shots = 8;
    constexpr int stations = 793;
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < shots; ++n) sources.push_back({on_line((n + 0.5) / shots), 0});
    for (int n = 0; n < stations; ++n) {
        receivers.push_back(on_line(static_cast<double>(n) / (stations - 1)));
    }
    return synthetic_picks(truth, sources, receivers, all_pairs(shots, stations), {noise, 1}, {},
                           on_cpu(threads, monitor))
        .picks;
}

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
    const Grid grid{{207, 77, 26}, {}, {1, 1, 1}};
    const std::vector<DepthVelocity> profile = {{0, 4.5}, {3, 5.8}, {12, 6.2}, {25, 7.2}};
    const Model start = profile_model(grid, profile);
    const Picks picks = survey(with_anomalies(start), bench.threads, monitor);
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = paper_schedule();
    for (Stage& stage : options.schedule) stage.iterations = bench.iterations;

    const Stopwatch watch;
    const InversionResult result =
        invert(start, picks, options, {bench.threads, bench.device, monitor});
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
        noise, last.used, last.lost);
    table.commit();
}

}  // namespace fermat::bench
