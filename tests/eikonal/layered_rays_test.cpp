// First arrivals of layered spheres by their rays, and times between nodes across kinks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "bench/earth_section.hpp"
#include "eikonal/metric/kinked_tau.hpp"
#include "eikonal/metric/layered_rays.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// ak135 on rows of 5 km.
LayeredSphere ak135_sphere(double bottom) {
    LayeredSphere sphere;
    sphere.radius = 6371;
    for (double depth = 0; depth <= bottom; depth += 5) {
        sphere.depths.push_back(depth);
        sphere.above.push_back(1 / ak135_velocity(depth, false));
        sphere.below.push_back(1 / ak135_velocity(depth, true));
    }
    return sphere;
}

LayeredSphere uniform_sphere(double velocity) {
    LayeredSphere sphere;
    sphere.radius = 6371;
    for (double depth = 0; depth <= 200; depth += 10) {
        sphere.depths.push_back(depth);
        sphere.above.push_back(1 / velocity);
        sphere.below.push_back(1 / velocity);
    }
    return sphere;
}

TEST(LayeredRays, RaysOfAUniformSphereAreStraight) {
    const LayeredRays rays(uniform_sphere(6), 33, 4 * degree);
    for (const double depth : {0.0, 7.0, 30.0, 33.0, 34.0, 120.0}) {
        for (const double angle : {0.01, 0.2, 1.0, 3.9}) {
            const double a = 6371 - 33;
            const double b = 6371 - depth;
            const double length = std::sqrt(a * a + b * b - 2 * a * b * std::cos(angle * degree));
            EXPECT_NEAR(rays.at_depth(depth, angle * degree), length / 6, 1e-6 * length) << depth;
        }
    }
}

TEST(LayeredRays, ArrivalsOfAk135AreThoseOfTheTable) {
    const LayeredRays rays(ak135_sphere(900), 0, 25.5 * degree);
    for (int n = 1; n <= 25; ++n) {
        EXPECT_NEAR(rays.at_row(0, n * degree), ak135_arrivals[n - 1], 2e-4) << n;
    }
}

TEST(LayeredRays, BetweenRowsAndOnThemTimesAreTheSame) {
    for (const double source : {0.0, 12.0, 20.0, 35.0, 119.0}) {
        const LayeredRays rays(ak135_sphere(120), source, 3 * degree);
        for (std::size_t row = 0; row < 25; ++row) {
            for (const double angle : {0.05, 0.3, 0.61, 1.2, 2.4}) {
                const double time = rays.at_row(row, angle * degree);
                const double depth = 5.0 * static_cast<double>(row);
                EXPECT_NEAR(rays.at_depth(depth, angle * degree), time, 1e-5 * time)
                    << source << " " << depth << " " << angle;
            }
        }
    }
}

TEST(LayeredRays, StraightBelowTimesAreSums) {
    const LayeredRays rays(ak135_sphere(120), 12, 3 * degree);
    EXPECT_NEAR(rays.at_depth(27, 0), 8 / 5.8 + 7 / 6.5, 1e-7);
    EXPECT_NEAR(rays.at_row(0, 0), 12 / 5.8, 1e-7);
}

TEST(LayeredRays, SlowerLayersBelowAreNotKnown) {
    LayeredSphere sphere = uniform_sphere(6);
    EXPECT_TRUE(LayeredRays::knows(sphere));
    sphere.below[5] = 1 / 5.5;
    EXPECT_FALSE(LayeredRays::knows(sphere));
}

TEST(KinkedValue, IsExactForTheLeastOfTwoParabolas) {
    const auto early = [](double x) { return 3 + 0.5 * x + 0.01 * x * x; };
    const auto late = [](double x) { return 3.2 + 0.1 * x + 0.005 * x * x; };
    double nodes[6];
    for (int n = 0; n < 6; ++n) nodes[n] = std::min(early(n - 2), late(n - 2));
    for (const double x : {0.0, 0.2, 0.5, 0.7, 1.0}) {
        EXPECT_NEAR(kinked_value(nodes, x), std::min(early(x), late(x)), 1e-12) << x;
    }
}

TEST(KinkedValue, IsCubicWhereTimesAreSmooth) {
    const auto time = [](double x) { return std::sqrt(40 + (x + 3) * (x + 3)); };
    double nodes[6];
    for (int n = 0; n < 6; ++n) nodes[n] = time(n - 2);
    EXPECT_NEAR(kinked_value(nodes, 0.4), time(0.4), 3e-5);
    nodes[0] = nodes[1] = nodes[5] = nothing;                // one-sided: quadratic
    EXPECT_NEAR(kinked_value(nodes, 0.4), time(0.4), 2e-3);  // 1.4e-2 if straight
    nodes[4] = nothing;                                      // straight
    EXPECT_NEAR(kinked_value(nodes, 0.4), nodes[2] + 0.4 * (nodes[3] - nodes[2]), 1e-12);
}

TEST(KinkedValue, AKinkInTheNextCellDoesNotMatter) {
    double nodes[6];
    for (int n = 0; n < 6; ++n) nodes[n] = std::min(1.0 * n, 3.5 + 0.1 * (n - 3.5));
    EXPECT_NEAR(kinked_value(nodes, 0.5), 2.5, 1e-12);
}

TEST(KinkedValue, MirrorsItsLine) {
    const double nodes[6] = {1.0, 1.2, 1.45, 1.5, 1.52, 1.56};
    const double mirrored[6] = {1.56, 1.52, 1.5, 1.45, 1.2, 1.0};
    for (const double x : {0.1, 0.4, 0.8}) {
        EXPECT_NEAR(kinked_value(nodes, x), kinked_value(mirrored, 1 - x), 1e-12);
    }
}

TEST(LayeredStart, TimesRoundASourceAreThoseOfTheLayers) {
    const MetricMedium medium = earth_block(25);
    const MetricSolver solver(medium.model, {}, test::on_cpu());
    const MetricField field = solver.solve({medium.source, 5}, test::on_cpu());
    const LayeredRays rays(ak135_sphere(120), 12, 3 * degree);
    for (const double north : {0.0, 0.31, 0.74, 1.17}) {
        for (const double depth : {3.3, 15.0, 18.9, 22.0, 41.0, 77.0}) {
            const double exact = 5 + rays.at_depth(depth, north * degree);
            EXPECT_NEAR(time_at(field, medium.source + Vec3{north, 0, depth - 12}), exact,
                        2e-6 * exact);
        }
    }
    EXPECT_FALSE(field.coarse_beside_jumps);
}

}  // namespace
}  // namespace fermat
