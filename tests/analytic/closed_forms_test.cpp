#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"

// Every closed form is held against a calculation that shares no formula with it: quadrature of the
// slowness along the ray, a search for Snell's ray parameter, a search for the fastest path through
// layers, or finite differences in the eikonal equation.

namespace fermat {
namespace {

using test::expect_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// Time along a polyline by the midpoint rule.
double time_along(const std::vector<Vec3>& ray, const std::function<double(Vec3)>& velocity) {
    double sum = 0;
    for (std::size_t n = 1; n < ray.size(); ++n) {
        sum += distance(ray[n - 1], ray[n]) / velocity(0.5 * (ray[n - 1] + ray[n]));
    }
    return sum;
}

double length_of(const std::vector<Vec3>& ray) {
    return time_along(ray, [](Vec3) { return 1.0; });
}

double simpson(const std::function<double(double)>& f, double a, double b) {
    constexpr int steps = 2000;
    double sum = f(a) + f(b);
    for (int n = 1; n < steps; ++n) sum += (n % 2 ? 4 : 2) * f(a + (b - a) * n / steps);
    return sum * (b - a) / (3 * steps);
}

/// Time of the ray that goes down from za to zb without turning and lands at `offset`, in v(z):
/// bisection for the ray parameter p = sin(i) / v, which Snell's law keeps constant.
double snell_time(const std::function<double(double)>& v, double za, double zb, double offset) {
    const auto tangent = [&](double p, double z) {
        return p * v(z) / std::sqrt(1 - p * v(z) * p * v(z));
    };
    double low = 0;
    double high = 1 / std::max(v(za), v(zb));
    for (int n = 0; n < 100; ++n) {
        const double p = 0.5 * (low + high);
        const double x = simpson([&](double z) { return tangent(p, z); }, za, zb);
        (x < offset ? low : high) = p;
    }
    const double p = 0.5 * (low + high);
    return simpson([&](double z) { return 1 / (v(z) * std::sqrt(1 - p * v(z) * p * v(z))); }, za,
                   zb);
}

/// Gradient of f by central differences of fourth order.
Vec3 numerical_gradient(const std::function<double(Vec3)>& f, Vec3 p) {
    const double h = 1e-3;
    Vec3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
        const auto at = [&](double step) {
            Vec3 q = p;
            q[axis] += step;
            return f(q);
        };
        gradient[axis] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    }
    return gradient;
}

const std::vector<std::pair<Vec3, Vec3>> pairs{
    {{5, 5, 0.5}, {0, 0, 10}},   {{5, 5, 0.5}, {9, 1, 0.5}},  {{0, 0, 0}, {30, 0, 0}},
    {{1, 2, 3}, {1, 2, 9}},      {{1, 2, 9}, {1, 2, 3}},      {{2, 0, 7}, {-4, 3, 0.2}},
    {{0, 0, 1}, {1e-3, 0, 1.5}}, {{0, 0, 1}, {0, 200, 1.01}},
};
const std::vector<LinearVelocity> linear_media{{2, {0, 0, 0.5}},
                                               {9, {0, 0, -0.5}},
                                               {3, {0, 0, 0}},
                                               {20, {0.05, 0.02, 0.3}},
                                               {3, {0, 0, 1e-9}}};

TEST(Homogeneous, TimeIsDistanceOverVelocity) {
    EXPECT_DOUBLE_EQ(homogeneous_time(2, {0, 0, 0}, {3, 0, 4}), 2.5);
    EXPECT_EQ(homogeneous_time(2, {1, 2, 3}, {1, 2, 3}), 0);
    expect_error<InputError>([] { homogeneous_time(0, {}, {}); }, "velocity is 0");
    expect_error<InputError>([] { homogeneous_time(nan, {}, {}); }, "nan");
}

TEST(LinearVelocityMedium, TimeIsTheSlownessIntegratedAlongTheArc) {
    for (const LinearVelocity& medium : linear_media) {
        for (const auto& [a, b] : pairs) {
            const auto ray = medium.ray(a, b, 20001);
            const double time = time_along(ray, [&](Vec3 p) { return medium.velocity(p); });
            EXPECT_NEAR(medium.time(a, b) / time, 1, 2e-7);
            EXPECT_NEAR(medium.ray_length(a, b) / length_of(ray), 1, 1e-7);
        }
    }
}

TEST(LinearVelocityMedium, TimeAgreesWithASearchForSnellsRay) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    for (const double x : {0.0, 0.5, 2.0, 5.0}) {
        const double time = snell_time([](double z) { return 2 + 0.5 * z; }, 0.5, 8, x);
        EXPECT_NEAR(medium.time({1, 1, 0.5}, {1 + 0.6 * x, 1 + 0.8 * x, 8}), time, 1e-9);
    }
}

TEST(LinearVelocityMedium, TimeIsTheTextbookFormulaAndReciprocal) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    const Vec3 a{5, 5, 0.5};
    const Vec3 b{1, 9, 7};
    const double r = distance(a, b);
    const double x = 0.25 * r * r / (2 * medium.velocity(a) * medium.velocity(b));
    EXPECT_NEAR(medium.time(a, b), std::acosh(1 + x) / 0.5, 1e-14);
    EXPECT_DOUBLE_EQ(medium.time(a, b), medium.time(b, a));
    EXPECT_EQ(medium.time(a, a), 0);
}

TEST(LinearVelocityMedium, KeepsItsDigitsForShortPathsAndWeakGradients) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    EXPECT_NEAR(medium.time({0, 0, 2}, {1e-9, 0, 2}) / (1e-9 / 3), 1, 1e-12);
    const LinearVelocity weak{2, {0, 0, 1e-13}};
    EXPECT_NEAR(weak.time({0, 0, 0}, {3, 0, 4}), 2.5, 1e-12);
    EXPECT_NEAR(weak.ray_length({0, 0, 0}, {3, 0, 4}), 5, 1e-12);
}

TEST(LinearVelocityMedium, GradientOfTheTimeSolvesTheEikonalEquation) {
    for (const LinearVelocity& medium : linear_media) {
        for (const auto& [a, b] : pairs) {
            if (distance(a, b) < 1) continue;
            const Vec3 exact = medium.time_gradient(a, b);
            const Vec3 numeric =
                numerical_gradient([&, s = a](Vec3 p) { return medium.time(s, p); }, b);
            EXPECT_NEAR(distance(exact, numeric), 0, 1e-9);
            EXPECT_NEAR(norm(exact) * medium.velocity(b), 1, 1e-12);
        }
    }
    EXPECT_EQ(linear_media[0].time_gradient({1, 1, 1}, {1, 1, 1}), (Vec3{0, 0, 0}));
}

TEST(LinearVelocityMedium, RayRunsFromReceiverToSourceAgainstTheGradient) {
    for (const LinearVelocity& medium : linear_media) {
        for (const auto& [source, receiver] : pairs) {
            const auto ray = medium.ray(source, receiver, 2001);
            EXPECT_EQ(ray.front(), receiver);
            EXPECT_EQ(ray.back(), source);
            const double step = distance(ray[0], ray[1]);
            const Vec3 start = (ray[1] - ray[0]) / step;
            const Vec3 slope = medium.velocity(receiver) * medium.time_gradient(source, receiver);
            EXPECT_NEAR(distance(start, -1 * slope), 0, 2e-3);
            for (std::size_t n = 1; n < ray.size(); ++n) {
                EXPECT_NEAR(distance(ray[n - 1], ray[n]) / step, 1, 1e-6);
            }
        }
    }
}

TEST(LinearVelocityMedium, NoNeighbouringPathIsFaster) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    const auto velocity = [&](Vec3 p) { return medium.velocity(p); };
    const auto ray = medium.ray({0, 0, 0}, {20, 0, 1}, 4001);
    const double fastest = time_along(ray, velocity);
    for (const Vec3 push : {Vec3{0, 0, 0.1}, Vec3{0, 0, -0.1}, Vec3{0, 0.1, 0}, Vec3{0.1, 0, 0}}) {
        auto bent = ray;
        for (std::size_t n = 0; n < bent.size(); ++n) {
            const double u = static_cast<double>(n) / static_cast<double>(bent.size() - 1);
            bent[n] = bent[n] + std::sin(std::numbers::pi * u) * push;
        }
        EXPECT_GT(time_along(bent, velocity), fastest - 1e-9);
    }
}

TEST(LinearVelocityMedium, RefusesPointsWithoutVelocity) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    expect_error<InputError>([&] { medium.time({0, 0, 0}, {0, 0, -4}); }, "velocity is 0");
    expect_error<InputError>([&] { medium.time({0, 0, nan}, {0, 0, 1}); }, "nan");
    expect_error<InputError>([&] { medium.ray({}, {1, 1, 1}, 1); }, "at least 2");
}

const std::vector<LinearSquaredSlowness> squared_media{
    {0.25, {0, 0, -0.008}}, {0.1, {0, 0, 0.02}}, {0.2, {0, 0, 0}}, {0.3, {0.004, -0.003, -0.01}}};
const std::vector<std::pair<Vec3, Vec3>> near_pairs{
    {{5, 5, 0.5}, {0, 0, 10}}, {{5, 5, 0.5}, {9, 1, 0.5}}, {{0, 0, 0}, {8, 0, 0}},
    {{1, 2, 3}, {1, 2, 9}},    {{1, 2, 9}, {1, 2, 3}},     {{2, 0, 7}, {-4, 3, 0.2}}};

TEST(LinearSquaredSlownessMedium, TimeIsTheSlownessIntegratedAlongTheParabola) {
    for (const LinearSquaredSlowness& medium : squared_media) {
        for (const auto& [a, b] : near_pairs) {
            const auto ray = medium.ray(a, b, 20001);
            const double time = time_along(ray, [&](Vec3 p) { return medium.velocity(p); });
            EXPECT_NEAR(medium.time(a, b) / time, 1, 1e-8);
            EXPECT_EQ(ray.front(), b);
            EXPECT_EQ(ray.back(), a);
        }
    }
}

TEST(LinearSquaredSlownessMedium, TimeAgreesWithASearchForSnellsRay) {
    const LinearSquaredSlowness medium{0.25, {0, 0, -0.008}};
    for (const double x : {0.0, 0.5, 2.0, 5.0}) {
        const double time =
            snell_time([](double z) { return 1 / std::sqrt(0.25 - 0.008 * z); }, 0.5, 8, x);
        EXPECT_NEAR(medium.time({1, 1, 0.5}, {1 + 0.6 * x, 1 + 0.8 * x, 8}), time, 1e-9);
    }
}

TEST(LinearSquaredSlownessMedium, GradientOfTheTimeSolvesTheEikonalEquation) {
    for (const LinearSquaredSlowness& medium : squared_media) {
        for (const auto& [a, b] : near_pairs) {
            const Vec3 exact = medium.time_gradient(a, b);
            const Vec3 numeric =
                numerical_gradient([&, s = a](Vec3 p) { return medium.time(s, p); }, b);
            EXPECT_NEAR(distance(exact, numeric), 0, 1e-9);
            EXPECT_NEAR(dot(exact, exact), medium.squared_slowness(b), 1e-12);
        }
    }
    EXPECT_EQ(squared_media[0].time_gradient({1, 1, 1}, {1, 1, 1}), (Vec3{0, 0, 0}));
    EXPECT_EQ(squared_media[0].time({1, 1, 1}, {1, 1, 1}), 0);
}

TEST(LinearSquaredSlownessMedium, NothingArrivesInTheShadow) {
    // A ray that starts at 45 degrees goes farthest: 2 s^2 / |G| at its own level.
    const LinearSquaredSlowness medium{0.25, {0, 0, -0.01}};
    EXPECT_TRUE(std::isfinite(medium.time({0, 0, 0}, {49.9, 0, 0})));
    EXPECT_EQ(medium.time({0, 0, 0}, {50.1, 0, 0}), inf);
    expect_error<InputError>([&] { medium.ray({0, 0, 0}, {50.1, 0, 0}, 5); }, "shadow", "50.1");
    expect_error<InputError>([&] { medium.time({0, 0, 0}, {0, 0, 30}); }, "squared slowness");
}

/// Least of a function with one minimum, by golden sections.
double least(const std::function<double(double)>& f, double low, double high) {
    const double share = (std::sqrt(5.0) - 1) / 2;
    for (int n = 0; n < 200; ++n) {
        const double a = high - share * (high - low);
        const double b = low + share * (high - low);
        (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    return 0.5 * (low + high);
}

/// The fastest path down to the top of a layer, along it and up again, by a search for the
/// horizontal way in each layer above; infinite where the ways down and up are too long to fit.
double searched_head_time(const std::vector<DepthVelocity>& layers, std::size_t layer, double x) {
    const double v = layers[layer].velocity;
    double time = x / v;
    double way = 0;
    for (std::size_t i = 0; i < layer; ++i) {
        const double h = layers[i + 1].depth - layers[i].depth;
        const auto delay = [&](double w) { return std::hypot(h, w) / layers[i].velocity - w / v; };
        const double best = least(delay, 0, 1e4);
        time += 2 * delay(best);
        way += 2 * best;
    }
    return way <= x ? time : inf;
}

TEST(TwoLayerRefraction, HeadWaveIsTheFastestPathAlongTheInterface) {
    const TwoLayers layers{2, 5, 50};
    const std::vector<DepthVelocity> list{{0, 2}, {50, 5}};
    for (const double x : {0.0, 20.0, 60.0, 100.0, 153.0, 300.0, 500.0}) {
        const double searched = searched_head_time(list, 1, x);
        if (std::isinf(searched)) {
            EXPECT_EQ(layers.head_time(x), inf);
        } else {
            EXPECT_NEAR(layers.head_time(x), searched, 1e-9);
        }
        EXPECT_DOUBLE_EQ(layers.first_arrival(x), layered_first_arrival(list, x).time);
    }
    EXPECT_NEAR(layers.critical_angle(), std::asin(0.4), 1e-15);
    EXPECT_NEAR(layers.crossover_distance(), 152.75, 0.01);
}

TEST(TwoLayerRefraction, TheHeadWaveOvertakesAtTheCrossoverForEverySourceDepth) {
    const TwoLayers layers{2, 5, 50};
    for (const double depth : {0.0, 10.0, 35.0, 50.0}) {
        const double x = layers.crossover_distance(depth);
        EXPECT_GE(x, layers.critical_distance(depth));
        EXPECT_NEAR(layers.direct_time(x, depth), layers.head_time(x, depth), 1e-12);
        EXPECT_EQ(layers.first_arrival(0.99 * x, depth), layers.direct_time(0.99 * x, depth));
        EXPECT_EQ(layers.first_arrival(1.01 * x, depth), layers.head_time(1.01 * x, depth));
        // The head wave starts as the critical reflection, mirrored at the interface.
        const double critical = layers.critical_distance(depth);
        EXPECT_NEAR(layers.head_time(critical, depth), std::hypot(critical, 100 - depth) / 2,
                    1e-12);
        EXPECT_EQ(layers.head_time(0.999 * critical, depth), inf);
    }
}

TEST(TwoLayerRefraction, ASlowHalfSpaceHasNoHeadWave) {
    for (const double v2 : {1.0, 2.0}) {
        const TwoLayers layers{2, v2, 50};
        EXPECT_TRUE(std::isnan(layers.critical_angle()));
        EXPECT_EQ(layers.crossover_distance(), inf);
        EXPECT_EQ(layers.head_time(1e9), inf);
        EXPECT_EQ(layers.first_arrival(100), 50);
    }
}

TEST(TwoLayerRefraction, RefusesWhatIsNoSuchMedium) {
    const TwoLayers layers{2, 5, 50};
    expect_error<InputError>([&] { layers.first_arrival(10, 51); }, "source depth is 51", "50");
    expect_error<InputError>([&] { layers.first_arrival(-1); }, "offset is -1");
    expect_error<InputError>([] { TwoLayers{0, 5, 50}.first_arrival(1); }, "velocities");
    expect_error<InputError>([] { TwoLayers{2, 5, -50}.first_arrival(1); }, "thickness is -50");
}

TEST(LayeredRefraction, FirstArrivalIsTheFastestOfAllSearchedPaths) {
    const std::vector<std::vector<DepthVelocity>> media{
        {{0, 1.5}, {10, 2}, {40, 4}, {100, 8}},
        {{0, 2}, {5, 1}, {30, 3}, {31, 2.5}, {80, 6}},  // low-velocity layers
        {{-3, 4}, {20, 2}, {50, 1}},                    // slower with depth: direct wave only
        {{7, 3}},
    };
    for (const auto& layers : media) {
        for (double x = 0; x < 1000; x += 37) {
            double first = x / layers[0].velocity;
            double fastest_above = layers[0].velocity;
            for (std::size_t n = 1; n < layers.size(); ++n) {
                if (layers[n].velocity > fastest_above) {
                    first = std::min(first, searched_head_time(layers, n, x));
                }
                fastest_above = std::max(fastest_above, layers[n].velocity);
            }
            EXPECT_NEAR(layered_first_arrival(layers, x).time, first, 1e-9);
        }
    }
}

TEST(LayeredRefraction, SaysWhichWaveIsFirstAndSkipsLowVelocityLayers) {
    const std::vector<DepthVelocity> layers{{0, 2}, {5, 1}, {30, 3}, {300, 6}};
    EXPECT_EQ(layered_first_arrival(layers, 1).layer, 0);
    EXPECT_EQ(layered_first_arrival(layers, 600).layer, 2);
    EXPECT_EQ(layered_first_arrival(layers, 5000).layer, 3);
    EXPECT_EQ(layered_head_time(layers, 1, 5000), inf);
    expect_error<InputError>([&] { layered_head_time(layers, 0, 1); }, "layer is 0", "1 to 3");
    expect_error<InputError>([&] { layered_head_time(layers, 4, 1); }, "layer is 4");
    expect_error<InputError>([] { layered_first_arrival({}, 1); }, "no layer");
    expect_error<InputError>([&] { layered_first_arrival(layers, nan); }, "offset is nan");
}

}  // namespace
}  // namespace fermat
