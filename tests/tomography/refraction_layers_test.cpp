#include "tomography/layers/refraction_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "tomography/layers/delay_times.hpp"
#include "tomography/layers/first_arrival_check.hpp"
#include "tomography/layers/flat_layers.hpp"

namespace fermat {
namespace {

using test::expect_error;

/// First arrivals of flat layers: 13 shots and 49 receivers, 2 apart, at depths of `ground`.
template <class GroundFn>
Survey line_over(const FlatLayers& layers, GroundFn ground) {
    Survey survey;
    survey.is_2d = true;
    survey.has_errors = true;
    for (int i = 0; i < 49; ++i) survey.stations.push_back({{2.0 * i, 0, ground(2.0 * i)}});
    for (int s = 0; s < 13; ++s) survey.events.push_back({{8.0 * s, 0, ground(8.0 * s)}});
    for (std::int32_t s = 0; s < 13; ++s) {
        for (std::int32_t r = 0; r < 49; ++r) {
            const double offset = std::fabs(8.0 * s - 2.0 * r);
            if (offset > 0) {
                survey.arrivals.push_back({s, r, first_time(layers, offset), 3e-4, Phase::P});
            }
        }
    }
    return survey;
}

const FlatLayers three{{0, 4, 12}, {400, 1100, 2800}, {0, 0, 0}};

TEST(DelayTimes, AreThoseOfADippingInterfaceInBothDirections) {
    // t = d(source) + d(receiver) + x / v with a delay that grows along the line.
    const auto delay = [](double x) { return 0.005 + 0.0001 * x; };
    std::vector<LinePick> picks;
    for (int s = 0; s < 13; ++s) {
        for (int r = 0; r < 49; ++r) {
            const double from = 8.0 * s;
            const double to = 2.0 * r;
            const double offset = std::fabs(from - to);
            const double along = delay(from) + delay(to) + offset / 2000;
            picks.push_back({from, to, std::min(offset / 400, along), 3e-4});
        }
    }
    const DelayTimes found = find_delay_times(picks, 2, 4);
    EXPECT_NEAR(found.velocity[0], 400, 4);
    EXPECT_NEAR(found.velocity[1], 2000, 10);
    for (const double x : {10.0, 50.0, 90.0}) EXPECT_NEAR(found.delay_at(1, x), delay(x), 2e-4);
    const double cosine = std::sqrt(1 - 0.2 * 0.2);
    EXPECT_NEAR(thicknesses_of(found)[0][12], delay(48) * 400 / cosine, 0.05);
}

TEST(RefractionLayers, AreThoseOfFlatLayers) {
    const auto found = refraction_layers(line_over(three, [](double) { return 0.0; }), 3, {});
    ASSERT_EQ(found.medium.layer_count(), 3);
    for (const double x : {20.0, 48.0, 80.0}) {
        EXPECT_NEAR(found.medium.top_of(1).depth_at(x, 0), 4, 0.2);
        EXPECT_NEAR(found.medium.top_of(2).depth_at(x, 0), 12, 0.6);
    }
    ASSERT_EQ(found.blocks.size(), 2U);
    EXPECT_EQ(found.blocks[1].of, "2");
    EXPECT_NEAR(found.blocks[1].deviation, 0.3 * 12, 0.3);
}

/// Points on a hill lie on the surface of the medium or below it, and layers follow the ground.
TEST(RefractionLayers, FollowTheGround) {
    const auto hill = [](double x) { return -6 * std::exp(-std::pow((x - 48) / 20, 2)); };
    const Survey survey = line_over(three, hill);
    const auto found = refraction_layers(survey, 3, {});
    for (const Station& station : survey.stations) {
        EXPECT_EQ(found.medium.layer_of(station.position, "a station"), 0);
    }
    for (const double x : {20.0, 48.0, 80.0}) {
        EXPECT_NEAR(found.medium.top_of(1).depth_at(x, 0), hill(x) + 4, 0.2);
    }
}

TEST(RefractionLayers, SayWhatTheyCannot) {
    const Survey survey = line_over(three, [](double) { return 0.0; });
    expect_error<InputError>([&] { refraction_layers(survey, 6, {}); },
                             "`layers` is 6 (must be 2 to 5)");
    const FlatLayers one{{0}, {400}, {0}};
    expect_error<InputError>(
        [&] { refraction_layers(line_over(one, [](double) { return 0.0; }), 2, {}); },
        "`layers` is 2 and times over distance do not bend as those of 2 layers do, each "
        "faster than that above it (ask for fewer, or for none)");
}

/// The earliest ray of each pair.
TEST(CheckedRays, AreFirstArrivals) {
    const Survey survey = line_over(three, [](double) { return 0.0; });
    const auto found = refraction_layers(survey, 3, {});
    std::vector<Vec3> sources;
    std::vector<Vec3> receivers;
    for (const Event& event : survey.events) sources.push_back(event.position);
    for (const Station& station : survey.stations) receivers.push_back(station.position);
    std::vector<RayPair> pairs;
    for (const Arrival& pick : survey.arrivals) pairs.push_back({pick.event, pick.station});
    const auto rays = trace_checked(found.medium, branch_of(found.medium, "P"), sources, receivers,
                                    pairs, {}, {});
    for (std::size_t n = 0; n < pairs.size(); ++n) {
        ASSERT_TRUE(has_arrived(rays[n].status));
        EXPECT_NEAR(rays[n].time, survey.arrivals[n].time, 0.03 * survey.arrivals[n].time + 3e-4);
    }
}

}  // namespace
}  // namespace fermat
