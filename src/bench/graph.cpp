#include "bench/graph.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "graph/graph.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

constexpr double domain_side = 10;
const LinearVelocity velocity{0.5, {0, 0, 0.35}};

/// Mean relative error over the nodes at least three cells from the source.
double mean_error(const Graph& graph, const GraphField& field) {
    const Grid& grid = graph.grid();
    const Field<float> times = node_times(graph, field);
    double sum = 0;
    double count = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Vec3 p = grid.position({i, 0, k});
            if (norm(p) < 3 * grid.spacing.x) continue;
            const double exact = velocity.time({}, p);
            sum += std::abs(static_cast<double>(times(i, 0, k)) - exact) / exact;
            count += 1;
        }
    }
    return sum / count;
}

struct Measured {
    double seconds = 0;
    double work = 0;  ///< edges visited per node
    double error = 0;
};

Measured measure(const Model& model, const GraphOptions& options, int repeats,
                 const Execution& execution) {
    Measured result;
    GraphField field;
    result.seconds = median_seconds(repeats, [&] {
        const Graph graph(model, options, execution);
        field = solve(graph, {}, execution);
    });
    const Graph graph(model, options, execution);
    result.work =
        static_cast<double>(field.relaxations) / static_cast<double>(model.grid().node_count());
    result.error = mean_error(graph, field);
    return result;
}

std::vector<int> sizes_of(const GraphBench& bench) {
    // Sixteen sizes as in paper 1, which gives the first and the last of them.
    constexpr std::array all = {128, 224, 320,  416,  512,  608,  704,  800,
                                896, 992, 1088, 1184, 1280, 1376, 1472, 1600};
    constexpr std::array quick = {128, 224, 320, 512};
    std::vector<int> sizes;
    if (bench.quick) {
        sizes.assign(quick.begin(), quick.end());
    } else {
        sizes.assign(all.begin(), all.end());
    }
    std::erase_if(sizes, [&](int nodes) { return nodes > bench.largest; });
    return sizes;
}

}  // namespace

Model paper1_model(int nodes) {
    const double h = domain_side / (nodes - 1);
    return gradient_model({{nodes, 1, nodes}, {}, {h, h, h}}, velocity.v0, velocity.gradient.z);
}

void bench_graph(const GraphBench& bench, Monitor& monitor) {
    const Execution execution = on_cpu(bench.threads, monitor);
    BenchTable table(
        fmt::format("fermat {}: paper 1's Figures 7 and 8, v = 0.5 to 4 km/s over 10 km, source at "
                    "the corner; {} thread{}, median of {}\n"
                    "  heap_s          Dijkstra with std::priority_queue, the papers' CPU version\n"
                    "  dijkstra_s      Dijkstra with buckets, the default\n"
                    "  bellman_ford_s  tiles with the update map, weights stored; no_map_s without "
                    "the map,\n"
                    "                  full_star_s without edge reduction\n"
                    "  work            of the same three: edges looked at per node\n"
                    "  error           mean, relative, nodes >= 3 cells from the source",
                    version, bench.threads, bench.threads == 1 ? "" : "s", bench.repeats),
        {"medium", "nodes", "radius", "heap_s", "dijkstra_s", "bellman_ford_s", "no_map_s",
         "full_star_s", "work", "no_map_work", "full_star_work", "error"},
        bench.csv);
    for (const int radius : {1, 2, 3, 4, 5, 6}) {
        if (bench.quick && radius != 1 && radius != 6) continue;
        for (const int nodes : sizes_of(bench)) {
            const Model model = paper1_model(nodes);
            GraphOptions options;
            options.radius = {radius, 0, radius};
            const Measured dijkstra = measure(model, options, bench.repeats, execution);
            options.queue = NodeQueue::heap;
            const Measured heap = measure(model, options, bench.repeats, execution);
            options.solver = GraphSolver::bellman_ford;
            const Measured tiles = measure(model, options, bench.repeats, execution);
            options.edges = StarEdges::full;
            const Measured full = measure(model, options, bench.repeats, execution);
            options.edges = StarEdges::coprime;
            options.visits = TileVisits::none;
            const Measured no_map = measure(model, options, 1, execution);
            table.add({std::string_view("gradient"), std::int64_t{nodes}, std::int64_t{radius},
                       heap.seconds, dijkstra.seconds, tiles.seconds, no_map.seconds, full.seconds,
                       tiles.work, no_map.work, full.work, dijkstra.error});
        }
    }
    table.commit();
}

}  // namespace fermat::bench
