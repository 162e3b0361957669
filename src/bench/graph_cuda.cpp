#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/graph.hpp"
#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "graph/bellman_ford_cuda.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

/// Times on the device in milliseconds.
struct OnDevice {
    double weights = 0;
    double solve = 0;
    double with_transfers = 0;  ///< includes sending slowness and fetching times and predecessors
    CudaGraph::Work work;
};

OnDevice measure(const Graph& graph, EdgeWeights weights, Vec3 source, int repeats,
                 GraphField& field) {
    const GraphView& view = graph.view();
    CudaGraph cuda(view, graph.star(), weights);
    const std::vector<std::vector<Link>> links{graph.links(source)};
    std::vector<double> making;
    std::vector<double> solving;
    std::vector<double> all;
    for (int i = 0; i < repeats; ++i) {
        const Stopwatch watch;
        making.push_back(1e3 * cuda.set_slowness({view.slowness, view.memory.count()}));
        solving.push_back(1e3 * cuda.solve(links, [&](std::size_t n) { cuda.fetch(n, field); }));
        all.push_back(1e3 * watch.seconds());
    }
    return {median(making), median(solving), median(all), cuda.work()};
}

double largest_difference(const GraphField& a, const GraphField& b) {
    double largest = 0;
    for (std::size_t n = 0; n < a.times.size(); ++n) {
        if (!std::isfinite(a.times[n]) || a.times[n] == 0) continue;
        largest = std::max(largest, std::abs(static_cast<double>(b.times[n]) / a.times[n] - 1));
    }
    return largest;
}

class GraphCudaBench {
  public:
    GraphCudaBench(const GraphBench& bench, BenchTable& table, Monitor& monitor)
        : bench_(bench), table_(table), monitor_(monitor) {}

    void run(std::string_view medium, const Model& model, Index3 radius, Vec3 source) {
        monitor_.check();
        GraphOptions options;
        options.radius = radius;
        const Execution cpu = on_cpu(1, monitor_);
        options.queue = NodeQueue::heap;
        GraphField field;
        const double heap = median_seconds(bench_.quick ? 1 : bench_.repeats, [&] {
            const Graph graph(model, options, cpu);
            field = solve(graph, {source, 0}, cpu);
        });
        const Graph graph(model, options, cpu);
        GraphField fetched = field;
        const OnDevice made =
            measure(graph, EdgeWeights::computed, source, bench_.repeats, fetched);
        const OnDevice stored =
            measure(graph, EdgeWeights::stored, source, bench_.repeats, fetched);
        options.solver = GraphSolver::bellman_ford;
        const Execution cuda = cpu.on(Device::cuda);
        const double in_all = median_seconds(bench_.repeats, [&] {
            const Graph whole(model, options, cuda);
            solve(whole, {source, 0}, cuda);
        });
        const double device = stored.weights + stored.solve;
        const std::string shape = to_string(model.grid().shape);
        table_.add({medium, shape, std::int64_t{radius.x}, heap, stored.weights, stored.solve,
                    device, stored.with_transfers, 1e3 * in_all, made.solve, 1e3 * heap / device,
                    1e3 * heap / stored.with_transfers, largest_difference(field, fetched),
                    stored.work.visits_per_tile, stored.work.rounds_per_tile,
                    std::int64_t{stored.work.passes}});
    }

  private:
    const GraphBench& bench_;
    BenchTable& table_;
    Monitor& monitor_;
};

}  // namespace

void bench_graph_cuda(const GraphBench& options, Monitor& monitor) {
    BenchTable table(
        fmt::format(
            "fermat {}: bellman-ford on {}, beside Dijkstra's method with std::priority_queue on "
            "one core; median of {}\n"
            "  gradient      paper 1's: v = 0.5 to 4 km/s over 10 km, source at the corner\n"
            "  blocks        random, 1 to 5, 8 nodes a block\n"
            "  device_ms     weights_ms, made once for all sources, and solve_ms, with "
            "predecessors\n"
            "  transfers_ms  the same with slowness sent, times and predecessors fetched\n"
            "  in_all_ms     from the model to the times, memory of the device included\n"
            "  computed_ms   on the device with weights made in each visit, not stored\n"
            "  difference    largest, relative, of the times from the heap's",
            version, device_info(0).name, options.repeats),
        {"medium", "shape", "radius", "heap_s", "weights_ms", "solve_ms", "device_ms",
         "transfers_ms", "in_all_ms", "computed_ms", "heap/device", "heap/transfers", "difference",
         "visits_per_tile", "rounds_per_tile", "passes"},
        options.csv);
    GraphCudaBench bench(options, table, monitor);
    for (const int nodes : {512, 1600}) {
        if (nodes > options.largest) continue;
        for (const int radius : {1, 2, 3, 4, 5, 6}) {
            if (options.quick && radius != 1 && radius != 6) continue;
            bench.run("gradient", paper1_model(nodes), {radius, 0, radius}, {});
        }
    }
    const int rough = std::min(1000, options.largest);
    bench.run("blocks",
              random_blocks_model({{rough, 1, rough}, {}, {1, 1, 1}}, {1, 5, {8, 8, 8}, 7}),
              {6, 0, 6}, {0.5 * rough, 0, 2});
    const int volume = options.quick ? 48 : 96;
    bench.run("blocks",
              random_blocks_model({{volume, volume, volume}, {}, {1, 1, 1}}, {1, 5, {8, 8, 8}, 7}),
              {3, 3, 3}, {0.5 * volume, 0.5 * volume, 2});
    table.commit();
}

}  // namespace fermat::bench
