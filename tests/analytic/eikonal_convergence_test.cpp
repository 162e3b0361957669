// Orders of convergence and errors of the eikonal solvers against closed forms (issue: the most
// accurate there are). Errors are relative, over nodes at least three cells from the source.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "model/analytic.hpp"

namespace fermat {
namespace {

struct Errors {
    double mean = 0;
    double max = 0;
};

using VelocityAt = std::function<double(Vec3)>;
using TimeAt = std::function<double(Vec3, Vec3)>;

struct Medium {
    const char* name;
    VelocityAt velocity;
    TimeAt time;
};

Medium linear_velocity() {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    return {"v = 2 + 0.5 z", [=](Vec3 p) { return medium.velocity(p); },
            [=](Vec3 a, Vec3 b) { return medium.time(a, b); }};
}

/// Positive and without caustics in the box.
Medium linear_squared_slowness() {
    const LinearSquaredSlowness medium{0.25, {0, 0, -0.015}};
    return {"s^2 = 0.25 - 0.015 z", [=](Vec3 p) { return medium.velocity(p); },
            [=](Vec3 a, Vec3 b) { return medium.time(a, b); }};
}

Grid box(int nodes, int dimensions) {
    const double h = 10.0 / (nodes - 1);
    return {{nodes, dimensions == 3 ? nodes : 1, nodes}, {}, {h, h, h}};
}

template <class Real = float>
Errors errors(const Medium& medium, const Grid& grid, Vec3 source, const EikonalOptions& options) {
    Field<float> velocity(grid.shape);
    const auto for_nodes = [&](auto visit) {
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) visit(Index3{i, j, k});
            }
        }
    };
    for_nodes(
        [&](Index3 n) { velocity(n) = static_cast<float>(medium.velocity(grid.position(n))); });
    const Model model(grid, std::move(velocity));
    const Field<Real> times = to_times(solve<Real>(model, {source, 0}, options));
    Errors e;
    std::size_t count = 0;
    for_nodes([&](Index3 n) {
        const Vec3 p = grid.position(n);
        if (distance(p, source) < 3 * grid.spacing.x) return;
        const double exact = medium.time(source, p);
        const double error = std::abs(times(n) / exact - 1);
        e.mean += error;
        e.max = std::max(e.max, error);
        ++count;
    });
    e.mean /= static_cast<double>(count);
    return e;
}

double order_of(const std::vector<double>& mean_errors) {
    return std::log2(mean_errors.front() / mean_errors.back()) /
           static_cast<double>(mean_errors.size() - 1);
}

template <class Real = float>
std::vector<double> refine(const Medium& medium, int dimensions, Vec3 source,
                           const EikonalOptions& options, std::vector<int> sizes) {
    std::vector<double> means;
    for (const int nodes : sizes) {
        const Errors e = errors<Real>(medium, box(nodes, dimensions), source, options);
        ::testing::Test::RecordProperty("mean_" + std::to_string(nodes), std::to_string(e.mean));
        means.push_back(e.mean);
    }
    return means;
}

const Vec3 on_node{5, 5, 0.625};
const Vec3 between_nodes{5.0137, 4.9731, 0.5311};

TEST(EikonalConvergence, SecondOrderIsSecondOrder3D) {
    for (const Vec3 source : {on_node, between_nodes}) {
        EXPECT_GE(order_of(refine(linear_velocity(), 3, source, {}, {33, 65, 129})), 1.8);
        // Errors here go below what float resolves, so the order shows in double.
        EXPECT_GE(order_of(refine<double>(linear_squared_slowness(), 3, source, {}, {33, 65, 129})),
                  1.8);
    }
}

TEST(EikonalConvergence, SecondOrderIsSecondOrder2D) {
    for (Vec3 source : {on_node, between_nodes}) {
        source.y = 0;
        EXPECT_GE(order_of(refine(linear_velocity(), 2, source, {}, {33, 65, 129, 257})), 1.8);
        // Errors here go below what float resolves, so the order shows in double.
        EXPECT_GE(
            order_of(refine<double>(linear_squared_slowness(), 2, source, {}, {33, 65, 129, 257})),
            1.8);
    }
}

TEST(EikonalConvergence, FirstOrderIsFirstOrder) {
    EikonalOptions options;
    options.order = 1;
    for (const Medium& medium : {linear_velocity(), linear_squared_slowness()}) {
        EXPECT_GE(order_of(refine(medium, 3, on_node, options, {33, 65, 129})), 0.9) << medium.name;
    }
}

TEST(EikonalConvergence, ErrorsAtFullSizeAreWithinTheTargets) {
    EikonalOptions options;
    for (const Vec3 source : {Vec3{5, 5, 0.5}, between_nodes}) {
        const Errors second = errors(linear_velocity(), box(129, 3), source, options);
        EXPECT_LE(second.mean, 4e-5);
        EXPECT_LE(second.max, 1e-3);
    }
    options.order = 1;
    EXPECT_LE(errors(linear_velocity(), box(129, 3), {5, 5, 0.5}, options).mean, 1e-3);
}

TEST(EikonalConvergence, ErrorAt257IsWithinTheTarget) {
    const Errors e = errors(linear_velocity(), box(257, 3), {5, 5, 0.5}, {});
    EXPECT_LE(e.mean, 1e-5);
}

TEST(EikonalConvergence, UnequalSpacingKeepsTheOrder) {
    std::vector<double> means;
    for (const int n : {17, 33, 65}) {
        const double h = 10.0 / (n - 1);
        const Grid grid{{n, 2 * n - 1, (n + 1) / 2}, {}, {h, h / 2, 2 * h}};
        means.push_back(errors(linear_velocity(), grid, between_nodes, {}).mean);
    }
    EXPECT_GE(order_of(means), 1.7);
}

// Sources stay shallow: rays of deep ones would dive through the floor of the box.
TEST(EikonalConvergence, SourcesOnFacesEdgesAndCornersAreAsAccurate) {
    const double inside = errors(linear_velocity(), box(65, 3), on_node, {}).mean;
    for (const Vec3 source :
         {Vec3{0, 0, 0}, Vec3{10, 10, 0}, Vec3{5, 0, 0}, Vec3{5, 5, 0}, Vec3{10, 3.3, 1.7}}) {
        EXPECT_LE(errors(linear_velocity(), box(65, 3), source, {}).mean, 4 * inside)
            << source.x << ' ' << source.y << ' ' << source.z;
    }
}

TEST(EikonalConvergence, DoublePrecisionConvergesToTheSameScheme) {
    const Grid grid = box(33, 3);
    Field<float> velocity(grid.shape);
    for (int i = 0; i < 33; ++i) {
        for (int j = 0; j < 33; ++j) {
            for (int k = 0; k < 33; ++k) {
                velocity(i, j, k) = static_cast<float>(2 + 0.5 * k * grid.spacing.z);
            }
        }
    }
    const Model model(grid, std::move(velocity));
    const auto single = to_times(solve<float>(model, {on_node, 0}));
    const auto full = to_times(solve<double>(model, {on_node, 0}));
    for (std::size_t n = 0; n < single.size(); ++n) {
        EXPECT_NEAR(single[n], full[n], 1e-5 * full[n]);
    }
}

/// Surface arrivals of a layer over a faster half-space: direct, then head wave.
TEST(EikonalConvergence, HeadWaveOfTwoLayers) {
    const Grid grid{{501, 1, 501}, {}, {1, 1, 1}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < 501; ++i) {
        for (int k = 0; k < 501; ++k) velocity(i, 0, k) = k < 50 ? 2.0F : 5.0F;
    }
    const Model model(grid, std::move(velocity));
    for (const Solver solver : {Solver::fim, Solver::fmm}) {
        EikonalOptions options;
        options.solver = solver;
        const auto times = to_times(solve(model, {{0, 0, 0}, 0}, options));
        const double dip = std::sqrt(1 - 0.16);
        double worst = 0;
        for (int i = 6; i < 501; ++i) {
            const double exact = std::min(i / 2.0, i / 5.0 + 2 * 50 * dip / 2);
            worst = std::max(worst, std::abs(times(i, 0, 0) / exact - 1));
        }
        EXPECT_LE(worst, 5e-3) << name_of(solver);
    }
}

}  // namespace
}  // namespace fermat
