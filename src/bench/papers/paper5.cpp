// Paper 5 (Shin et al.): Table 2, fast iterations and rays in nine scenarios, by the paper's own
// method and by ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/paper5_media.hpp"
#include "bench/papers/paper5_plain.hpp"
#include "bench/papers/paper_report.hpp"
#include "bench/papers/scenes.hpp"
#include "core/stopwatch.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "io/csv.hpp"
#include "rays/rays.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat::bench {
namespace {

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

/// Seconds of the pure computation of times and rays, and in all; the mean error of the times, and
/// rays that do not arrive.
struct Took {
    double computing = 0;
    double total = 0;
    double error = 0;
    double lost = 0;
    std::vector<std::vector<PlainPoint>> paths;  ///< of the paper's own method
};

double errors_of(const Case& c, const TimeField& field) {
    return node_errors(field, 1, [&](Vec3 p) { return c.scenario.exact(c.grid, c.source, p); })
        .mean;
}

double lost_of(const RaySet& rays) {
    return static_cast<double>(
        std::count_if(rays.rays.begin(), rays.rays.end(),
                      [](const RayInfo& ray) { return !has_arrived(ray.status); }));
}

/// Ours. On the CPU the computation is the solve and the trace; in all, the model is made as well.
Took fermat_on_cpu(const Case& c, const Execution& execution) {
    Took took;
    const RayOptions options;
    const Stopwatch all;
    const Model model = c.scenario.model(c.grid);
    const Stopwatch computing;
    const TimeField field = solve(model, {c.source}, options.eikonal, execution);
    const RaySet rays = trace_rays(model, field, 0, c.to, options, execution);
    took.computing = computing.seconds();
    took.total = all.seconds();
    took.error = errors_of(c, field);
    took.lost = lost_of(rays);
    return took;
}

/// On the device the computation is the kernels; in all, memory is taken and data go both ways.
Took fermat_on_cuda(const Case& c, const Execution& execution) {
    Took took;
    const RayOptions options;
    const Stopwatch all;
    const Model model = c.scenario.model(c.grid);
    const std::vector<FactoredSource> source{factor_source(model, c.source)};
    CudaFim fim(model, options.eikonal.order, 1);
    took.computing = fim.solve(source);
    CudaTracer tracer;
    const std::vector<ShotRays> shots{{source[0], 0, 0, c.to}};
    const RaySet rays = std::move(tracer.trace(model, fim, shots, options, execution).front());
    took.computing += tracer.seconds();
    TimeField field{c.grid, source[0], 0, Field<float>(c.grid.shape)};
    fim.download(0, field.tau.view());
    took.total = all.seconds();
    took.error = errors_of(c, field);
    took.lost = lost_of(rays);
    return took;
}

/// The point of the grid next to a position. The paper has sources and receivers on points only.
PlainPoint plain_point(const Grid& grid, Vec3 position) {
    const Index3 node = grid.nearest_node(position);
    return {node.x, node.z};
}

/// The slowness of a medium with one more row and column at the far sides.
PlainProblem plain_problem(const Case& c) {
    PlainProblem problem;
    problem.points = c.grid.shape.x;
    const Model model = c.scenario.model(c.grid);
    const int last = problem.points - 1;
    for (int i = 0; i <= problem.points; ++i) {
        for (int k = 0; k <= problem.points; ++k) {
            problem.slowness.push_back(1 /
                                       model.velocity()(std::min(i, last), 0, std::min(k, last)));
        }
    }
    problem.source = plain_point(c.grid, c.source);
    for (const Vec3 p : c.to.positions) problem.receivers.push_back(plain_point(c.grid, p));
    return problem;
}

/// The paper's own method.
Took paper_once(const Case& c, Device device, Monitor& monitor) {
    Took took;
    const Stopwatch all;
    const PlainProblem problem = plain_problem(c);
    const PlainResult result =
        device == Device::cuda ? solve_plain_cuda(problem, monitor) : solve_plain(problem, monitor);
    took.total = all.seconds();
    took.computing = result.computing;
    const Vec3 source = c.grid.position({problem.source.x, 0, problem.source.z});
    double sum = 0;
    double count = 0;
    for (int i = 0; i < problem.points; ++i) {
        for (int k = 0; k < problem.points; ++k) {
            const Vec3 p = c.grid.position({i, 0, k});
            const double exact = c.scenario.exact(c.grid, source, p);
            if (distance(p, source) < 3 || std::isnan(exact)) continue;
            const auto place = static_cast<std::size_t>(i * (problem.points + 1) + k);
            sum += std::abs(static_cast<double>(result.times[place]) - exact) / exact;
            count += 1;
        }
    }
    took.error = sum / count;
    took.lost = static_cast<double>(std::count_if(result.paths.begin(), result.paths.end(),
                                                  [](const auto& path) { return path.empty(); }));
    took.paths = result.paths;
    return took;
}

/// Rays of the paper's own method in 16 directions, for its Figures 2 to 4.
void write_paths(const std::filesystem::path& file, const Grid& grid,
                 const std::vector<std::vector<PlainPoint>>& paths) {
    CsvWriter table(file, {"ray", "x", "z"});
    for (std::size_t n = 0; n < paths.size(); ++n) {
        for (const PlainPoint& point : paths[n]) {
            const Vec3 p = grid.position({point.x, 0, point.z});
            table.add_row({static_cast<std::int64_t>(n), p.x, p.z});
        }
    }
    table.commit();
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
            "  method       paper: its own, equation 2 without a factor in the fast iterative "
            "method, rays from point to point by equations 3 and 4 in 16 sectors; fermat: "
            "factored, "
            "order 2, descent\n"
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
            std::vector<std::vector<PlainPoint>> paths;
            for (const std::string method : {"paper", "fermat"}) {
                std::vector<double> computing;
                std::vector<double> total;
                Took took;
                const bool cuda = bench.device == Device::cuda;
                const int warm = cuda ? 1 : 0;
                for (int n = 0; n < bench.runs() + warm; ++n) {
                    monitor.check();
                    took = method == "paper" ? paper_once(c, bench.device, monitor)
                           : cuda            ? fermat_on_cuda(c, execution)
                                             : fermat_on_cpu(c, execution);
                    if (n < warm) continue;
                    computing.push_back(took.computing);
                    total.push_back(took.total);
                }
                if (method == "paper") paths = std::move(took.paths);
                const double comp = median(computing);
                const double all = median(total);
                const PublishedTimes& jetson = scenario.jetson[i];
                const PublishedTimes& ttcrpy = scenario.ttcrpy[i];
                report.add({std::string(scenario.name), std::to_string(paper5_sizes[i]), method},
                           {{comp, jetson.computing},
                            {100 * comp / all, jetson.share},
                            {all, jetson.total},
                            {ttcrpy.computing / comp, ttcrpy.computing / jetson.computing},
                            {ttcrpy.total / all, ttcrpy.total / jetson.total},
                            took.error,
                            took.lost});
            }
            const std::string name =
                fmt::format("figure-{}", 2 + (&scenario - &paper5_scenarios()[0]));
            const bool last = i + 1 == paper5_sizes.size() || (bench.quick && i == 1);
            if (bench.scenes && last) {
                write_scene(*bench.scenes, name, scenario.model(c.grid), c.source, c.to.positions);
                write_paths(*bench.scenes / (name + "-paper.csv"), c.grid, paths);
            }
        }
    }
}

}  // namespace fermat::bench
