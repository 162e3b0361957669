// Compares bellman-ford on a CUDA device with that on the CPU, in media with air, odd sizes and
// sources between nodes. The time of a node is the minimum of the rounded sums along all paths, in
// whatever order they are found. So the bits are the same if the CPU fuses multiplications and
// additions as the device does.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "edge_weight.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"
#include "random_case.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

class GpuGraph : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

using test::random_case;
using test::RandomCase;

/// If the medium has air, about every ninth node is air.
test::CaseKind kind(bool air) { return {3, 300, 40, air ? 9 : 0}; }

GraphOptions options_of(unsigned seed, int dimensions) {
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.reading = seed % 3 == 0 ? Reading::nearest : Reading::linear;
    options.edges = seed % 5 == 0 ? StarEdges::full : StarEdges::coprime;
    options.weights = seed % 4 < 2 ? EdgeWeights::stored : EdgeWeights::computed;
    const int most = dimensions == 3 ? 3 : 9;
    const int r = 1 + static_cast<int>(seed / 2) % most;
    options.radius = {r, dimensions == 3 ? 1 + static_cast<int>(seed) % 2 : 0, 1 + (r + 3) % most};
    return options;
}

/// Checks that every reached node has its time from its predecessor, and that every path ends at
/// the source.
void expect_tree(const Graph& graph, const GraphField& field) {
    const GraphView& view = graph.view();
    for (std::size_t place = 0; place < view.memory.count(); ++place) {
        const std::uint16_t edge = field.predecessor[place];
        ASSERT_EQ(edge == from_nowhere, !std::isfinite(field.times[place])) << place;
        if (edge == from_nowhere || edge == from_source) continue;
        const std::size_t from =
            static_cast<std::size_t>(static_cast<std::int64_t>(place) + view.step[edge]);
        ASSERT_LE(field.times[from], field.times[place]);
        ASSERT_NEAR(field.times[from] + edge_weight(view, place, edge), field.times[place],
                    1e-6 * static_cast<double>(field.times[place]));
    }
    for (const Vec3 corner : {graph.grid().origin, graph.grid().far_corner()}) {
        const GraphPath path = graph_path(graph, field, corner);
        EXPECT_TRUE(!std::isfinite(path.time) || path.points.back() == field.source);
    }
}

TEST_F(GpuGraph, TimesAreThoseOfTheCpu) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const RandomCase c = random_case(seed, dimensions, kind(seed % 4 >= 2));
        const Graph on_cpu(c.model, options_of(seed, dimensions), test::on_cpu(0));
        const Graph on_gpu(c.model, options_of(seed, dimensions), test::on_gpu());
        ASSERT_NE(on_gpu.cuda(), nullptr);
        const GraphField cpu = solve(on_cpu, {c.source, 0.5});
        const GraphField gpu = solve(on_gpu, {c.source, 0.5});
        const GraphField again = solve(on_gpu, {c.source, 0.5});
        EXPECT_EQ(gpu.times, again.times) << "seed " << seed;
        EXPECT_EQ(gpu.predecessor, again.predecessor) << "seed " << seed;
        EXPECT_EQ(gpu.start_time, 0.5);
        for (std::size_t n = 0; n < cpu.times.size(); ++n) {
            ASSERT_EQ(std::isinf(cpu.times[n]), std::isinf(gpu.times[n])) << "seed " << seed;
            if (std::isinf(cpu.times[n])) continue;
            ASSERT_NEAR(cpu.times[n], gpu.times[n], 2e-6 * static_cast<double>(cpu.times[n]))
                << "seed " << seed;
        }
        expect_tree(on_gpu, gpu);
    }
}

// The choice of visited tiles is honoured: it changes the work, and not a bit of the times.
TEST_F(GpuGraph, TheUpdateMapChangesTheWorkAndNotTheTimes) {
    const Model model = random_blocks_model({{200, 1, 300}, {}, {1, 1, 1}}, {1, 5, {9, 1, 9}, 3});
    GraphOptions options = options_of(1, 2);
    std::vector<float> times;
    std::int64_t before = 0;
    for (const TileVisits visits : {TileVisits::ordered, TileVisits::marked, TileVisits::none}) {
        SCOPED_TRACE(name_of(visits));
        options.visits = visits;
        const Graph graph(model, options, test::on_cpu().on(Device::cuda));
        const GraphField field = solve(graph, {{3, 0, 290}, 0});
        if (times.empty()) times = field.times;
        EXPECT_EQ(field.times, times);
        if (visits == TileVisits::ordered) before = field.relaxations;
        if (visits == TileVisits::none) {
            EXPECT_GT(field.relaxations, before);
        }
    }
}

// Papers 1 and 2 to the letter: a launch reads the times before it and no others, so the device
// gives the CPU's times, predecessors, passes and work, whatever the order of its threads. Only
// Algorithm A-1, which the device computes with its own division, may round otherwise.
TEST_F(GpuGraph, ThePapersOwnRelaxationIsThatOfTheCpu) {
    for (unsigned seed = 0; seed < 24; ++seed) {
        SCOPED_TRACE(seed);
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const RandomCase c = random_case(seed, dimensions, kind(seed % 4 >= 2));
        GraphOptions options = options_of(seed, dimensions);
        options.relaxation = Relaxation::jacobi;
        options.visits = seed % 3 == 1 ? TileVisits::none : TileVisits::marked;
        const Graph on_cpu(c.model, options, test::on_cpu(0));
        const Graph on_gpu(c.model, options, test::on_gpu());
        ASSERT_NE(on_gpu.cuda_jacobi(), nullptr);
        const GraphField cpu = solve(on_cpu, {c.source, 0.5}, test::on_cpu(0));
        const GraphField gpu = solve(on_gpu, {c.source, 0.5});
        const bool walks =
            options.reading == Reading::nearest && options.weights == EdgeWeights::computed;
        for (std::size_t n = 0; n < on_cpu.view().memory.count(); ++n) {
            ASSERT_EQ(std::isinf(cpu.times[n]), std::isinf(gpu.times[n]));
            if (std::isinf(cpu.times[n])) continue;
            ASSERT_NEAR(cpu.times[n], gpu.times[n], 4e-6 * static_cast<double>(cpu.times[n]));
        }
        if (walks) continue;
        EXPECT_EQ(gpu.passes, cpu.passes);
        EXPECT_EQ(gpu.relaxations, cpu.relaxations);
        expect_tree(on_gpu, gpu);
    }
}

TEST_F(GpuGraph, SwappedWeightsGiveTheBitsOfStoredOnes) {
    const Model model = random_blocks_model({{70, 1, 90}, {}, {1, 1, 1}}, {2, 5, {6, 1, 6}, 3});
    for (const Relaxation relaxation : {Relaxation::tiles, Relaxation::jacobi}) {
        GraphOptions options;
        options.solver = GraphSolver::bellman_ford;
        options.relaxation = relaxation;
        options.radius = {4, 0, 4};
        options.weights = EdgeWeights::stored;
        const PointSource source{{30, 0, 40}, 0};
        const GraphField stored =
            solve(Graph(model, options, test::on_gpu()), source, test::on_gpu());
        options.weights = EdgeWeights::swapped;
        const GraphField swapped =
            solve(Graph(model, options, test::on_gpu()), source, test::on_gpu());
        EXPECT_EQ(swapped.times, stored.times) << name_of(relaxation);
    }
}

TEST_F(GpuGraph, ABatchGivesTheBitsOfItsSourcesAlone) {
    const RandomCase c = random_case(7, 3, kind(true));
    const Graph graph(c.model, options_of(8, 3), test::on_gpu());
    std::vector<PointSource> sources;
    for (int n = 0; n < 9; ++n) {
        const Vec3 p = c.model.grid().position(
            {n % c.model.grid().shape.x, n % c.model.grid().shape.y, n % c.model.grid().shape.z});
        if (!in_air(c.model, p)) sources.push_back({p, 0.1 * n});
    }
    sources.push_back({c.source, 0});
    std::vector<int> seen(sources.size());
    for_each_field(graph, sources, {}, [&](std::size_t n, const GraphField& field) {
        ++seen[n];
        EXPECT_EQ(field.start_time, sources[n].start_time);
        EXPECT_TRUE(std::all_of(field.predecessor.begin(), field.predecessor.end(),
                                [&](std::uint16_t p) { return p <= from_nowhere; }));
    });
    EXPECT_EQ(seen, std::vector<int>(sources.size(), 1));
    std::vector<std::vector<float>> together(sources.size());
    for_each_field(graph, sources, {},
                   [&](std::size_t n, const GraphField& field) { together[n] = field.times; });
    for (std::size_t n = 0; n < sources.size(); ++n) {
        EXPECT_EQ(solve(graph, sources[n]).times, together[n]) << n;
    }
}

TEST_F(GpuGraph, RaysOfThePredecessorTreeAreThoseOfTheCpu) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        const int dimensions = seed % 2 == 0 ? 2 : 3;
        const RandomCase c = random_case(50 + seed, dimensions, kind(true));
        const Vec3 far = c.model.grid().far_corner();
        const Vec3 origin = c.model.grid().origin;
        std::mt19937 random(seed);
        std::vector<Vec3> receivers;
        for (int n = 0; n < 100; ++n) {
            Vec3 p;
            for (int axis = 0; axis < 3; ++axis) {
                const double part = std::min(1.0, static_cast<double>(random() % 1100) / 1000);
                p[axis] = origin[axis] + part * (far[axis] - origin[axis]);
            }
            receivers.push_back(p);
        }
        const std::vector<PointSource> sources{{c.source, 1.5}};
        const auto pairs = all_pairs(1, receivers.size());
        RayOptions options;
        options.tracer = Tracer::graph;
        options.graph = options_of(seed, dimensions);
        const RaySet cpu =
            trace_rays(c.model, survey_of(sources, receivers, pairs), options, test::on_cpu(0));
        const RaySet gpu =
            trace_rays(c.model, survey_of(sources, receivers, pairs), options, test::on_gpu());
        ASSERT_EQ(cpu.size(), gpu.size());
        for (std::size_t r = 0; r < cpu.size(); ++r) {
            EXPECT_EQ(cpu.rays[r].status, gpu.rays[r].status) << r;
            if (cpu.rays[r].status != RayStatus::ok) continue;
            EXPECT_TRUE(gpu.path(r).back() == cpu.path(r).back());
            EXPECT_NEAR(gpu.rays[r].field_time, cpu.rays[r].field_time,
                        1e-5 * cpu.rays[r].field_time);
        }
    }
}

TEST_F(GpuGraph, PathsWhoseTimeRoundingSwallowsDoNotGoInCircles) {
    const Grid grid{{9, 1, 60}, {}, {1, 1, 1}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 60; ++k) velocity(i, 0, k) = k < 20 ? 1e-3F : 1e9F;
    }
    const Model model(grid, std::move(velocity));
    GraphOptions options = options_of(1, 2);
    options.radius = {2, 0, 2};
    const Graph graph(model, options, test::on_gpu());
    expect_tree(graph, solve(graph, {{4, 0, 0}, 0}));
}

TEST_F(GpuGraph, AStarThatNoTileHoldsIsASentenceOrTheCpus) {
    const Model model = constant_model({{9, 9, 9}, {}, {1, 1, 1}}, 2);
    GraphOptions options = options_of(1, 3);
    options.radius = {60, 1, 20};
    options.weights = EdgeWeights::computed;
    EXPECT_THROW(Graph(model, options, test::on_gpu()), InputError);
    EXPECT_EQ(Graph(model, options).cuda(), nullptr);
    options.relaxation = Relaxation::jacobi;
    EXPECT_THROW(Graph(model, options, test::on_gpu()), InputError);
    EXPECT_EQ(Graph(model, options).cuda_jacobi(), nullptr);
}

TEST(GpuGraphAnywhere, WhatTheDeviceCannotDoIsASentence) {
    const Model model = constant_model({{9, 1, 9}, {}, {1, 1, 1}}, 2);
    GraphOptions options;
    options.solver = GraphSolver::dijkstra;
    EXPECT_THROW(Graph(model, options, test::on_gpu()), InputError);
    EXPECT_EQ(Graph(model, options).cuda(), nullptr);
}

}  // namespace
}  // namespace fermat
