// Paper 5 (Shin et al.): Table 2, fast iterations and rays in nine scenarios, by the paper's method
// and by ours.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/paper5_media.hpp"
#include "bench/papers/paper_report.hpp"
#include "bench/papers/scenes.hpp"
#include "core/stopwatch.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "rays/rays.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat::bench {
namespace {

struct Method {
    std::string name;
    RayOptions options;
};

/// The paper's method, first-order fast iterations with rays in 16 directions from point to point,
/// and ours.
std::vector<Method> methods() {
    RayOptions paper;
    paper.tracer = Tracer::grid;
    paper.directions = 16;
    paper.eikonal.order = 1;
    return {{"paper", paper}, {"fermat", {}}};
}

struct Case {
    const Scenario& scenario;
    Grid grid;
    Vec3 source;
    Listeners to;

    Case(const Scenario& of, int nodes)
        : scenario(of),
          grid(paper5_grid(nodes)),
          source(paper5_source(of, grid)),
          to{paper5_receivers(of, grid), {}} {
        to.stations.resize(to.positions.size());
        std::iota(to.stations.begin(), to.stations.end(), 0);
    }
};

/// Seconds of the pure computation of times and rays, and in all.
struct Took {
    double computing = 0;
    double total = 0;
    TimeField field;
    RaySet rays;
};

/// On the CPU the computation is the solve and the trace; in all, the model is made as well.
Took on_cpu_once(const Case& c, const RayOptions& options, const Execution& execution) {
    Took took;
    const Stopwatch all;
    const Model model = c.scenario.model(c.grid);
    const Stopwatch computing;
    took.field = solve(model, {c.source}, options.eikonal, execution);
    took.rays = trace_rays(model, took.field, 0, c.to, options, execution);
    took.computing = computing.seconds();
    took.total = all.seconds();
    return took;
}

/// On the device the computation is the kernels; in all, memory is taken and data go both ways.
Took on_cuda_once(const Case& c, const RayOptions& options, const Execution& execution) {
    Took took;
    const Stopwatch all;
    const Model model = c.scenario.model(c.grid);
    const std::vector<FactoredSource> source{factor_source(model, c.source)};
    CudaFim fim(model, options.eikonal.order, 1);
    took.computing = fim.solve(source);
    CudaTracer tracer;
    const std::vector<ShotRays> shots{{source[0], 0, 0, c.to}};
    took.rays = std::move(tracer.trace(model, fim, shots, options, execution).front());
    took.computing += tracer.seconds();
    took.field = {c.grid, source[0], 0, Field<float>(c.grid.shape)};
    fim.download(0, took.field.tau.view());
    took.total = all.seconds();
    return took;
}

}  // namespace

void bench_paper5(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    if (!report.wants("Table 2")) return;
    report.begin(
        "Table 2",
        fmt::format(
            "squares of 100, 200 and 500 grid points, spacing 1; the paper's columns are its "
            "Jetson Nano's\n"
            "  homogeneous  v = 2, source in the middle, 16 receivers round the edges\n"
            "  layer        v = 2 over 5 from a tenth of the depth on, source at the corner, 19 "
            "receivers on the surface\n"
            "  gradient     v = 2 + 0.01 z, the same survey\n"
            "  method       paper: fim of order 1, rays in 16 directions; fermat: order 2, "
            "descent\n"
            "  comp, total  times and rays alone ({}); and in all\n"
            "  speed-up     relative to ttcrpy on an i7-1185G7, in computing and in all\n"
            "  error        mean, relative, points >= 3 from the source; of the layer along the "
            "surface",
            bench.device == Device::cuda ? "the kernels" : "without making the model"),
        {"scenario", "points", "method"},
        {{"comp", "s", true},
         {"comp_ratio", "%", true},
         {"total", "s", true},
         {"comp_speed-up", "", true},
         {"total_speed-up", "", true},
         {"error", "", false},
         {"lost", "", false}});
    const Execution execution{bench.threads, Device::cpu, monitor};
    for (const Scenario& scenario : paper5_scenarios()) {
        for (std::size_t i = 0; i < paper5_sizes.size(); ++i) {
            if (bench.quick && i > 1) continue;
            const Case c(scenario, paper5_sizes[i]);
            for (const Method& method : methods()) {
                std::vector<double> computing;
                std::vector<double> total;
                Took took;
                const int warm = bench.device == Device::cuda ? 1 : 0;
                for (int n = 0; n < bench.runs() + warm; ++n) {
                    monitor.check();
                    took = bench.device == Device::cuda ? on_cuda_once(c, method.options, execution)
                                                        : on_cpu_once(c, method.options, execution);
                    if (n < warm) continue;
                    computing.push_back(took.computing);
                    total.push_back(took.total);
                }
                const RelativeErrors errors = node_errors(took.field, bench.threads, [&](Vec3 p) {
                    return scenario.exact(c.grid, c.source, p);
                });
                const auto lost =
                    std::count_if(took.rays.rays.begin(), took.rays.rays.end(),
                                  [](const RayInfo& ray) { return !has_arrived(ray.status); });
                const double comp = median(computing);
                const double all = median(total);
                const PublishedTimes& jetson = scenario.jetson[i];
                const PublishedTimes& ttcrpy = scenario.ttcrpy[i];
                report.add(
                    {std::string(scenario.name), std::to_string(paper5_sizes[i]), method.name},
                    {{comp, jetson.computing},
                     {100 * comp / all, jetson.share},
                     {all, jetson.total},
                     {ttcrpy.computing / comp, ttcrpy.computing / jetson.computing},
                     {ttcrpy.total / all, ttcrpy.total / jetson.total},
                     errors.mean,
                     static_cast<double>(lost)});
            }
            const std::string name =
                fmt::format("figure-{}", 2 + (&scenario - &paper5_scenarios()[0]));
            const bool last = i + 1 == paper5_sizes.size() || (bench.quick && i == 1);
            if (bench.scenes && last) {
                write_scene(*bench.scenes, name, scenario.model(c.grid), c.source, c.to.positions);
            }
        }
    }
}

}  // namespace fermat::bench
