#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "eikonal/metric/line_slopes.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

/// The phase velocity of qP at an angle to the axis: the larger root of Christoffel's matrix, with
/// velocity 1 along the axis.
double phase_velocity(const Thomsen& medium, double angle) {
    const double k = medium.shear;
    const double coupling = std::sqrt((1 - k) * (1 - k + 2 * medium.delta));
    const double s = std::sin(angle);
    const double c = std::cos(angle);
    const double xx = (1 + 2 * medium.epsilon) * s * s + k * c * c;
    const double zz = k * s * s + c * c;
    return std::sqrt((xx + zz) / 2 + std::hypot((xx - zz) / 2, coupling * s * c));
}

/// The time along d: the largest p . d over the slowness surface.
double elastic_time(const Thomsen& medium, Vec3 d) {
    const double along = dot(d, medium.axis);
    const double across = norm(d - along * medium.axis);
    double time = 0;
    constexpr int steps = 200000;
    for (int n = 0; n <= steps; ++n) {
        const double angle = std::numbers::pi * n / steps;
        time = std::max(time, (along * std::cos(angle) + across * std::sin(angle)) /
                                  phase_velocity(medium, angle));
    }
    return time;
}

const Thomsen media[] = {{0.3, -0.1, tilted_axis(35, 20), 0.25},
                         {0.2, 0.1, tilted_axis(0, 0), 0.36},
                         {-0.1, 0.1, tilted_axis(70, 120), 0.2}};

TEST(ElasticQp, TimesAreThoseOfChristoffelsEquation) {
    const Grid grid{{21, 21, 21}, {}, {0.1, 0.1, 0.1}};
    const Vec3 source{1.03, 0.96, 1.01};
    constexpr double vp = 3;
    for (const Thomsen& medium : media) {
        const Model model = thomsen_model(Model(grid, Field<float>(grid.shape, float{vp})), medium,
                                          vp * std::sqrt(medium.shear));
        const Execution execution{1, Device::cpu};
        const MetricField field = MetricSolver(model, {}, execution).solve({source}, execution);
        EXPECT_FALSE(field.first_order);
        std::mt19937 random(1);
        std::uniform_real_distribution<> place(0, 2);
        for (int n = 0; n < 20; ++n) {
            const Vec3 point{place(random), place(random), place(random)};
            const Vec3 d = point - source;
            if (norm(d) < 0.3) continue;
            const double truth = elastic_time(medium, d) / vp;
            EXPECT_NEAR(group_time(medium, d).time / vp, truth, 1e-9 * truth);
            EXPECT_NEAR(time_at(field, point), truth, 2e-5 * truth);
        }
    }
}

TEST(ElasticQp, SlopesAreDerivativesOfTimes) {
    const Vec3 d{0.7, -0.4, 1.1};
    constexpr double step = 1e-5;
    for (const Thomsen& medium : media) {
        const ThomsenSlopes slopes = thomsen_line_slopes(medium, d);
        const auto difference = [&](auto change) {
            Thomsen low = medium;
            Thomsen high = medium;
            change(low, -step);
            change(high, step);
            return (group_time(high, d).time - group_time(low, d).time) / (2 * step);
        };
        EXPECT_NEAR(slopes.epsilon, difference([](Thomsen& m, double by) { m.epsilon += by; }),
                    1e-6);
        EXPECT_NEAR(slopes.delta, difference([](Thomsen& m, double by) { m.delta += by; }), 1e-6);
        // The axis turns towards a direction across it.
        const Vec3 any{0.3, 0.5, -0.2};
        const Vec3 aside = any - dot(any, medium.axis) * medium.axis;
        const double by_turn = difference([&](Thomsen& m, double by) {
            const Vec3 turned = m.axis + by * aside;
            m.axis = turned / norm(turned);
        });
        EXPECT_NEAR(dot(slopes.axis, aside), by_turn, 1e-6);
    }
}

}  // namespace
}  // namespace fermat
