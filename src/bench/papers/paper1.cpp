// Paper 1 (Monsegny and Agudelo): Figures 7 and 8, seconds by size and radius, and the run of
// Figures 9 and 10. The paper has curves and three sentences instead of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/graph_runs.hpp"
#include "bench/papers/paper_report.hpp"
#include "bench/papers/scenes.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

/// Sixteen sizes; the paper gives the first and the last.
constexpr std::array sizes = {128, 224, 320,  416,  512,  608,  704,  800,
                              896, 992, 1088, 1184, 1280, 1376, 1472, 1600};
constexpr std::array quick_sizes = {128, 224};
/// Squares up to this size by the paper's own algorithm where it has no GPU: it relaxes every edge
/// in every pass, at 1600 x 1600 and radius 6 over 1e11 of them.
constexpr int most_without_gpu = 512;

/// The sizes to measure, and whether a radius is to be.
std::vector<int> sizes_of(const PaperBench& bench) {
    if (!bench.sizes.empty()) return bench.sizes;
    if (bench.quick) return {quick_sizes.begin(), quick_sizes.end()};
    return {sizes.begin(), sizes.end()};
}
bool has_radius(const PaperBench& bench, int radius) {
    if (bench.radii.empty()) return !bench.quick || radius == 1 || radius == 6;
    return std::find(bench.radii.begin(), bench.radii.end(), radius) != bench.radii.end();
}

/// How much faster the paper's GPU was than its CPU, in its words, by radius.
constexpr std::array<std::string_view, 6> speed_up = {"< 1", "< 1", "about 1",
                                                      "> 1", "> 1", "2 to 3"};

void figures_7_and_8(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const Execution cpu = on_cpu(1, monitor);
    const Execution device = on_device_of(bench, monitor);
    const std::string column = device_column(bench.device);
    const auto measure = [&](std::string_view figure, int first) {
        const bool wanted = has_radius(bench, first) || has_radius(bench, first + 1) ||
                            has_radius(bench, first + 2);
        if (!report.wants(figure) || !wanted) return;
        report.begin(
            figure,
            fmt::format("radii {} to {}, v = 0.5 to 4 km/s over 10 km, source at the corner\n"
                        "  heap     Dijkstra with std::priority_queue and the full star, the "
                        "paper's CPU version, one thread\n"
                        "  buckets  Fermat's default on one thread\n"
                        "  letter   the paper's GPU version on {}: every node relaxed once per "
                        "launch, full star, stored weights, no update map{}\n"
                        "  {:<7}  ours: bellman-ford on tiles with stored weights{}\n"
                        "  speed-up of letter and of {} relative to heap, the former beside what "
                        "the paper says of its GPU; runs of over a second on the CPU are measured "
                        "once",
                        first, first + 2, name_of(bench.device),
                        bench.device == Device::cuda
                            ? std::string()
                            : fmt::format("; up to {} nodes per side", most_without_gpu),
                        column,
                        bench.device == Device::cpu
                            ? fmt::format(" on {} threads", bench.threads)
                            : "; weights and both transfers counted, as in the paper",
                        column),
            {"radius", "nodes"},
            {{"heap", "s", false},
             {"buckets", "s", false},
             {"letter", "s", false},
             {column, "s", false},
             {"letter_speed-up", "", true},
             {"speed-up", "", false}});
        for (int radius = first; radius < first + 3; ++radius) {
            if (!has_radius(bench, radius)) continue;
            for (const int nodes : sizes_of(bench)) {
                const GraphMedium& medium = gradient_medium();
                const Model model = medium.model(nodes);
                GraphOptions options;
                options.radius = {radius, 0, radius};
                const std::vector<std::string> labels{std::to_string(radius),
                                                      std::to_string(nodes)};
                const auto host = [&](std::string_view quantity) {
                    return report.host_value(labels, quantity, [&] {
                        return run_graph(model, options, {}, bench.runs(), cpu).seconds;
                    });
                };
                const double buckets = host("buckets");
                options.queue = NodeQueue::heap;
                options.edges = StarEdges::full;
                const double heap = host("heap");
                options.edges = StarEdges::coprime;
                options.solver = GraphSolver::bellman_ford;
                const double tiles = run_graph(model, options, {}, bench.runs(), device).seconds;
                std::optional<double> letter;
                if (bench.device == Device::cuda || nodes <= most_without_gpu) {
                    options.edges = StarEdges::full;
                    options.relaxation = Relaxation::jacobi;
                    options.visits = TileVisits::none;
                    options.weights = EdgeWeights::stored;
                    letter = run_graph(model, options, {}, bench.runs(), device).seconds;
                }
                const std::string_view says = speed_up[static_cast<std::size_t>(radius - 1)];
                report.add(labels,
                           {heap, buckets, letter, tiles,
                            letter ? Compared(heap / *letter, says) : Compared(letter, says),
                            heap / tiles});
            }
        }
    };
    measure("Figure 7", 1);
    measure("Figure 8", 4);
}

/// Times and rays of one run with radius 6 in v = 0.5 + 0.005 z; the size is ours.
void figures_9_and_10(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const int nodes = bench.quick ? 101 : 501;
    const Model model = gradient_model({{nodes, 1, nodes}, {}, {1, 1, 1}}, 0.5, 0.005);
    GraphOptions options;
    options.radius = {6, 0, 6};
    options.solver = GraphSolver::bellman_ford;
    const Execution execution = on_device_of(bench, monitor);
    const Graph graph(model, options, execution);
    const GraphField field = solve(graph, {}, execution);
    const double seconds = run_graph(model, options, {}, bench.runs(), execution).seconds;
    std::vector<Vec3> receivers;
    const double side = nodes - 1;
    for (int n = 1; n <= 10; ++n) {
        receivers.push_back({side * n / 10, 0, 0});
        receivers.push_back({side, 0, side * n / 10});
        if (n < 10) receivers.push_back({side * n / 10, 0, side});
    }
    double difference = 0;
    const LinearVelocity velocity{0.5, {0, 0, 0.005}};
    for (const Vec3 p : receivers) {
        const double exact = velocity.time({}, p);
        difference = std::max(difference, std::abs(graph_path(graph, field, p).time / exact - 1));
    }
    report.begin("Figure 10",
                 "v = 0.5 + 0.005 z km/s (Figure 9), radius 6, source at (0, 0), one run",
                 {"nodes", "rays"}, {{"seconds", "s", false}, {"worst_error", "", false}});
    report.add({std::to_string(nodes), std::to_string(receivers.size())}, {seconds, difference});
    if (bench.scenes) write_scene(*bench.scenes, "figure-10", model, {}, receivers);
}

}  // namespace

void bench_paper1(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    figures_7_and_8(bench, report, monitor);
    if (report.wants("Figure 10")) figures_9_and_10(bench, report, monitor);
}

}  // namespace fermat::bench
