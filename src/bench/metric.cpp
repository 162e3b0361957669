#include "bench/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <span>
#include <vector>

#include "bench/earth_section.hpp"
#include "bench/measure.hpp"
#include "bench/metric_media.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "rays/metric_rays.hpp"

namespace fermat::bench {
namespace {

struct Problem {
    const char* name;
    int nodes;  ///< of the published measurement
    MetricMedium (*make)(int nodes);
    double target;  ///< mean error, s
    const char* peer;
    bool fixed = false;  ///< jumps must lie on rows of nodes
};

MetricMedium ellipse(int nodes) { return elliptical_cube(nodes); }
MetricMedium sphere(int nodes) { return power_law_block(nodes); }
MetricMedium diffeomorphic(int nodes) { return diffeomorphic_cube(nodes); }
MetricMedium slope(int nodes) { return mountain(nodes, 0); }
MetricMedium slope_of_gradient(int nodes) { return mountain(nodes, 1); }

constexpr Problem problems[] = {
    {"power-law sphere", 81, &sphere, 2e-5, "TomoATT 2.5e-4, 6 s"},
    {"diffeomorphic", 101, &diffeomorphic, 2e-5, "agd 2.1e-4, 3.3 s"},
    {"Thomsen TTI", 65, &thomsen_cube, 5e-5, "agd 2.8e-4, 3.2 s"},
    {"ellipse 3:2", 128, &ellipse, 2e-5, "pyekfmm 5.5e-2, 1 s"},
    {"slopes of 60 %", 101, &slope, 1e-5, "pyGIMLi crashes"},
    {"slopes, gradient", 101, &slope_of_gradient, 1e-5, ""},
    {"graded section", 201, &graded_section, 1e-5, ""},
    {"ak135, 5 km", 181, &earth_section, 0.02, "", true},
    {"ak135, 2.5 km", 361, &earth_section, 0.01, "pykonal 0.33", true},
    {"ak135 block, 5 km", 25, &earth_block, NAN, "", true},
};

struct RayCount {
    std::int64_t arrived = 0;
    std::int64_t off = 0;  ///< by more than `most_off` of the field's time
    double worst = 0;
};

constexpr double most_off = 2e-4;

RayCount trace(const MetricMedium& medium, int rays, int threads, Monitor& monitor) {
    const Grid& grid = medium.model.grid();
    std::mt19937_64 random(1);
    std::vector<Vec3> stations;
    for (int n = 0; n < rays; ++n) {
        Vec3 q;
        for (int axis = 0; axis < 3; ++axis) {
            const double part = static_cast<double>(random() >> 11) * 0x1p-53;
            q[axis] = grid.coordinate(axis, part * (grid.shape[axis] - 1));
        }
        stations.push_back(medium.model.mapping().to_user(q));
    }
    const PointSource source{medium.source, 0};
    const RaySet set = trace_rays(medium.model, survey_of(std::span(&source, 1), stations), {},
                                  on_cpu(threads, monitor));
    RayCount count;
    for (const RayInfo& ray : set.rays) {
        if (ray.status != RayStatus::ok) continue;
        ++count.arrived;
        if (!(ray.field_time > 0)) continue;
        const double off = std::abs(ray.time - ray.field_time) / ray.field_time;
        count.worst = std::max(count.worst, off);
        count.off += off > most_off ? 1 : 0;
    }
    return count;
}

struct FieldErrors {
    double mean = 0;
    double max = 0;
};

FieldErrors errors_of(const MetricMedium& medium, const Field<float>& times) {
    const Grid& grid = medium.model.grid();
    FieldErrors errors;
    double known = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 user = medium.model.mapping().to_user(grid.position(n));
        const double error = std::abs(times(n) - medium.time(user));
        if (std::isnan(error)) return;  // the closed form does not know this place
        ++known;
        errors.mean += error;
        errors.max = std::max(errors.max, error);
    });
    if (known == 0) return {NAN, NAN};
    errors.mean /= known;
    return errors;
}

}  // namespace

void bench_metric(const MetricBench& bench, Monitor& monitor) {
    BenchTable table(
        fmt::format(
            "fermat {}: coordinates and anisotropy, {}{} thread{}, median of {}; errors in s "
            "against closed forms",
            version, bench.device == Device::cuda ? "CUDA, " : "", bench.threads,
            bench.threads == 1 ? "" : "s", bench.repeats),
        {"problem", "nodes", "mean_error", "max_error", "target", "model_s", "source_s",
         "processor_s", "device_s", "rays", "arrived", "off_2e-4", "worst_ray", "best_elsewhere"},
        bench.csv);
    for (const Problem& problem : problems) {
        monitor.check();
        const int nodes = problem.fixed     ? problem.nodes
                          : bench.nodes > 0 ? bench.nodes
                          : bench.quick     ? problem.nodes / 3
                                            : problem.nodes;
        const int rays = bench.quick ? 100 : 2000;
        const MetricMedium medium = problem.make(nodes);
        const Device device = problem.fixed ? Device::cpu : bench.device;  // jumps: on the CPU
        const Execution execution = on_cpu(bench.threads, monitor).on(device);
        const double model_seconds = median_seconds(
            bench.repeats, [&] { const MetricSolver solver(medium.model, {}, execution); });
        const MetricSolver solver(medium.model, {}, execution);
        Field<float> times(medium.model.grid().shape);
        // Of all threads, the least of the runs: on a busy machine it tells more than the clock.
        double processor_seconds = INFINITY;
        const double seconds = median_seconds(bench.repeats, [&] {
            const std::clock_t start = std::clock();
            write_times(solver.solve({medium.source, 0}, execution), times.view(), bench.threads);
            processor_seconds = std::min(
                processor_seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        });
        const FieldErrors errors = errors_of(medium, times);
        const double device_seconds = solver.device_seconds();
        const RayCount count = trace(medium, rays, bench.threads, monitor);
        table.add({std::string(problem.name), static_cast<std::int64_t>(nodes), errors.mean,
                   errors.max, problem.target, model_seconds, seconds, processor_seconds,
                   device_seconds, static_cast<std::int64_t>(rays), count.arrived, count.off,
                   count.worst, std::string(problem.peer)});
    }
    table.commit();
}

}  // namespace fermat::bench
