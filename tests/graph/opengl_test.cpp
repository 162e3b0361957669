// Shortest paths by compute shaders: the same times and paths as on the CPU. Skips, with the
// reason, where there is no OpenGL 4.3; CI has Mesa's software renderer.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"
#include "random_case.hpp"

namespace fermat {
namespace {

Execution on_opengl() { return test::on_cpu().on(Device::opengl); }

class OpenGl : public testing::Test {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
        GTEST_SKIP() << "drivers keep memory until the process ends, which the sanitizer reports";
#endif
        if (const std::string why = gl_obstacle(); !why.empty()) GTEST_SKIP() << why;
    }
};

/// Rounding of a weight's sum of products: drivers without fused operations round each of them.
constexpr double rounding = 2e-6;

void expect_same_times(const GraphField& found, const GraphField& wanted, std::size_t nodes) {
    for (std::size_t n = 0; n < nodes; ++n) {
        const double time = wanted.times[n];
        if (!std::isfinite(time)) {
            ASSERT_EQ(found.times[n], wanted.times[n]) << "node " << n;
        } else {
            ASSERT_NEAR(found.times[n], time, rounding * time) << "node " << n;
        }
    }
}

// Every reading, star, storage of weights and map, in 2-D and 3-D, with air and a source between
// nodes; paths too, whose times along their edges are those of the nodes.
TEST_F(OpenGl, TimesAndPathsAreThoseOfTheCpu) {
    struct Case {
        int dimensions;
        Reading reading;
        StarEdges edges;
        EdgeWeights weights;
        TileVisits visits;
    };
    constexpr Case cases[] = {
        {2, Reading::nearest, StarEdges::coprime, EdgeWeights::stored, TileVisits::ordered},
        {3, Reading::linear, StarEdges::coprime, EdgeWeights::stored, TileVisits::marked},
        {2, Reading::linear, StarEdges::full, EdgeWeights::computed, TileVisits::none},
        {3, Reading::nearest, StarEdges::coprime, EdgeWeights::computed, TileVisits::ordered}};
    unsigned seed = 0;
    for (const Case& c : cases) {
        SCOPED_TRACE(seed);
        const test::RandomCase made = test::random_case(seed, c.dimensions, {3, 40, 12, 7});
        const Grid& grid = made.model.grid();
        Vec3 source = grid.position(made.node);
        if (seed++ % 2 == 1) source.x += grid.shape.x > 1 ? 0.3 * grid.spacing.x : 0;
        GraphOptions options;
        options.solver = GraphSolver::bellman_ford;
        options.reading = c.reading;
        options.edges = c.edges;
        options.weights = c.weights;
        options.visits = c.visits;
        options.radius = c.dimensions == 2 ? Index3{3, 0, 2} : Index3{1, 1, 2};
        const Graph cpu(made.model, options, test::on_cpu());
        const Graph shader(made.model, options, on_opengl());
        ASSERT_NE(shader.opengl(), nullptr);
        if (cpu.links(source).empty()) continue;
        const GraphField wanted = solve(cpu, {source, 0}, test::on_cpu());
        const GraphField found = solve(shader, {source, 0}, on_opengl());
        expect_same_times(found, wanted, cpu.view().memory.count());
        EXPECT_GT(found.passes, 0);
        EXPECT_GT(found.relaxations, 0);
        for (const Index3 node : {Index3{}, Index3{grid.shape.x - 1, grid.shape.y - 1, 0},
                                  Index3{grid.shape.x / 2, grid.shape.y / 2, grid.shape.z - 1}}) {
            const Vec3 point = grid.position(node);
            const GraphPath path = graph_path(shader, found, point);
            const double time = graph_path(cpu, wanted, point).time;
            if (!std::isfinite(time)) {
                EXPECT_FALSE(std::isfinite(path.time));
                continue;
            }
            EXPECT_NEAR(path.time, time, rounding * time);
            EXPECT_EQ(path.points.back(), source);
        }
    }
}

// Papers 1 and 2 to the letter: shaders read the times of the last pass and no others, so passes
// and work are those of the CPU where rounding of weights does not decide between paths.
TEST_F(OpenGl, ThePapersOwnRelaxationIsThatOfTheCpu) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        SCOPED_TRACE(seed);
        const int dimensions = seed % 4 < 2 ? 2 : 3;
        const test::RandomCase made = test::random_case(seed, dimensions, {3, 40, 12, 7});
        GraphOptions options;
        options.solver = GraphSolver::bellman_ford;
        options.relaxation = Relaxation::jacobi;
        options.visits = seed % 3 == 0 ? TileVisits::none : TileVisits::marked;
        options.reading = seed % 2 == 0 ? Reading::nearest : Reading::linear;
        options.edges = seed % 5 == 0 ? StarEdges::full : StarEdges::coprime;
        options.weights = seed % 4 == 3 ? EdgeWeights::stored : EdgeWeights::computed;
        options.radius = dimensions == 2 ? Index3{3, 0, 2} : Index3{1, 1, 2};
        const Graph cpu(made.model, options, test::on_cpu());
        const Graph shader(made.model, options, on_opengl());
        ASSERT_NE(shader.opengl_jacobi(), nullptr);
        if (cpu.links(made.source).empty()) continue;
        const GraphField wanted = solve(cpu, {made.source, 0}, test::on_cpu());
        const GraphField found = solve(shader, {made.source, 0}, on_opengl());
        expect_same_times(found, wanted, cpu.view().memory.count());
        EXPECT_NEAR(static_cast<double>(found.passes), static_cast<double>(wanted.passes), 2);
        EXPECT_NEAR(static_cast<double>(found.relaxations), static_cast<double>(wanted.relaxations),
                    0.1 * static_cast<double>(wanted.relaxations));
        const Vec3 far = made.model.grid().far_corner();
        const GraphPath path = graph_path(shader, found, far);
        EXPECT_TRUE(!std::isfinite(path.time) || path.points.back() == found.source);
    }
}

TEST_F(OpenGl, ABatchOfSourcesIsSolvedAsEachAlone) {
    const Model model = random_blocks_model({{40, 1, 50}, {}, {1, 1, 1}}, {1, 5, {5, 1, 5}, 3});
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.radius = {3, 0, 2};
    const Graph graph(model, options, on_opengl());
    std::vector<PointSource> sources;
    for (int n = 0; n < 5; ++n) sources.push_back({{7.0 * n + 0.5, 0, 3.0 * n}, 0.1 * n});
    std::vector<GraphField> together(sources.size());
    for_each_field(graph, sources, on_opengl(),
                   [&](std::size_t n, const GraphField& field) { together[n] = field; });
    for (std::size_t n = 0; n < sources.size(); ++n) {
        const GraphField alone = solve(graph, sources[n], on_opengl());
        EXPECT_EQ(together[n].times, alone.times);
        EXPECT_EQ(together[n].predecessor, alone.predecessor);
        EXPECT_EQ(together[n].start_time, 0.1 * static_cast<double>(n));
    }
}

TEST_F(OpenGl, WhatDoesNotFitIsASentence) {
    const Model model = constant_model({{200, 200, 200}, {}, {1, 1, 1}}, 1);
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.radius = {11, 11, 11};
    test::expect_error<InputError>([&] { Graph(model, options, on_opengl()); },
                                   "device is 'opengl' (a tile of radius (11, 11, 11) takes");
}

// Without shaders for it, no method takes the CPU in silence.
TEST(OpenGlDevice, OtherSolversRefuseIt) {
    const Model model = constant_model({{9, 1, 9}, {}, {1, 1, 1}}, 1);
    test::expect_error<InputError>([&] { Graph(model, {}, on_opengl()); },
                                   "device is 'opengl' (it computes times by fim");
}

}  // namespace
}  // namespace fermat
