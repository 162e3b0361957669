// Spherical models beside which a layered one is near: times are taken to those of its layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bench/earth_section.hpp"
#include "eikonal/metric/layered_times.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

constexpr double one_degree = std::numbers::pi / 180;

/// A model whose velocity at node n is `factor(n)` times as high.
template <class Factor>
Model changed(const Model& model, Factor factor) {
    Field<float> velocity(model.grid().shape);
    for_each_node(model.grid().shape, [&](Index3 n) {
        velocity(n) = static_cast<float>(model.velocity()(n) * factor(n));
    });
    return model.with_given(std::move(velocity));
}

Model with_one_node(const Model& model, Index3 node, double factor) {
    return changed(model, [=](Index3 n) { return n == node ? factor : 1.0; });
}

LayeredSphere ak135_layers(double bottom) {
    LayeredSphere layers;
    layers.radius = 6371;
    for (double depth = 0; depth <= bottom; depth += 5) {
        layers.depths.push_back(depth);
        layers.above.push_back(1 / ak135_velocity(depth, false));
        layers.below.push_back(1 / ak135_velocity(depth, true));
    }
    return layers;
}

TEST(NearestLayers, AreTheMeanSlownessOfRows) {
    const Model model = earth_block(25).model;
    const auto layers =
        nearest_layers(changed(model, [](Index3 n) { return n.x % 2 == 0 ? 1 / 1.02 : 1 / 0.98; }));
    ASSERT_TRUE(layers.has_value());
    const double mean = (31 * 1.02 + 30 * 0.98) / 61;
    EXPECT_NEAR(layers->above[2], mean / 5.8, 1e-7);
    EXPECT_NEAR(layers->below[4], mean / 6.5, 1e-7);
}

TEST(NearestLayers, FallALittleAtLeast) {
    // In a row that is slower by a part in a thousand, eta grows.
    const Model model = earth_block(25).model;
    const auto slower = [&](double factor) {
        return nearest_layers(changed(model, [=](Index3 n) { return n.z == 3 ? factor : 1; }));
    };
    ASSERT_TRUE(slower(0.997).has_value());
    EXPECT_TRUE(LayeredRays::knows(*slower(0.997)));
    EXPECT_NEAR(slower(0.997)->above[3], 1 / 5.8, 2e-3 / 5.8);
    EXPECT_FALSE(slower(0.98).has_value());
}

TEST(NearestLayers, AreNotFarFromTheModel) {
    const Model model = earth_block(25).model;
    EXPECT_TRUE(nearest_layers(with_one_node(model, {38, 24, 2}, 1.08)).has_value());
    EXPECT_FALSE(nearest_layers(with_one_node(model, {38, 24, 2}, 1.12)).has_value());
    EXPECT_FALSE(nearest_layers(with_one_node(model, {38, 24, 2}, 0)).has_value());
    EXPECT_FALSE(nearest_layers(power_law_block(17).model).has_value());
}

TEST(LayeredTimes, SlopesSolveTheEquationAndAreThoseOfTimes) {
    const MetricMedium medium = earth_block(25);
    const auto layers = nearest_layers(medium.model);
    ASSERT_TRUE(layers.has_value());
    const LayeredTimes times(medium.model, *layers, medium.source);
    const Grid& grid = medium.model.grid();
    int kinks = 0;
    for (const auto& [i, j] : {std::pair{30, 24}, {40, 10}, {3, 55}, {26, 58}, {60, 0}}) {
        for (const int row : {0, 3, 4, 7, 12, 23}) {
            const LayeredTimes::Column column = times.column(i, j);
            const LayeredTimes::Node node = times.node(column, row);
            const double r = 6371 - grid.coordinate(2, row);
            const auto k = static_cast<std::size_t>(row);
            EXPECT_NEAR(std::hypot(node.by_angle / r, node.above), layers->above[k], 1e-12);
            EXPECT_NEAR(std::hypot(node.by_angle / r, node.below), layers->below[k], 1e-12);
            const Vec3 q = grid.position({i, j, row});
            EXPECT_NEAR(times.time(q), node.time, 2e-6);
            const auto slope = [&](Vec3 step) {
                return (times.time(q + step) - times.time(q - step)) / (2 * norm(step));
            };
            constexpr double tiny = 1e-3;
            const double north = slope({tiny, 0, 0});
            // Where a wave overtakes within the step, times have a kink.
            if (std::abs(north - node.by_angle * column.by_axis.x) > 1e-3 * std::abs(north))
                ++kinks;
            const double down = (times.time(q + Vec3{0, 0, tiny}) - times.time(q)) / tiny;
            EXPECT_NEAR(down, node.below, 2e-3) << i << " " << j << " " << row;
        }
    }
    EXPECT_LE(kinks, 1);
}

TEST(LayeredTimes, OneNodeHardlyChangesThem) {
    const MetricMedium medium = earth_block(25);
    const LayeredRays rays(ak135_layers(120), 12, 3 * one_degree);
    const Mapping& mapping = medium.model.mapping();
    const Vec3 source = mapping.place(medium.source);
    std::mt19937 random(1);
    const auto between = [&](double a, double b) {
        return a + (b - a) * static_cast<double>(random()) / 4294967296.0;
    };
    for (const Index3 node : {Index3{38, 24, 2}, Index3{60, 60, 24}}) {
        const MetricSolver solver(with_one_node(medium.model, node, 1.001), {}, test::on_cpu());
        const MetricField field = solver.solve({medium.source, 5}, test::on_cpu());
        ASSERT_TRUE(field.layers);
        double mean = 0;
        constexpr int points = 400;
        for (int n = 0; n < points; ++n) {
            const Vec3 q{between(40, 43), between(10, 13), between(0, 120)};
            const Vec3 place = mapping.place(q);
            const double angle = std::atan2(norm(crossed(source, place)), dot(source, place));
            const double exact = rays.at_depth(q.z, angle);
            const double error = std::abs((time_at(field, q) - 5) / exact - 1);
            mean += error / points;
            EXPECT_LT(error, 1e-4) << q.x << " " << q.y << " " << q.z;
        }
        EXPECT_LT(mean, 1e-6);  // from finer boxes 8e-4
    }
}

TEST(LayeredTimes, TheMantleOfASectionIsThatOfTheTable) {
    const MetricMedium medium = earth_section(181);
    const Model model = with_one_node(medium.model, {300, 0, 5}, 1.001);
    const MetricSolver solver(model, {}, test::on_cpu());
    const MetricField field = solver.solve({medium.source, 0}, test::on_cpu());
    for (int n = 1; n <= 25; ++n) {
        EXPECT_NEAR(time_at(field, {0.5 + n, 0, 0}), ak135_arrivals[n - 1], 6e-4) << n;
    }
}

TEST(LayeredTimes, TimesOfMildVariationConverge) {
    const auto field = [](int parts) {
        const double step = 5.0 / parts;
        const Grid grid{{60 * parts + 1, 1, 24 * parts + 1}, {}, {0.01 * step, 1, step}};
        const Model model = changed(ak135_model(grid), [=](Index3 n) {
            const Vec3 q = grid.position(n);
            return 1 + 0.04 * std::sin(4 * q.x) * std::cos(0.03 * q.z);
        });
        return MetricSolver(model, {}, test::on_cpu()).solve({{1.32, 0, 12}, 0}, test::on_cpu());
    };
    const MetricField fine = field(8);
    const auto error = [&](int parts) {
        const MetricField coarse = field(parts);
        double sum = 0;
        for_each_node(coarse.grid().shape, [&](Index3 n) {
            const Vec3 place = coarse.mapping().place(coarse.grid().position(n));
            const Index3 same{n.x * 8 / parts, 0, n.z * 8 / parts};
            sum += std::abs(coarse.factor.time(place) * coarse.tau(n) /
                                (fine.factor.time(place) * fine.tau(same)) -
                            1);
        });
        return sum / static_cast<double>(coarse.tau.size());
    };
    const double coarse = error(1);
    EXPECT_LT(coarse, 1.5e-4);  // from finer boxes 2.9e-4
    EXPECT_GT(std::log2(coarse / error(2)), 1.2);
}

TEST(LayeredTimes, AtTheEdgeOfAWideModelWavesStayInIt) {
    // Along a parallel of 70 degrees, great circles lead out of a model that ends there.
    const auto solved = [](int parts) {
        const Grid grid{
            {10 * parts + 1, 30 * parts + 1, 9}, {65, 0, 0}, {0.5 / parts, 2.0 / parts, 5}};
        return MetricSolver(ak135_model(grid), {}, test::on_cpu())
            .solve({{69.3, 3.2, 12}, 0}, test::on_cpu());
    };
    const MetricField coarse = solved(1);
    const MetricField fine = solved(3);
    int bent = 0;
    for (int j = 0; j < coarse.grid().shape.y; ++j) {
        const Vec3 q = coarse.grid().position({10, j, 4});
        const double time = time_at(fine, q);
        EXPECT_NEAR(time_at(coarse, q), time, 4e-4 * time) << j;  // from a box 4e-3
        if (time > 1.005 * fine.layers->time(q)) ++bent;
    }
    EXPECT_GT(bent, 5);
}

}  // namespace
}  // namespace fermat
