// Runs the shortest paths of the GPU on the host: the same tiles, lists, passes and arithmetic,
// with the lanes of a block one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "edge_weight.hpp"
#include "executions.hpp"
#include "graph/graph.hpp"
#include "graph/node_tile_queue.hpp"
#include "graph/node_tile_setup.hpp"
#include "graph/shortest_tree.hpp"
#include "model/makers.hpp"
#include "random_case.hpp"

namespace fermat {
namespace {

constexpr int held =
    16;  ///< fewer edges than most stars have; the other weights are read in each round

struct Outcome {
    std::vector<std::vector<float>> times;  ///< of each shot, in the graph's memory
    int passes = 0;
    double visits = 0;
};

Outcome relax_on_tiles(const Graph& graph, std::span<const Vec3> sources, LaneOrder order,
                       const NodeTileTuning& tuning = {}) {
    NodeTileSetup setup = make_node_tiles(graph.view(), graph.star(), tuning);
    NodeTiles& tiles = setup.tiles;
    tiles.step = setup.step.data();
    const HeldSteps<held> steps = setup.held_steps<held>();
    const std::size_t stride = graph.view().memory.count();
    const std::size_t entries = sources.size() * tiles.tile_count();
    std::vector<float> times(sources.size() * stride, INFINITY);
    std::vector<float> key(entries, INFINITY);
    std::vector<unsigned> rounds(entries);
    std::vector<unsigned> visits(entries);
    std::vector<unsigned> lists[NodeTileQueue::ring];
    std::vector<unsigned> counts(NodeTileQueue::ring);
    std::vector<float> least(NodeTileQueue::ring * sources.size(), INFINITY);
    NodeTileQueue queue;
    queue.key = key.data();
    queue.rounds = rounds.data();
    queue.visits = visits.data();
    for (int i = 0; i < NodeTileQueue::ring; ++i) {
        lists[i].resize(entries);
        queue.list[i] = lists[i].data();
    }
    queue.count = counts.data();
    queue.least_of_pass = least.data();
    queue.shots = static_cast<int>(sources.size());
    queue.entries = static_cast<unsigned>(entries);
    queue.all = tiles.all;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (const Link& link : graph.links(sources[s])) {
            start_from(tiles, queue, {link.place, link.time, static_cast<int>(s)},
                       times.data() + s * stride);
        }
    }
    const HostBlock block(order);
    std::vector<float> weights;
    if (graph.stores_weights()) {
        weights.resize(tiles.tile_weights() * tiles.tile_count());
        for (unsigned t = 0; t < tiles.tile_count(); ++t) {
            make_tile_weights(block, tiles, t, weights.data() + t * tiles.tile_weights());
        }
        tiles.weights = weights.data();
    }
    std::vector<float> memory(room_bytes(tiles) / sizeof(float));
    std::vector<float> made(tiles.tile_weights());
    TileRoom room = room_in(tiles, memory.data());
    room.weights = made.data();
    std::vector<NodeLane<held>> lanes(tile_lanes);
    int pass = 0;
    for (; counts[pass % NodeTileQueue::ring] > 0; ++pass) {
        queue.prepare(block, pass);
        const unsigned count = queue.length(pass);
        for (unsigned n = 0; n < count; ++n) {
            // The result must not depend on the order of the list.
            const unsigned at = order == LaneOrder::forward ? n : count - 1 - n;
            take_node_tile(block, tiles, steps, queue, pass, queue.entry(pass, at), times.data(),
                           stride, lanes, room);
        }
    }
    Outcome outcome;
    outcome.passes = pass;
    for (const unsigned v : visits) outcome.visits += v;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        outcome.times.emplace_back(times.begin() + static_cast<std::ptrdiff_t>(s * stride),
                                   times.begin() + static_cast<std::ptrdiff_t>((s + 1) * stride));
    }
    return outcome;
}

/// A model with some air nodes and two sources in rock, one on a node and one between nodes.
struct TwoSources {
    Model model;
    std::vector<Vec3> sources;
};

TwoSources two_sources(unsigned seed, int dimensions) {
    test::RandomCase made = test::random_case(seed, dimensions, {3, 50, 13, 7});
    const Grid& grid = made.model.grid();
    const Vec3 node = grid.position(made.node);
    Vec3 between_nodes = node;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] > 1) between_nodes[axis] += 0.3 * grid.spacing[axis];
    }
    return {std::move(made.model), {node, between_nodes}};
}

GraphOptions options_of(unsigned seed) {
    GraphOptions options;
    options.reading = seed % 3 == 0 ? Reading::nearest : Reading::linear;
    options.edges = seed % 5 == 0 ? StarEdges::full : StarEdges::coprime;
    options.weights = seed % 4 < 2 ? EdgeWeights::stored : EdgeWeights::computed;
    options.solver = GraphSolver::bellman_ford;
    return options;
}

TEST(NodeTile, TimesAreThoseOfTheCpuToTheBit) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const TwoSources c = two_sources(seed, dimensions);
        GraphOptions options = options_of(seed);
        const int most = dimensions == 3 ? 2 : 6;
        options.radius = {1 + static_cast<int>(seed) % most, dimensions == 3 ? 1 : 0,
                          1 + static_cast<int>(seed / 2) % most};
        const Graph graph(c.model, options, test::on_cpu());
        const Outcome forward = relax_on_tiles(graph, c.sources, LaneOrder::forward);
        const Outcome backward = relax_on_tiles(graph, c.sources, LaneOrder::backward);
        for (std::size_t s = 0; s < c.sources.size(); ++s) {
            GraphField field = solve(graph, {c.sources[s], 0});
            field.times.resize(graph.view().memory.count());
            EXPECT_EQ(forward.times[s], field.times) << "seed " << seed << ", source " << s;
            EXPECT_EQ(backward.times[s], field.times) << "seed " << seed << ", source " << s;
        }
    }
}

// With the map of paper 2 and without any, a GPU finds the same times, with more visits.
TEST(NodeTile, TheUpdateMapChangesTheWorkAndNotTheTimes) {
    const Model model = random_blocks_model({{70, 1, 90}, {}, {1, 1, 1}}, {1, 5, {5, 1, 5}, 3});
    for (const StarEdges edges : {StarEdges::coprime, StarEdges::full}) {
        GraphOptions options;
        options.solver = GraphSolver::bellman_ford;
        options.edges = edges;
        options.radius = {3, 0, 2};
        const std::vector<Vec3> sources{{3, 0, 78}, {60.5, 0, 2.25}};
        double before = 0;
        for (const TileVisits visits :
             {TileVisits::ordered, TileVisits::marked, TileVisits::none}) {
            SCOPED_TRACE(name_of(visits));
            options.visits = visits;
            const Graph graph(model, options, test::on_cpu());
            NodeTileTuning tuning;
            tuning.window = 0.5;
            tuning.visits = visits;
            const Outcome forward = relax_on_tiles(graph, sources, LaneOrder::forward, tuning);
            const Outcome backward = relax_on_tiles(graph, sources, LaneOrder::backward, tuning);
            for (std::size_t s = 0; s < sources.size(); ++s) {
                GraphField field = solve(graph, {sources[s], 0}, test::on_cpu());
                field.times.resize(graph.view().memory.count());
                EXPECT_EQ(forward.times[s], field.times);
                EXPECT_EQ(backward.times[s], field.times);
            }
            EXPECT_GT(forward.visits, before);
            before = forward.visits;
        }
    }
}

TEST(NodeTile, StarsWiderThanATileReachBeyondItsNeighbours) {
    const Grid grid{{30, 1, 80}, {}, {1, 1, 1}};
    const Model model = random_blocks_model(grid, {1, 5, {5, 1, 5}, 3});
    for (const Index3 radius : {Index3{9, 0, 2}, Index3{1, 0, 33}}) {
        GraphOptions options = options_of(1);
        options.radius = radius;
        const Graph graph(model, options);
        const std::vector<Vec3> sources{{3, 0, 78}};
        GraphField field = solve(graph, {sources[0], 0});
        field.times.resize(graph.view().memory.count());
        EXPECT_EQ(relax_on_tiles(graph, sources, LaneOrder::forward).times[0], field.times);
    }
}

TEST(NodeTile, NeitherWindowNorRoundsChangeTheTimes) {
    const TwoSources c = two_sources(100, 2);
    GraphOptions options = options_of(1);
    options.radius = {3, 0, 3};
    const Graph graph(c.model, options, test::on_cpu());
    const Outcome usual = relax_on_tiles(graph, c.sources, LaneOrder::forward);
    for (const double window : {0.0, 0.1, 1e9}) {
        for (const int rounds : {1, 2, 100}) {
            const Outcome other =
                relax_on_tiles(graph, c.sources, LaneOrder::forward, {rounds, window});
            EXPECT_EQ(other.times, usual.times) << window << ", " << rounds;
        }
    }
}

TEST(NodeTile, TilesAreSeldomVisitedAgain) {
    const double h = 10.0 / 127;
    const Model model = gradient_model({{128, 1, 128}, {}, {h, h, h}}, 0.5, 0.35);
    GraphOptions options = options_of(1);
    options.radius = {6, 0, 6};
    const Graph graph(model, options);
    const Outcome outcome = relax_on_tiles(graph, std::vector<Vec3>{{0, 0, 0}}, LaneOrder::forward);
    constexpr double tiles = 128.0 * 128.0 / tile_lanes;
    EXPECT_LT(outcome.visits / tiles, 8);
    RecordProperty("visits_per_tile", std::to_string(outcome.visits / tiles));
    RecordProperty("passes", outcome.passes);
}

/// Predecessors of a converged field, found as on the GPU.
std::vector<std::uint16_t> tree_of(const Graph& graph, const GraphField& field,
                                   std::span<const Link> links, int& levels) {
    const GraphView& view = graph.view();
    std::vector<std::uint16_t> predecessor(view.memory.count(), from_nowhere);
    for (const Link& link : links) {
        if (field.times[link.place] == link.time) predecessor[link.place] = from_source;
    }
    const auto for_each_left = [&](auto body) {
        std::size_t left = 0;
        for (std::size_t n = 0; n < view.shape.count(); ++n) {
            const auto z = static_cast<std::size_t>(view.shape.z);
            const auto y = static_cast<std::size_t>(view.shape.y);
            const std::size_t place =
                view.at({static_cast<int>(n / z / y), static_cast<int>(n / z % y),
                         static_cast<int>(n % z)});
            if (predecessor[place] != from_nowhere || !std::isfinite(field.times[place])) continue;
            predecessor[place] = body(place);
            left += predecessor[place] == from_nowhere;
        }
        return left;
    };
    std::size_t left = for_each_left([&](std::size_t place) {
        return earlier_neighbour(view, field.times.data(), place,
                                 [&](int e) { return edge_weight(view, place, e); });
    });
    for (levels = 0; left > 0; ++levels) {
        const std::vector<std::uint16_t> before = predecessor;
        const std::size_t now = for_each_left([&](std::size_t place) {
            return equal_neighbour(view, field.times.data(), before.data(), place,
                                   [&](int e) { return edge_weight(view, place, e); });
        });
        EXPECT_LT(now, left);
        if (now >= left) break;
        left = now;
    }
    return predecessor;
}

void expect_tree(const Graph& graph, GraphField field, int& levels) {
    field.predecessor = tree_of(graph, field, graph.links(field.source), levels);
    const GraphView& view = graph.view();
    std::size_t wrong = 0;
    for (std::size_t place = 0; place < view.memory.count(); ++place) {
        const std::uint16_t edge = field.predecessor[place];
        wrong += (edge == from_nowhere) == std::isfinite(field.times[place]);
        if (edge == from_nowhere || edge == from_source) continue;
        const std::size_t from =
            static_cast<std::size_t>(static_cast<std::int64_t>(place) + view.step[edge]);
        wrong += field.times[from] + edge_weight(view, place, edge) != field.times[place];
    }
    EXPECT_EQ(wrong, 0U);
    // Terminates only if the predecessors have no cycles.
    for (const Vec3 corner : {graph.grid().origin, graph.grid().far_corner()}) {
        const GraphPath path = graph_path(graph, field, corner);
        EXPECT_TRUE(!std::isfinite(path.time) || path.points.back() == field.source);
    }
}

TEST(NodeTile, PredecessorsGiveTheTimes) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        const TwoSources c = two_sources(seed, seed % 2 == 0 ? 2 : 3);
        GraphOptions options = options_of(seed);
        options.radius = {2, 1, 2};
        const Graph graph(c.model, options, test::on_cpu());
        int levels = 0;
        for (const Vec3 source : c.sources) expect_tree(graph, solve(graph, {source, 0}), levels);
        EXPECT_EQ(levels, 0);
    }
}

TEST(NodeTile, PathsWhoseTimeRoundingSwallowsDoNotGoInCircles) {
    const Grid grid{{9, 1, 60}, {}, {1, 1, 1}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 60; ++k) velocity(i, 0, k) = k < 20 ? 1e-3F : 1e9F;
    }
    const Model model(grid, std::move(velocity));
    GraphOptions options = options_of(1);
    options.radius = {2, 0, 2};
    const Graph graph(model, options);
    int levels = 0;
    expect_tree(graph, solve(graph, {{4, 0, 0}, 0}), levels);
    EXPECT_GT(levels, 5);
}

}  // namespace
}  // namespace fermat
