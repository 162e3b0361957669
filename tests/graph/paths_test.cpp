#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

double time_along(const Graph& graph, const std::vector<Vec3>& points) {
    double sum = 0;
    for (std::size_t n = 1; n < points.size(); ++n) {
        sum += line_time(graph.view(), graph.grid().to_index(points[n - 1]),
                         graph.grid().to_index(points[n]));
    }
    return sum;
}

TEST(Paths, JoinReceiverAndSourceAndTakeTheirTime) {
    for (const Grid& grid : {Grid{{41, 1, 37}, {-5, 2, 1}, {0.5, 1, 0.25}},
                             Grid{{15, 14, 13}, {1, 2, 3}, {0.5, 0.4, 0.3}}}) {
        const Model model = random_smooth_model(grid, {3, 0.3, 1, 4});
        GraphOptions options;
        options.radius = {3, 3, 3};
        for (const GraphSolver solver : {GraphSolver::dijkstra, GraphSolver::bellman_ford}) {
            options.solver = solver;
            const Graph graph(model, options);
            const Vec3 far = grid.far_corner();
            const double y = grid.is_2d() ? grid.origin.y : grid.origin.y + 1.234;
            for (const Vec3 source : {grid.origin, Vec3{grid.origin.x + 1.01, y, far.z - 0.77}}) {
                const GraphField field = solve(graph, {source, 2.5});
                for (const Vec3 receiver :
                     {far, grid.origin, source, Vec3{far.x - 0.31, y, grid.origin.z + 0.13},
                      source + Vec3{0.1, 0, -0.2}}) {
                    const Vec3 inside = grid.clamp(receiver);
                    const GraphPath path = graph_path(graph, field, inside);
                    EXPECT_EQ(path.points.front(), inside);
                    EXPECT_EQ(path.points.back(), source);
                    EXPECT_DOUBLE_EQ(path.time, time_at(graph, field, inside));
                    EXPECT_NEAR(path.time - 2.5, time_along(graph, path.points), 1e-5);
                }
            }
        }
    }
}

TEST(Paths, AreTheSameFromEitherEnd) {
    const Grid grid{{60, 1, 50}, {}, {1, 1, 1}};
    const Model model = random_smooth_model(grid, {2, 0.4, 8, 11});
    const Graph graph(model, {});
    const Vec3 a{3.3, 0, 4.8};
    const Vec3 b{55.2, 0, 40.1};
    EXPECT_NEAR(time_at(graph, solve(graph, {a}), b), time_at(graph, solve(graph, {b}), a), 1e-4);
}

TEST(Paths, PointsBetweenNodesLoseNoAccuracy) {
    const Model model = constant_model({{101, 1, 101}, {}, {1, 1, 1}}, 1);
    GraphOptions options;
    options.radius = {4, 0, 4};
    const Graph graph(model, options);
    const double bound = 1 / std::cos(largest_gap(graph.star().offset, 1, 1) / 2) - 1;
    const Vec3 source{50.37, 0, 49.61};
    const GraphField field = solve(graph, {source});
    for (int n = 0; n < 200; ++n) {
        const double r = 0.2 + 0.24 * n;
        const Vec3 p = source + r * Vec3{std::cos(0.7 * n), 0, std::sin(0.7 * n)};
        const double error = time_at(graph, field, p) / r - 1;
        EXPECT_GT(error, -1e-5);
        // Near the source, paths have the directions of its links, not of the star.
        EXPECT_LT(error, bound + 0.02 / r) << r;
    }
}

/// Rock with a wall of air from the top to z = 30.
Model walled() {
    Field<float> velocity({61, 1, 41}, 1.0F);
    for (int k = 0; k <= 30; ++k) velocity(30, 0, k) = 0;
    return Model({{61, 1, 41}, {}, {1, 1, 1}}, std::move(velocity));
}

TEST(Paths, GoRoundAir) {
    const Model model = walled();
    GraphOptions options;
    options.radius = {4, 0, 4};
    for (const Reading reading : {Reading::linear, Reading::nearest}) {
        options.reading = reading;
        const Graph graph(model, options);
        const GraphField field = solve(graph, {{20, 0, 10}});
        const GraphPath path = graph_path(graph, field, {40, 0, 10});
        const double taut = 2 * std::hypot(10.0, 20.0);  // to the foot of the wall and back
        EXPECT_GT(path.time, taut);
        EXPECT_LT(path.time, 1.1 * taut);  // edges stay one cell away from air
        EXPECT_TRUE(std::isfinite(time_along(graph, path.points)));
    }
}

TEST(Paths, EndInAirOrBehindItAsInfinite) {
    Field<float> velocity({21, 1, 21}, 2.0F);
    for (int k = 0; k < 21; ++k) velocity(10, 0, k) = 0;
    const Model model({{21, 1, 21}, {}, {1, 1, 1}}, std::move(velocity));
    const Graph graph(model, {});
    const GraphField field = solve(graph, {{2, 0, 3}});
    const GraphPath behind = graph_path(graph, field, {15, 0, 3});
    EXPECT_TRUE(std::isinf(behind.time));
    EXPECT_EQ(behind.points.size(), 1u);
    EXPECT_TRUE(std::isinf(time_at(graph, field, {10, 0, 7})));
    EXPECT_THROW(solve(graph, {{10, 0, 7}}), InputError);
    // Points in a cell with rock are connected to it.
    EXPECT_TRUE(std::isfinite(time_at(graph, field, {9.6, 0, 7.5})));
    EXPECT_TRUE(std::isfinite(time_at(graph, solve(graph, {{9.6, 0, 7.5}}), {0, 0, 0})));
    // A point at an air node is in air, also if rounding put it slightly beside it.
    const Vec3 rounded{10 - 1e-12, 0, 7};
    ASSERT_TRUE(in_air(model, rounded));
    EXPECT_TRUE(std::isinf(time_at(graph, field, rounded)));
    EXPECT_THROW(solve(graph, {rounded}), InputError);
}

TEST(Graph, ServesManySources) {
    const Grid grid{{40, 1, 30}, {}, {1, 1, 1}};
    const Model model = random_smooth_model(grid, {2, 0.3, 5, 3});
    GraphOptions options;
    options.weights = EdgeWeights::stored;
    const Graph graph(model, options);
    for (int n = 0; n < 4; ++n) {
        const Vec3 source{3.0 * n, 0, 2.5 * n};
        EXPECT_EQ(solve(graph, {source}).times, solve(Graph(model, options), {source}).times);
    }
}

}  // namespace
}  // namespace fermat
