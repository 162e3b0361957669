#include "tomography/start/first_guess.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random_stream.hpp"
#include "model/analytic.hpp"
#include "tomography/start/far_events.hpp"

namespace fermat {
namespace {

/// Times of a line in level ground whose velocity grows by a gradient from v0 down to a depth, and
/// by another below it: diving rays of both (closed forms of each layer).
double time_in_two_gradients(double v0, double g0, double depth, double g1, double distance) {
    const double v1 = v0 + g0 * depth;
    const auto part = [](double p, double v, double g, double w) {
        const double a = std::sqrt(1 - p * p * v * v);
        const double b = p * w < 1 ? std::sqrt(1 - p * p * w * w) : 0;
        const double x = (a - b) / (p * g);
        const double t = std::log(w / v * (1 + a) / (1 + b)) / g;
        return std::pair(2 * x, 2 * t);
    };
    double low = 1e-9;
    double high = (1 - 1e-12) / v0;
    double time = 0;
    for (int n = 0; n < 200; ++n) {
        const double p = 0.5 * (low + high);
        const bool deep = p * v1 < 1;
        const auto above = part(p, v0, g0, deep ? v1 : 1 / p);
        const auto below = deep ? part(p, v1, g1, 1 / p) : std::pair(0.0, 0.0);
        (above.first + below.first > distance ? low : high) = p;
        time = above.second + below.second;
    }
    return time;
}

Survey line_over(double v0, double g0, double depth, double g1, double noise) {
    std::vector<PointSource> shots;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 8; ++n) shots.push_back({{25.0 * n, 0, 0}, 0});
    for (int n = 0; n <= 100; ++n) receivers.push_back({2.0 * n, 0, 0});
    Survey picks = survey_of(shots, receivers);
    picks.is_2d = true;
    RandomStream random(3, 0);
    const std::vector<double> normals = random.normals(picks.arrivals.size());
    for (std::size_t n = 0; n < normals.size(); ++n) {
        Arrival& pick = picks.arrivals[n];
        const double x = norm(picks.station_of(pick).position - picks.event_of(pick).position);
        pick.time = x > 0 ? time_in_two_gradients(v0, g0, depth, g1, x) + noise * normals[n] : 0;
        pick.error = noise;
    }
    picks.has_errors = true;
    return picks;
}

TEST(DepthProfile, IsThatOfTheTruthWhereVelocityGrowsWithDepth) {
    const Survey picks = line_over(4.2, 0.4, 3, 0.03, 0.005);
    const auto found = profile_of_times(picks, 20);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->velocity_at(0), 4.2, 0.25);
    EXPECT_NEAR(found->velocity_at(3), 5.4, 0.15);
    EXPECT_NEAR(found->velocity_at(10), 5.61, 0.15);
    EXPECT_NEAR(found->velocity_at(1e6), found->velocity.back(), 1e-12);
    for (std::size_t n = 1; n < found->depth.size(); ++n) {
        EXPECT_GT(found->depth[n], found->depth[n - 1]);
        EXPECT_GE(found->velocity[n], found->velocity[n - 1]);
    }
}

TEST(DepthProfile, NoVelocityIsBeyondTheFastest) {
    const Survey picks = line_over(4.2, 0.4, 3, 0.03, 0.005);
    const auto found = profile_of_times(picks, 5.5);
    ASSERT_TRUE(found);
    EXPECT_LE(found->velocity.back(), 5.5 * (1 + 1e-12));
}

TEST(DepthProfile, FewPicksTellNone) {
    const Survey picks = line_over(4.2, 0.4, 3, 0.03, 0.005);
    const std::vector<std::int32_t> few = {1, 5, 9, 30, 60, 80, 99};
    EXPECT_FALSE(profile_of_times(subset(picks, few), 20));
}

/// One gradient misses this ground by a tenth at 3 km, and the profile does not.
TEST(FirstGuess, OfALevelLineHasTheProfileOfItsTimes) {
    const Survey picks = line_over(4.2, 0.4, 3, 0.03, 0.005);
    const FirstGuess guess = first_guess(picks, {});
    ASSERT_TRUE(guess.profile);
    const Model& start = guess.start;
    const Grid& grid = start.grid();
    const auto k = static_cast<int>(std::lround((3 - grid.origin.z) / grid.spacing.z));
    const double z = grid.position({0, 0, k}).z;
    EXPECT_NEAR(start.velocity()(grid.shape.x / 2, 0, k), z < 3 ? 4.2 + 0.4 * z : 5.4, 0.2);
}

/// A network 40 wide, and events beyond.
Survey network(int beyond) {
    Survey picks;
    for (int n = 0; n < 16; ++n) {
        picks.stations.push_back({{10.0 * (n % 4), 10.0 * (n / 4), 0}});
    }
    for (int n = 0; n < 40; ++n) {
        picks.events.push_back({{3.0 + 0.6 * n, 30 - 0.7 * n, 5 + 0.1 * n}, 0});
    }
    for (int n = 0; n < beyond; ++n) picks.events.push_back({{900.0 + 50 * n, 10, 30}, 0});
    const LinearVelocity near{4.5, {0, 0, 0.12}};
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(picks.events.size()); ++e) {
        for (std::int32_t s = 0; s < 16; ++s) {
            const Vec3 from = picks.events[static_cast<std::size_t>(e)].position;
            const Vec3 to = picks.stations[static_cast<std::size_t>(s)].position;
            picks.arrivals.push_back(
                {e, s, e < 40 ? near.time(from, to) : norm(from - to) / 8, 0.05});
        }
    }
    picks.has_errors = true;
    return picks;
}

TEST(FarEvents, AreNamedAndDoNotMakeTheStartModel) {
    const Survey picks = network(3);
    const FarEvents far = far_events(picks);
    EXPECT_EQ(far.events, (std::vector<std::int32_t>{40, 41, 42}));
    EXPECT_NEAR(far.width, 30 * std::sqrt(2.0), 1e-9);
    const auto said = say_far_events(far, picks);
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("3 of 43 events lie 870 or more"), std::string::npos) << *said;
    const GradientFit alone = first_guess(network(0), {}, true).fit;
    const GradientFit with_far = first_guess(picks, {}, true).fit;
    EXPECT_NEAR(with_far.v0, alone.v0, 1e-9);
    EXPECT_NEAR(with_far.gradient, alone.gradient, 1e-9);
    EXPECT_NEAR(alone.v0 + 5 * alone.gradient, 5, 0.4);  // and not 8, as beyond
}

TEST(FarEvents, ManyAreTheSurveyAndNoneAreNotSaid) {
    EXPECT_TRUE(far_events(network(20)).events.empty());
    EXPECT_FALSE(say_far_events(far_events(network(0)), network(0)));
}

}  // namespace
}  // namespace fermat
