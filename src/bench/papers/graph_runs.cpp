#include "bench/papers/graph_runs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/graph.hpp"
#include "bench/measure.hpp"
#include "core/stopwatch.hpp"
#include "graph/bellman_ford_cuda.hpp"
#include "graph/bellman_ford_opengl.hpp"
#include "graph/jacobi_cuda.hpp"
#include "graph/jacobi_opengl.hpp"

namespace fermat::bench {
namespace {

constexpr double radial_side = 10;   ///< km
constexpr double radial_length = 5;  ///< over which the slowness doubles, km

/// Weights, shortest paths and both ways between host and device, on a graph that is there.
template <class OnDevice>
double device_seconds(OnDevice& device, const Graph& graph,
                      const std::vector<std::vector<Link>>& links, GraphField& field,
                      Monitor& monitor) {
    const auto fetch = [&](std::size_t n) { device.fetch(n, field); };
    const Stopwatch watch;
    device.set_slowness({graph.view().slowness, graph.view().memory.count()});
    if constexpr (requires { device.solve(links, monitor, fetch); }) {
        device.solve(links, monitor, fetch);
    } else {
        device.solve(links, fetch);
    }
    return watch.seconds();
}

template <class OnDevice>
double median_on(OnDevice& device, const Graph& graph, Vec3 source, int repeats, GraphField& field,
                 Monitor& monitor) {
    const std::vector<std::vector<Link>> links{graph.links(source)};
    std::vector<double> seconds;
    for (int n = 0; n < repeats; ++n) {
        monitor.check();
        seconds.push_back(device_seconds(device, graph, links, field, monitor));
    }
    return median(std::move(seconds));
}

}  // namespace

const GraphMedium& gradient_medium() {
    static constexpr GraphMedium medium{
        "gradient", [](int nodes) { return paper1_model(nodes); },
        [](const Grid&) { return Vec3{}; },
        [](Vec3 source, Vec3 point) {
            return LinearVelocity{0.5, {0, 0, 0.35}}.time(source, point);
        }};
    return medium;
}

const GraphMedium& radial_medium() {
    static constexpr GraphMedium medium{
        "radial",
        [](int nodes) {
            const double h = radial_side / (nodes - 1);
            const Grid grid{{nodes, 1, nodes}, {}, {h, h, h}};
            const Vec3 middle = grid.position({nodes / 2, 0, nodes / 2});
            Field<float> velocity(grid.shape);
            for (int i = 0; i < nodes; ++i) {
                for (int k = 0; k < nodes; ++k) {
                    const double r = distance(grid.position({i, 0, k}), middle);
                    velocity(i, 0, k) = static_cast<float>(1 / (1 + r / radial_length));
                }
            }
            return Model(grid, std::move(velocity));
        },
        [](const Grid& grid) {
            return grid.position({grid.shape.x / 2, 0, grid.shape.z / 2});
        },
        [](Vec3 source, Vec3 point) {
            const double r = distance(source, point);
            return r + 0.5 * r * r / radial_length;
        }};
    return medium;
}

GraphRun run_graph(const Model& model, const GraphOptions& options, Vec3 source, int repeats,
                   const Execution& execution) {
    GraphRun run;
    if (execution.device == Device::cpu) {
        constexpr double long_run = 1;
        std::vector<double> seconds;
        do {
            execution.monitor.check();
            const Stopwatch watch;
            const Graph graph(model, options, execution);
            run.field = solve(graph, {source, 0}, execution);
            seconds.push_back(watch.seconds());
        } while (seconds.back() < long_run && static_cast<int>(seconds.size()) < repeats);
        run.seconds = median(std::move(seconds));
    } else {
        const Graph graph(model, options, execution);
        run.field = solve(graph, {source, 0}, execution);  // makes room and warms up
        with_device(graph, [&](auto& device) {
            run.seconds = median_on(device, graph, source, repeats, run.field, execution.monitor);
        });
    }
    run.edges =
        static_cast<double>(run.field.relaxations) / static_cast<double>(model.grid().node_count());
    return run;
}

GraphRun run_graph(const GraphMedium& medium, const Model& model, const GraphOptions& options,
                   int repeats, const Execution& execution) {
    const Grid& grid = model.grid();
    const Vec3 source = medium.source(grid);
    GraphRun run = run_graph(model, options, source, repeats, execution);
    // The layout of the times is that of any graph of these options.
    GraphOptions plain = options;
    plain.weights = EdgeWeights::computed;
    const Graph layout(model, plain, on_cpu(1, execution.monitor));
    double sum = 0;
    double count = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Vec3 p = grid.position({i, 0, k});
            if (distance(p, source) < 3 * grid.spacing.x) continue;
            const double exact = medium.exact(source, p);
            const double time = run.field.times[layout.view().at({i, 0, k})];
            sum += std::abs(time - exact) / exact;
            count += 1;
        }
    }
    run.error = sum / count;
    return run;
}

Execution on_device_of(const PaperBench& bench, Monitor& monitor) {
    return {bench.threads, bench.device, monitor};
}

const char* device_column(Device device) {
    switch (device) {
        case Device::cuda:
            return "CUDA";
        case Device::opengl:
            return "OpenGL";
        default:
            return "tiles";
    }
}

}  // namespace fermat::bench
