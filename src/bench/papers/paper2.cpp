// Paper 2 (Kanoksirirath) describes its experiments and has no results: these are its questions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/graph_runs.hpp"
#include "bench/papers/paper_report.hpp"

namespace fermat::bench {
namespace {

std::string radius_words(Index3 r) { return fmt::format("{}x{}", r.x, r.z); }

GraphOptions with_radius(int x, int z) {
    GraphOptions options;
    options.radius = {x, 0, z};
    return options;
}

/// Radii of the study: squares, and R_x unlike R_z.
std::vector<Index3> radii_of(const PaperBench& bench, std::initializer_list<int> squares,
                             std::initializer_list<Index3> oblong) {
    std::vector<Index3> radii;
    for (const int r : squares) {
        if (!bench.quick || r == 1 || r == 4) radii.push_back({r, 0, r});
    }
    for (const Index3 r : oblong) {
        if (!bench.quick || r.x + r.z == 6) radii.push_back(r);
    }
    return radii;
}

/// The paper's parallel program: one relaxation per launch, its update map, reduced edges, and
/// weights by Algorithm A-1 whenever they are needed.
GraphOptions letter_of(Index3 radius) {
    GraphOptions options = with_radius(radius.x, radius.z);
    options.solver = GraphSolver::bellman_ford;
    options.relaxation = Relaxation::jacobi;
    options.visits = TileVisits::marked;
    options.reading = Reading::nearest;
    options.weights = EdgeWeights::computed;
    return options;
}

/// Ours on a device: Dijkstra's method on one thread of the CPU, tiles elsewhere.
GraphRun run_ours(const GraphMedium& medium, const Model& model, GraphOptions options,
                  const PaperBench& bench, Monitor& monitor) {
    if (bench.device == Device::cpu) {
        return run_graph(medium, model, options, bench.runs(), on_cpu(1, monitor));
    }
    options.solver = GraphSolver::bellman_ford;
    return run_graph(medium, model, options, bench.runs(), on_device_of(bench, monitor));
}
std::string ours_words(const PaperBench& bench) {
    return bench.device == Device::cpu
               ? "buckets on one thread"
               : fmt::format("bellman-ford on tiles on {}", name_of(bench.device));
}

/// "Edge reduction & Update map (Prove that they actually improve our program.)"
void maps_and_edges(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const int nodes = bench.quick ? 96 : 507;
    report.begin(
        "Edge reduction and update map",
        fmt::format("bellman-ford on {} x {} nodes of paper 1's gradient, all combinations\n"
                    "  letter   as in the papers: each node once per pass; work groups of "
                    "(2 R_x + 1) x (2 R_z + 1)\n"
                    "  tiles    Fermat's: tiles are relaxed until they rest\n"
                    "  none     every pass visits every work group, as in paper 1\n"
                    "  marked   paper 2's update map: work groups that a change can reach\n"
                    "  ordered  Fermat's: of these, the ones that the wave is about to cross\n"
                    "  edges    looked at per node",
                    nodes, nodes),
        {"method", "radius", "star", "map"},
        {{"seconds", "s", false}, {"edges", "", false}, {"passes", "", false}});
    const Execution device = on_device_of(bench, monitor);
    const Model model = gradient_medium().model(nodes);
    const auto radii =
        radii_of(bench, {1, 2, 3, 4, 5, 6},
                 {Index3{4, 0, 2}, Index3{2, 0, 4}, Index3{6, 0, 3}, Index3{3, 0, 6}});
    for (const Relaxation relaxation : {Relaxation::jacobi, Relaxation::tiles}) {
        const bool letter = relaxation == Relaxation::jacobi;
        for (const Index3 radius : radii) {
            for (const StarEdges edges : {StarEdges::full, StarEdges::coprime}) {
                for (const TileVisits visits :
                     {TileVisits::none, TileVisits::marked, TileVisits::ordered}) {
                    if (letter && visits == TileVisits::ordered) continue;
                    GraphOptions options = with_radius(radius.x, radius.z);
                    options.solver = GraphSolver::bellman_ford;
                    options.relaxation = relaxation;
                    options.edges = edges;
                    options.visits = visits;
                    const GraphRun run = run_graph(model, options, {}, bench.runs(), device);
                    report.add({letter ? "letter" : "tiles", radius_words(radius),
                                edges == StarEdges::full ? "all edges" : "reduced",
                                std::string(name_of(visits))},
                               {run.seconds, run.edges, static_cast<double>(run.field.passes)});
                }
            }
        }
    }
}

/// A measured choice of resolution and radius.
struct Choice {
    int nodes;
    Index3 radius;
    double seconds;
    double error;
};

/// "Resolution and Radius (Testing with R-gradient slowness model, we try different combination of
/// R_x, R_y and the number of cells or nodes, then predict the most effective radiuses)"
std::vector<Choice> resolution_and_radius(const PaperBench& bench, const GraphMedium& medium,
                                          PaperReport& report, Monitor& monitor) {
    const std::vector<int> sizes =
        bench.quick ? std::vector<int>{65, 129} : std::vector<int>{65, 129, 257, 513, 1025};
    // The paper's program without a GPU: only squares that take it seconds, not minutes.
    const int most = bench.device == Device::cuda ? sizes.back() : 129;
    const auto radii = radii_of(bench, {1, 2, 3, 4, 5, 6, 8},
                                {Index3{2, 0, 1}, Index3{1, 0, 2}, Index3{4, 0, 2}, Index3{2, 0, 4},
                                 Index3{6, 0, 3}, Index3{3, 0, 6}});
    report.begin(
        fmt::format("Resolution and radius: {}", medium.name),
        fmt::format("seconds and mean relative error by nodes per side and radius R_x x "
                    "R_z; {}\n"
                    "  letter   the paper's program on {}: one relaxation per pass, update "
                    "map, reduced edges, weights by Algorithm A-1{}",
                    ours_words(bench), name_of(bench.device),
                    bench.device == Device::cuda ? std::string()
                                                 : fmt::format("; up to {} nodes per side", most)),
        {"nodes", "radius"},
        {{"seconds", "s", false},
         {"error", "", false},
         {"letter", "s", false},
         {"letter_error", "", false}});
    std::vector<Choice> choices;
    for (const int nodes : sizes) {
        const Model model = medium.model(nodes);
        for (const Index3 radius : radii) {
            GraphOptions options;
            options.radius = radius;
            const GraphRun run = run_ours(medium, model, options, bench, monitor);
            std::optional<double> seconds;
            std::optional<double> error;
            if (nodes <= most) {
                const GraphRun letter = run_graph(medium, model, letter_of(radius), bench.runs(),
                                                  on_device_of(bench, monitor));
                seconds = letter.seconds;
                error = letter.error;
            }
            report.add({std::to_string(nodes), radius_words(radius)},
                       {run.seconds, run.error, seconds, error});
            choices.push_back({nodes, radius, run.seconds, *run.error});
        }
    }
    return choices;
}

/// The cheapest choice per error, and the most accurate one per time.
void best_choices(const GraphMedium& medium, const std::vector<Choice>& choices,
                  PaperReport& report) {
    const auto best = [&](auto allowed, auto better) {
        const Choice* found = nullptr;
        for (const Choice& choice : choices) {
            if (allowed(choice) && (found == nullptr || better(choice, *found))) found = &choice;
        }
        return found;
    };
    const auto add = [&](const std::string& limit, const Choice* choice) {
        if (choice == nullptr) {
            report.add({limit, "-", "-"}, {Compared(), Compared()});
        } else {
            report.add({limit, std::to_string(choice->nodes), radius_words(choice->radius)},
                       {choice->seconds, choice->error});
        }
    };
    report.begin(fmt::format("Equal error: {}", medium.name),
                 "the fastest of these with at most so large an error",
                 {"error", "nodes", "radius"}, {{"seconds", "s", false}, {"reached", "", false}});
    for (const double error : {3e-2, 1e-2, 3e-3, 1e-3, 5e-4, 3e-4}) {
        add(fmt::format("{:g}", error),
            best([&](const Choice& c) { return c.error <= error; },
                 [](const Choice& a, const Choice& b) { return a.seconds < b.seconds; }));
    }
    report.begin(fmt::format("Equal time: {}", medium.name),
                 "the most accurate of these in at most so many milliseconds",
                 {"time_ms", "nodes", "radius"}, {{"seconds", "s", false}, {"error", "", false}});
    for (const double milliseconds : {1, 3, 10, 30, 100, 300, 1000}) {
        add(fmt::format("{:g}", milliseconds),
            best([&](const Choice& c) { return 1e3 * c.seconds <= milliseconds; },
                 [](const Choice& a, const Choice& b) { return a.error < b.error; }));
    }
}

/// Algorithm A-1, which takes the nearest node's slowness, beside linear interpolation.
void weights(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const int nodes = bench.quick ? 65 : 257;
    report.begin("Algorithm A-1",
                 fmt::format("slowness of the nearest node along edges (the paper's), or linear "
                             "between nodes; {} x {} nodes, computed weights, {}",
                             nodes, nodes, ours_words(bench)),
                 {"medium", "radius", "reading"}, {{"seconds", "s", false}, {"error", "", false}});
    for (const GraphMedium* medium : {&gradient_medium(), &radial_medium()}) {
        const Model model = medium->model(nodes);
        for (const int radius : {1, 2, 3, 4, 5, 6}) {
            if (bench.quick && radius != 4) continue;
            for (const auto& [name, reading] : choices<Reading>.entries) {
                GraphOptions options = with_radius(radius, radius);
                options.reading = reading;
                options.weights = EdgeWeights::computed;
                const GraphRun run = run_ours(*medium, model, options, bench, monitor);
                report.add({medium->name, std::to_string(radius), std::string(name)},
                           {run.seconds, run.error});
            }
        }
    }
}

/// "Implementations (Apply three different programs - Serial, Parallel CUDA, Parallel OpenGL)"
void implementations(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const int nodes = bench.quick ? 96 : 512;
    const std::string column = device_column(bench.device);
    report.begin(
        "Implementations",
        fmt::format("{} x {} nodes of paper 1's gradient\n"
                    "  serial    Dijkstra with std::priority_queue, weights computed: paper 2's "
                    "serial version\n"
                    "  buckets   Fermat's default on one thread\n"
                    "  letter    the papers' parallel program on {}: one relaxation per pass, "
                    "update map; weights computed (paper 2's choice) and stored (paper 1's)\n"
                    "  {:<8}  ours: bellman-ford on tiles, weights computed and stored\n"
                    "  times     largest relative difference from serial",
                    nodes, nodes, name_of(bench.device), column),
        {"radius"},
        {{"serial", "s", false},
         {"buckets", "s", false},
         {"letter_computed", "s", false},
         {"letter_stored", "s", false},
         {column + "_computed", "s", false},
         {column + "_stored", "s", false},
         {"serial/letter", "", false},
         {"serial/best", "", false},
         {"times", "", false}});
    const Execution cpu = on_cpu(1, monitor);
    const Execution device = on_device_of(bench, monitor);
    const Model model = gradient_medium().model(nodes);
    for (const int radius : {1, 2, 3, 4, 5, 6}) {
        if (bench.quick && radius != 3) continue;
        GraphOptions options = with_radius(radius, radius);
        const double buckets = run_graph(model, options, {}, bench.runs(), cpu).seconds;
        options.queue = NodeQueue::heap;
        const GraphRun serial = run_graph(model, options, {}, bench.runs(), cpu);
        options.solver = GraphSolver::bellman_ford;
        options.weights = EdgeWeights::computed;
        const GraphRun computed = run_graph(model, options, {}, bench.runs(), device);
        options.weights = EdgeWeights::stored;
        const GraphRun stored = run_graph(model, options, {}, bench.runs(), device);
        options.relaxation = Relaxation::jacobi;
        options.visits = TileVisits::marked;
        const double letter_stored = run_graph(model, options, {}, bench.runs(), device).seconds;
        options.weights = EdgeWeights::computed;
        options.reading = Reading::nearest;
        const double letter = run_graph(model, options, {}, bench.runs(), device).seconds;
        double difference = 0;
        for (std::size_t n = 0; n < serial.field.times.size(); ++n) {
            const double time = serial.field.times[n];
            if (!std::isfinite(time) || time == 0) continue;
            difference = std::max(difference, std::abs(computed.field.times[n] / time - 1));
        }
        report.add({std::to_string(radius)},
                   {serial.seconds, buckets, letter, letter_stored, computed.seconds,
                    stored.seconds, serial.seconds / std::min(letter, letter_stored),
                    serial.seconds / std::min(computed.seconds, stored.seconds), difference});
    }
}

}  // namespace

void bench_paper2(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    report.say("The paper says what it will investigate and has no results; all values are ours.");
    if (report.wants("Edge reduction and update map")) maps_and_edges(bench, report, monitor);
    for (const GraphMedium* medium : {&radial_medium(), &gradient_medium()}) {
        // The latter two are chosen from the first.
        bool wanted = false;
        for (const char* table : {"Resolution and radius", "Equal error", "Equal time"}) {
            wanted |= report.wants(fmt::format("{}: {}", table, medium->name));
        }
        if (!wanted) continue;
        best_choices(*medium, resolution_and_radius(bench, *medium, report, monitor), report);
    }
    if (report.wants("Algorithm A-1")) weights(bench, report, monitor);
    if (report.wants("Implementations")) implementations(bench, report, monitor);
}

}  // namespace fermat::bench
