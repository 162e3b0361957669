#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/block.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "graph/tile.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

/// Random blocks with a hole of air.
Model rough_model(const Grid& grid, unsigned seed, double contrast = 10) {
    const Model blocks = random_blocks_model(grid, {1, contrast, {3, 3, 3}, seed});
    Field<float> velocity(grid.shape);
    std::copy(blocks.velocity().begin(), blocks.velocity().end(), velocity.begin());
    const Shape n = grid.shape;
    for (int i = n.x / 4; i < n.x / 2; ++i) {
        for (int j = 0; j < (n.y + 1) / 2; ++j) {
            for (int k = n.z / 3; k < n.z / 2; ++k) velocity(i, j, k) = 0;
        }
    }
    return Model(grid, std::move(velocity));
}

struct Case {
    Grid grid;
    Index3 radius;
    Vec3 source;
};

std::vector<Case> cases() {
    return {
        {{{61, 1, 83}, {}, {1, 1, 1}}, {3, 0, 3}, {60, 0, 82}},
        {{{75, 1, 40}, {-3, 0, 2}, {0.5, 1, 0.8}}, {2, 0, 5}, {11.23, 0, 7.77}},
        {{{33, 1, 2}, {}, {1, 1, 1}}, {6, 0, 6}, {1.5, 0, 0.5}},
        {{{11, 10, 35}, {}, {1, 1, 1}}, {2, 2, 2}, {0, 0, 0}},
        {{{12, 9, 34}, {1, 2, 3}, {0.3, 0.4, 0.5}}, {2, 1, 3}, {3.05, 4.77, 8.1}},
    };
}

Field<float> times_of(const Model& model, const GraphOptions& options, Vec3 source) {
    const Graph graph(model, options);
    return node_times(graph, solve(graph, {source}));
}

void expect_same(const Field<float>& a, const Field<float>& b, float tolerance) {
    for (std::size_t n = 0; n < a.size(); ++n) {
        if (std::isinf(a[n]) || std::isinf(b[n])) {
            ASSERT_EQ(a[n], b[n]) << n;
        } else {
            ASSERT_NEAR(a[n], b[n], tolerance * a[n]) << n;
        }
    }
}

constexpr float rounding = 3e-6F;

TEST(Solvers, AgreeOnRoughMediaWithAir) {
    for (const Case& c : cases()) {
        for (const Reading reading : {Reading::linear, Reading::nearest}) {
            const Model model = rough_model(c.grid, 5);
            GraphOptions options;
            options.radius = c.radius;
            options.reading = reading;
            options.queue = NodeQueue::heap;
            options.weights = EdgeWeights::computed;
            const Field<float> plain = times_of(model, options, c.source);
            options.queue = NodeQueue::buckets;
            expect_same(plain, times_of(model, options, c.source), rounding);
            options.weights = EdgeWeights::stored;
            expect_same(plain, times_of(model, options, c.source), rounding);
            options.solver = GraphSolver::bellman_ford;
            expect_same(plain, times_of(model, options, c.source), rounding);
            options.weights = EdgeWeights::computed;
            expect_same(plain, times_of(model, options, c.source), rounding);
            if (!c.grid.is_2d()) continue;
            options.visits = TileVisits::none;
            expect_same(plain, times_of(model, options, c.source), rounding);
        }
    }
}

TEST(Solvers, BucketsHoldAnyContrast) {
    for (const double contrast : {1.0, 300.0, 1e6}) {
        const Grid grid{{70, 1, 64}, {}, {1, 1, 1}};
        const Model model = rough_model(grid, 9, contrast);
        GraphOptions options;
        options.radius = {2, 0, 2};
        const Field<float> buckets = times_of(model, options, {0.5, 0, 3});
        options.queue = NodeQueue::heap;
        expect_same(times_of(model, options, {0.5, 0, 3}), buckets, rounding);
    }
}

TEST(Solvers, FullStarAddsNothingToTheCoprimeOne) {
    for (const Case& c : cases()) {
        const Model model = rough_model(c.grid, 2);
        for (const Reading reading : {Reading::nearest, Reading::linear}) {
            GraphOptions options;
            options.radius = c.radius;
            options.reading = reading;
            const Field<float> coprime = times_of(model, options, c.source);
            options.edges = StarEdges::full;
            expect_same(coprime, times_of(model, options, c.source), rounding);
        }
    }
}

TEST(Solvers, GiveTheSameBitsForAnyNumberOfThreads) {
    for (const Case& c : cases()) {
        const Model model = rough_model(c.grid, 7);
        for (const EdgeWeights weights : {EdgeWeights::stored, EdgeWeights::computed}) {
            GraphOptions options;
            options.solver = GraphSolver::bellman_ford;
            options.radius = c.radius;
            options.weights = weights;
            const auto solved = [&](int threads) {
                const Execution execution = test::on_cpu(threads);
                return solve(Graph(model, options, execution), {c.source}, execution);
            };
            const GraphField one = solved(1);
            for (const int threads : {3}) {
                const GraphField many = solved(threads);
                EXPECT_EQ(one.times, many.times);
                EXPECT_EQ(one.predecessor, many.predecessor);
            }
        }
    }
}

TEST(Solvers, ConstantGradientIsWithinAThousandth) {
    // The medium of paper 1: 0.5 to 4 km/s over 10 km, source at the corner.
    const LinearVelocity velocity{0.5, {0, 0, 0.35}};
    constexpr int nodes = 161;
    const double h = 10.0 / (nodes - 1);
    const Grid grid{{nodes, 1, nodes}, {}, {h, h, h}};
    const Model model = gradient_model(grid, velocity.v0, velocity.gradient.z);
    for (const auto& [reading, limit] :
         {std::pair{Reading::linear, 1e-3}, std::pair{Reading::nearest, 2e-3}}) {
        GraphOptions options;
        options.radius = {6, 0, 6};
        options.reading = reading;
        const Field<float> times = times_of(model, options, {});
        double sum = 0;
        int count = 0;
        for (int i = 0; i < nodes; ++i) {
            for (int k = 0; k < nodes; ++k) {
                const Vec3 p = grid.position({i, 0, k});
                if (norm(p) < 3 * h) continue;
                const double exact = velocity.time({}, p);
                sum += std::abs(static_cast<double>(times(i, 0, k)) - exact) / exact;
                ++count;
            }
        }
        EXPECT_LT(sum / count, limit);
    }
}

TEST(Solvers, UpdateMapSparesMostOfTheWork) {
    const Grid grid{{128, 1, 128}, {}, {1, 1, 1}};
    const Model model = gradient_model(grid, 0.5, 0.0275);
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.radius = {6, 0, 6};
    const auto relaxations = [&] {
        return solve(Graph(model, options, test::on_cpu()), {}, test::on_cpu()).relaxations;
    };
    const std::int64_t changed = relaxations();
    options.visits = TileVisits::none;
    EXPECT_GT(relaxations(), 2 * changed);
}

/// Times of one tile after a visit, for one lane order and run length.
template <int Run>
std::vector<float> visited(const Graph& graph, LaneOrder order) {
    const GraphView& view = graph.view();
    std::vector<float> now(view.memory.count() + slack, INFINITY);
    now[view.at({3, 2, 4})] = 0;
    std::vector<float> next = now;
    std::vector<std::uint16_t> predecessor(view.memory.count(), from_nowhere);
    Tile tile;
    tile.first = {0, 0, 0};
    tile.size = view.shape;
    const Shape memory = tile_memory(view, tile.size);
    std::vector<float> buffers[2];
    for (int side = 0; side < 2; ++side) {
        buffers[side].resize(memory.count() + slack);
        tile.times[side] = buffers[side].data();
    }
    std::vector<std::uint16_t> own(tile.size.count());
    std::vector<RowChange> rows(tile.size.count());
    std::vector<int> changed(50);
    std::vector<float> earliest(directions);
    tile.predecessor = own.data();
    tile.rows = rows.data();
    tile.changed = changed.data();
    tile.step = view.step;
    visit_tile<Run>(HostBlock(order), view, GraphWeights<Run>{view},
                    {now.data(), next.data(), predecessor.data()}, tile, 50, earliest.data());
    next.insert(next.end(), earliest.begin(), earliest.end());
    next.insert(next.end(), predecessor.begin(), predecessor.end());
    return next;
}

TEST(Tile, LanesRunInAnyOrderAndWidthToTheSameBits) {
    const Model model = rough_model({{9, 7, 11}, {}, {1, 1, 1}}, 4);
    GraphOptions options;
    options.radius = {2, 2, 2};
    for (const EdgeWeights weights : {EdgeWeights::stored, EdgeWeights::computed}) {
        options.weights = weights;
        const Graph graph(model, options);
        const auto expected = visited<32>(graph, LaneOrder::forward);
        EXPECT_EQ(expected, visited<32>(graph, LaneOrder::backward));
        EXPECT_EQ(expected, visited<1>(graph, LaneOrder::forward));
        EXPECT_EQ(expected, visited<1>(graph, LaneOrder::backward));
    }
}

TEST(Options, BadOnesAreSentences) {
    const Model model = constant_model({{5, 1, 5}, {}, {1, 1, 1}}, 1);
    GraphOptions options;
    options.radius = {65, 0, 1};
    EXPECT_THROW(Graph(model, options), InputError);
    options.radius = {0, 3, 0};  // the y axis has no edges in 2-D
    EXPECT_THROW(Graph(model, options), InputError);
    options.radius = {-1, 0, 1};
    EXPECT_THROW(Graph(model, options), InputError);
    EXPECT_THROW(Graph(model, {}, test::on_cpu(-1)), InputError);
    const Graph graph(model, {});
    EXPECT_THROW(solve(graph, {{9, 0, 1}}), InputError);
    EXPECT_THROW(solve(graph, {{NAN, 0, 1}}), InputError);
    Monitor stopped({}, [] { return true; });
    GraphOptions tiles;
    tiles.solver = GraphSolver::bellman_ford;
    EXPECT_THROW(solve(Graph(model, tiles), {}, test::on_cpu(1, stopped)), Cancelled);
}

TEST(Options, VelocityInCellsIsRefused) {
    const Grid grid{{5, 1, 5}, {}, {1, 1, 1}};
    const Model model = Model::of_cells(grid, Field<float>(grid.cell_shape(), 2.0F));
    test::expect_error<InputError>([&] { Graph(model, {}); }, "graph", "cells", "`to_nodes`");
}

}  // namespace
}  // namespace fermat
