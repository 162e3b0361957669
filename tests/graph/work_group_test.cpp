// Papers 1 and 2 to the letter: work groups as a GPU runs them, their times, and what they cost.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "edge_weight.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "graph/work_group_setup.hpp"
#include "model/makers.hpp"
#include "random_case.hpp"

namespace fermat {
namespace {

GraphOptions letter(TileVisits visits, StarEdges edges = StarEdges::full) {
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.relaxation = Relaxation::jacobi;
    options.visits = visits;
    options.edges = edges;
    return options;
}

/// One of each star, reading, storage of weights and map, by a seed.
GraphOptions options_of(unsigned seed, int dimensions) {
    GraphOptions options = letter(seed % 3 == 0 ? TileVisits::none : TileVisits::marked,
                                  seed % 5 == 0 ? StarEdges::full : StarEdges::coprime);
    options.reading = seed % 4 == 0 ? Reading::linear : Reading::nearest;
    options.weights = seed / 2 % 2 == 0 ? EdgeWeights::computed : EdgeWeights::stored;
    const int r = 1 + static_cast<int>(seed) % (dimensions == 3 ? 2 : 4);
    options.radius = {r, dimensions == 3 ? 1 : 0, 1 + static_cast<int>(seed / 2) % 2};
    return options;
}

test::RandomCase medium(unsigned seed, int dimensions) {
    return test::random_case(seed, dimensions, {3, 40, 12, 7});
}

TEST(EdgeWalk, AlgorithmA1IsTheSumOfTheTermsOfNearestNodes) {
    for (const Index3 radius : {Index3{6, 0, 6}, Index3{3, 2, 3}, Index3{1, 0, 9}}) {
        const bool flat = radius.y == 0;
        const Grid grid{{23, flat ? 1 : 9, 25}, {}, {0.5, 0.7, 1.1}};
        const Model model = random_blocks_model(grid, {1, 10, {2, 2, 2}, 3});
        GraphOptions options;
        options.radius = radius;
        options.reading = Reading::nearest;
        options.edges = StarEdges::full;
        const Graph graph(model, options, test::on_cpu());
        const GraphView& view = graph.view();
        const Shape m = view.memory;
        for (const Index3 node : {Index3{}, Index3{11, flat ? 0 : 4, 12}, Index3{22, 0, 24}}) {
            const std::size_t place = view.at(node);
            for (int e = 0; e < view.edges; ++e) {
                const float sum = edge_weight(view, place, e);
                const float walked =
                    walked_weight(view.slowness + place, {m.y * m.z, m.z, 1},
                                  graph.star().offset[static_cast<std::size_t>(e)], view.length[e]);
                if (std::isinf(sum)) {
                    EXPECT_EQ(walked, sum);
                } else {
                    EXPECT_NEAR(walked, sum, 3e-6 * static_cast<double>(sum));
                }
            }
        }
    }
}

TEST(Jacobi, TimesAndPathsAreDijkstrasInAnyMedium) {
    for (unsigned seed = 0; seed < 24; ++seed) {
        SCOPED_TRACE(seed);
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const test::RandomCase c = medium(seed, dimensions);
        const GraphOptions options = options_of(seed, dimensions);
        GraphOptions plain = options;
        plain.solver = GraphSolver::dijkstra;
        plain.queue = NodeQueue::heap;
        plain.relaxation = Relaxation::tiles;
        plain.visits = TileVisits::automatic;
        const Graph wanted_graph(c.model, plain, test::on_cpu());
        const Graph graph(c.model, options, test::on_cpu());
        if (graph.links(c.source).empty()) continue;
        const GraphField wanted = solve(wanted_graph, {c.source, 0.5}, test::on_cpu());
        const GraphField field = solve(graph, {c.source, 0.5}, test::on_cpu());
        EXPECT_GT(field.passes, 1);
        for (std::size_t n = 0; n < graph.view().memory.count(); ++n) {
            const float time = wanted.times[n];
            if (std::isinf(time)) {
                ASSERT_EQ(field.times[n], time);
                ASSERT_EQ(field.predecessor[n], from_nowhere);
            } else {
                ASSERT_NEAR(field.times[n], time, 5e-6 * static_cast<double>(time));
            }
        }
        const Grid& grid = c.model.grid();
        const GraphPath path = graph_path(graph, field, grid.far_corner());
        EXPECT_TRUE(!std::isfinite(path.time) || path.points.back() == field.source);
    }
}

TEST(Jacobi, BitsDoNotDependOnTheThreads) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const test::RandomCase c = medium(seed, dimensions);
        const Graph graph(c.model, options_of(seed, dimensions), test::on_cpu());
        if (graph.links(c.source).empty()) continue;
        const GraphField one = solve(graph, {c.source, 0}, test::on_cpu(1));
        const GraphField three = solve(graph, {c.source, 0}, test::on_cpu(3));
        EXPECT_EQ(one.times, three.times);
        EXPECT_EQ(one.predecessor, three.predecessor);
        EXPECT_EQ(one.passes, three.passes);
        EXPECT_EQ(one.relaxations, three.relaxations);
    }
}

/// All passes of a GPU with the lanes of each group in the given order.
GraphField solved_by_lanes(const Graph& graph, Vec3 source, LaneOrder order) {
    WorkGroupSetup setup = make_work_groups(graph.view(), graph.star(), graph.options().visits);
    WorkGroups groups = setup.host_groups();
    const std::size_t nodes = graph.view().memory.count();
    std::vector<float> room_memory(room_bytes(groups) / sizeof(float));
    const GroupRoom room = room_in(groups, room_memory.data());
    std::vector<float> weights;
    if (graph.stores_weights()) {
        // As on a device: made by the groups, infinite where they have no nodes.
        weights.assign(static_cast<std::size_t>(graph.view().edges / 2) * nodes, INFINITY);
        for (unsigned g = 0; g < groups.group_count(); ++g) {
            precalculate_weights(HostBlock(order), groups, g, room, weights.data());
        }
        groups.graph.stored = weights.data();
    }
    GraphField field;
    field.times.assign(nodes, INFINITY);
    field.predecessor.assign(nodes, from_nowhere);
    std::vector<float> auxtt = field.times;
    std::vector<std::uint16_t> auxpr = field.predecessor;
    std::vector<std::uint8_t> marks(groups.group_count(), 0);
    std::vector<std::uint8_t> next = marks;
    for (const Link& link : graph.links(source)) {
        field.times[link.place] = link.time;
        field.predecessor[link.place] = from_source;
        marks[groups.group_of(graph.view().node(link.place))] = 1;
    }
    bool changed = true;
    while (changed) {
        changed = false;
        const JacobiState state{field.times.data(), auxtt.data(), field.predecessor.data(),
                                auxpr.data(),       marks.data(), next.data()};
        for (unsigned g = 0; g < groups.group_count(); ++g) {
            relax_group(HostBlock(order), groups, state, g, room);
        }
        for (unsigned g = 0; g < groups.group_count(); ++g) {
            changed = write_back(HostBlock(order), groups, state, g, room) || changed;
        }
        std::swap(marks, next);
        ++field.passes;
    }
    return field;
}

TEST(Jacobi, LanesInAnyOrderGiveTheBitsOfTheProgram) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const test::RandomCase c = medium(seed, dimensions);
        const Graph graph(c.model, options_of(seed, dimensions), test::on_cpu());
        if (graph.links(c.source).empty()) continue;
        GraphField field = solve(graph, {c.source, 0}, test::on_cpu());
        field.times.resize(graph.view().memory.count());
        for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
            const GraphField lanes = solved_by_lanes(graph, c.source, order);
            EXPECT_EQ(lanes.times, field.times);
            EXPECT_EQ(lanes.predecessor, field.predecessor);
            EXPECT_EQ(lanes.passes, field.passes);
        }
    }
}

// A program that was written apart from this one, after the papers, counted these passes and, with
// the update map, edges per node in paper 1's gradient on 507 x 507 nodes. Without a map the edges
// are passes times edges of the star. Stars with edges in one line have paths of equal time, of
// which rounding selects one; those are left to `fermat bench paper 2`.
TEST(Jacobi, WorkIsThatOfAnIndependentProgram) {
    struct Count {
        int radius;
        StarEdges edges;
        std::int64_t passes;
        double marked;
    };
    constexpr int nodes = 507;
    const double h = 10.0 / (nodes - 1);
    const Model model = gradient_model({{nodes, 1, nodes}, {}, {h, h, h}}, 0.5, 0.35);
    for (const Count& c :
         {Count{1, StarEdges::full, 674, 304}, Count{3, StarEdges::coprime, 507, 3418}}) {
        GraphOptions options = letter(TileVisits::marked, c.edges);
        options.radius = {c.radius, 0, c.radius};
        const GraphField field = solve(Graph(model, options, test::on_cpu()), {}, test::on_cpu());
        EXPECT_EQ(field.passes, c.passes);
        const double edges = static_cast<double>(field.relaxations) / (double{nodes} * nodes);
        EXPECT_NEAR(edges, c.marked, 1e-3 * c.marked);
    }
}

TEST(Jacobi, WithoutAMapEveryPassRelaxesEveryEdge) {
    const Model model = gradient_model({{61, 1, 47}, {}, {1, 1, 1}}, 0.5, 0.1);
    for (const StarEdges edges : {StarEdges::full, StarEdges::coprime}) {
        GraphOptions options = letter(TileVisits::none, edges);
        options.radius = {2, 0, 3};
        const Graph graph(model, options, test::on_cpu());
        const GraphField none = solve(graph, {{3.5, 0, 0}, 0}, test::on_cpu());
        EXPECT_EQ(none.relaxations, none.passes * 61 * 47 * graph.view().edges);
        options.visits = TileVisits::automatic;
        const GraphField marked =
            solve(Graph(model, options, test::on_cpu()), {{3.5, 0, 0}, 0}, test::on_cpu());
        EXPECT_EQ(marked.passes, none.passes);
        EXPECT_EQ(marked.times, none.times);
        EXPECT_LT(2 * marked.relaxations, none.relaxations);
    }
}

TEST(Jacobi, WorkGroupsAreAsLargeAsTheStar) {
    const Model model = constant_model({{30, 1, 31}, {}, {1, 1, 1}}, 2);
    GraphOptions options = letter(TileVisits::marked);
    options.radius = {4, 0, 2};
    const Graph graph(model, options, test::on_cpu());
    const WorkGroups marked =
        make_work_groups(graph.view(), graph.star(), TileVisits::marked).groups;
    EXPECT_EQ(marked.size, (Shape{9, 1, 5}));
    EXPECT_EQ(marked.neighbours(), 9);
    EXPECT_EQ(make_work_groups(graph.view(), graph.star(), TileVisits::none).groups.size,
              (Shape{16, 1, 16}));
}

TEST(Jacobi, OptionsThatDoNotFitAreSentences) {
    const Model model = constant_model({{5, 1, 5}, {}, {1, 1, 1}}, 1);
    test::expect_error<InputError>([&] { Graph(model, letter(TileVisits::ordered)); }, "ordered",
                                   "jacobi", "`visits=marked`");
    GraphOptions dijkstra;
    dijkstra.visits = TileVisits::none;
    test::expect_error<InputError>([&] { Graph(model, dijkstra); }, "'none'", "dijkstra",
                                   "`solver=bellman-ford`");
    dijkstra = {};
    dijkstra.relaxation = Relaxation::jacobi;
    test::expect_error<InputError>([&] { Graph(model, dijkstra); }, "'jacobi'", "dijkstra");
    Monitor stopped({}, [] { return true; });
    EXPECT_THROW(solve(Graph(model, letter(TileVisits::none)), {}, test::on_cpu(1, stopped)),
                 Cancelled);
}

}  // namespace
}  // namespace fermat
