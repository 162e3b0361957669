#include "tomography/layers/refraction_layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "tomography/layers/delay_times.hpp"
#include "tomography/layers/first_arrival_check.hpp"
#include "tomography/layers/flat_layers.hpp"
#include "tomography/start/layered_start.hpp"
#include "tomography/start/set_up.hpp"
#include "tomography/synthetic.hpp"

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

/// First arrivals of a line: over ground v + g z down to `depth` at x, with `rock` below it.
template <class DepthFn>
std::vector<LinePick> line_over_rock(double v, double g, double rock, DepthFn depth) {
    // The delay time is the integral of sqrt(1 / v^2 - 1 / rock^2) over the layer.
    const auto delay = [&](double x) {
        constexpr int steps = 4000;
        double sum = 0;
        for (int n = 0; n < steps; ++n) {
            const double here = v + g * depth(x) * (n + 0.5) / steps;
            sum += std::sqrt(1 / (here * here) - 1 / (rock * rock)) * depth(x) / steps;
        }
        return sum;
    };
    std::vector<LinePick> picks;
    for (int s = 0; s < 13; ++s) {
        for (int r = 0; r < 49; ++r) {
            const double from = 8.0 * s;
            const double to = 2.0 * r;
            const double offset = std::fabs(from - to);
            if (offset == 0) continue;
            const double dives =
                g > 0 ? std::acosh(1 + g * g * offset * offset / (2 * v * v)) / g : offset / v;
            picks.push_back(
                {from, to, std::min(dives, delay(from) + delay(to) + offset / rock), 3e-4});
        }
    }
    return picks;
}

TEST(DelayTimes, KnowALayerThatGetsFasterWithDepth) {
    const auto depth = [](double x) { return 5 + 0.02 * x; };
    const auto found =
        try_delay_times(line_over_rock(400, 80, 2600, depth), 2, 4, TopLayer::gradient);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->velocity[0], 400, 8);
    EXPECT_NEAR(found->gradient, 80, 8);
    EXPECT_NEAR(found->velocity[1], 2600, 30);
    const auto thickness = thicknesses_of(*found).front();
    for (const std::size_t n : {4U, 12U, 20U}) {
        const double x = found->first + found->step * static_cast<double>(n);
        EXPECT_NEAR(thickness[n], depth(x), 0.03 * depth(x));
    }
}

Survey survey_with(const std::vector<LinePick>& picks) {
    Survey survey = line_over(three, [](double) { return 0.0; });
    EXPECT_EQ(survey.arrivals.size(), picks.size());
    for (std::size_t n = 0; n < picks.size(); ++n) {
        survey.arrivals[n].time = picks[n].time + (n % 2 == 0 ? 3e-4 : -3e-4);
    }
    return survey;
}

TEST(LayeredStart, IsTheLayerOverRock) {
    const auto depth = [](double x) { return 5 + 0.02 * x; };
    const Survey growing = survey_with(line_over_rock(400, 80, 2600, depth));
    const auto found = layered_start(growing, survey_shape(growing));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->velocity_at(48, 3), 640, 32);
    EXPECT_NEAR(found->velocity_at(48, 8), 2600, 60);
    const Survey constant = survey_with(line_over_rock(500, 0, 2000, depth));
    const auto simple = layered_start(constant, survey_shape(constant));
    ASSERT_TRUE(simple);
    EXPECT_EQ(simple->delays.gradient, 0);
    EXPECT_NEAR(simple->velocity_at(20, 4.5), 500, 10);
    EXPECT_NEAR(simple->velocity_at(20, 6.5), 2000, 40);
}

/// Ten times as many picks as are looked at tell the same layer.
TEST(LayeredStart, OfManyPicksIsThatOfSome) {
    const auto depth = [](double x) { return 5 + 0.02 * x; };
    Survey survey = survey_with(line_over_rock(400, 80, 2600, depth));
    const auto once = survey.arrivals;
    while (survey.arrivals.size() < 50000) {
        survey.arrivals.insert(survey.arrivals.end(), once.begin(), once.end());
    }
    const auto found = layered_start(survey, survey_shape(survey));
    ASSERT_TRUE(found);
    EXPECT_LT(found->delays.layer_of.size(), 5001U);
    EXPECT_NEAR(found->velocity_at(48, 3), 640, 32);
    EXPECT_NEAR(found->velocity_at(48, 8), 2600, 60);
}

bool says(const InversionSetup& setup, const std::string& words) {
    return std::any_of(setup.choices.begin(), setup.choices.end(), [&](const std::string& one) {
        return one.find(words) != std::string::npos;
    });
}

TEST(LayeredStart, IsNoneOfGradualGround) {
    const auto deep = [](double) { return 50.0; };
    const Survey gradual = survey_with(line_over_rock(400, 50, 2900, deep));
    const auto found = layered_start(gradual, survey_shape(gradual));
    EXPECT_FALSE(found && meets(*found, 3e-4));
    const auto depth = [](double) { return 5.0; };
    const Survey sharp = survey_with(line_over_rock(400, 0, 2600, depth));
    const auto layer = layered_start(sharp, survey_shape(sharp));
    ASSERT_TRUE(layer);
    EXPECT_TRUE(meets(*layer, 3e-4));
    EXPECT_FALSE(meets(*layer, 1e-4));
}

/// Picks without errors start from the gradient; that they tell a layer is said.
TEST(LayeredStart, OfPicksWithoutErrorsIsSaid) {
    const auto deep = [](double) { return 50.0; };
    const auto depth = [](double x) { return 5 + 0.02 * x; };
    Survey gradual = survey_with(line_over_rock(400, 50, 2900, deep));
    Survey sharp = survey_with(line_over_rock(400, 80, 2600, depth));
    for (const bool errors : {true, false}) {
        gradual.has_errors = errors;
        sharp.has_errors = errors;
        EXPECT_FALSE(says(set_up_inversion(std::nullopt, gradual, {}), "by delay times"));
        const InversionSetup setup = set_up_inversion(std::nullopt, sharp, {});
        EXPECT_EQ(says(setup, "by delay times, which miss the picks by"), errors);
        EXPECT_EQ(says(setup, "by delay times, would miss the picks by"), !errors);
        EXPECT_EQ(says(setup, "a run starts from there"), !errors);
        EXPECT_EQ(says(setup, "`target_rms="), !errors);
        EXPECT_EQ(setup.options.gauss_newton.roughness.kind == Regularisation::second, errors);
    }
}

/// Rock 0.9 below the ground beside rock 3 below it, as a run from the layer cannot have it.
TEST(LayeredStart, IsLeftWhereARunFromItStalls) {
    const Grid grid{{405, 1, 121}, {-3, 0, 0}, {0.25, 1, 0.25}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Vec3 p = grid.position({i, 0, k});
            velocity(i, 0, k) = p.z > (p.x > 48 ? 0.9 : 3) ? 2000 : 400;
        }
    }
    EikonalOptions marching;
    marching.solver = Solver::fmm;
    const Survey line = line_over(three, [](double) { return 0.0; });
    Survey picks = synthetic_picks(Model(grid, std::move(velocity)), line, {}, marching).picks;
    picks.has_errors = true;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        picks.arrivals[n].error = 3e-4;
        picks.arrivals[n].time += n % 2 == 0 ? 3e-4 : -3e-4;
    }
    const auto found = layered_start(picks, survey_shape(picks));
    ASSERT_TRUE(found);
    EXPECT_TRUE(meets(*found, 3e-4));
    const InversionSetup setup = set_up_inversion(std::nullopt, picks, {});
    EXPECT_TRUE(says(setup, "a run from there stalls at chi2"));
    EXPECT_EQ(setup.options.gauss_newton.roughness.kind, Regularisation::mixed);
    EXPECT_LT(invert(setup.start, setup.picks, setup.options).history.back().misfit.chi2, 1.05);
}

TEST(LayeredStart, IsTakenUnlessAKindIsAskedFor) {
    const auto depth = [](double) { return 5.0; };
    const Survey picks = survey_with(line_over_rock(400, 80, 2600, depth));
    const auto fastest = [](const Model& start) {
        double most = 0;
        for (const float v : start.given()) most = std::max(most, static_cast<double>(v));
        return most;
    };
    const InversionSetup chosen = set_up_inversion(std::nullopt, picks, {});
    EXPECT_EQ(chosen.options.gauss_newton.roughness.kind, Regularisation::second);
    EXPECT_NEAR(fastest(chosen.start.first()), 2600, 60);
    EXPECT_TRUE(says(chosen, "by delay times"));
    EXPECT_TRUE(says(chosen, "`regularisation=mixed` starts from a gradient"));
    InversionOptions asked;
    asked.gauss_newton.roughness.kind = Regularisation::mixed;
    const InversionSetup gradient = set_up_inversion(std::nullopt, picks, asked);
    EXPECT_EQ(gradient.options.gauss_newton.roughness.kind, Regularisation::mixed);
    // A gradient has many velocities, and a layer over rock one below it.
    const auto of_rock = [](const Model& start) {
        std::size_t count = 0;
        for (const float v : start.given()) count += v > 2500 && v < 2700 ? 1 : 0;
        return static_cast<double>(count) / static_cast<double>(start.given().size());
    };
    EXPECT_GT(of_rock(chosen.start.first()), 0.5);
    EXPECT_LT(of_rock(gradient.start.first()), 0.5);
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
