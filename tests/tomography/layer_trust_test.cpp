// What an inversion of layers tells of itself: resolution, the trade-off between depth and
// velocity, and the prior that couples layers.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random_stream.hpp"
#include "expect_error.hpp"
#include "phases/layers.hpp"
#include "phases/phases.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/layer_unknowns.hpp"

namespace fermat {
namespace {

const Grid line{{76, 1, 26}, {0, 0, 0}, {2, 1, 2}};

LayeredMedium flat_crust() {
    return LayeredMedium({Interface::flat("surface", 0), Interface::flat("moho", 30)},
                         {Layer{test::uniform(line, 6)}, Layer{test::uniform(line, 8)}});
}

/// Picks of each phase at offsets between two bounds, along the whole line.
struct Picked {
    std::string phase;
    double least = 0;
    double most = 0;
};
PhasePicks picks_of(const LayeredMedium& medium, const std::vector<Picked>& wanted, double error) {
    PhasePicks picks;
    std::vector<Vec3> places;
    for (double x = 3; x < 148; x += 4) places.push_back({x, 0, 0});
    for (const Vec3& p : places) {
        picks.survey.events.push_back({p});
        picks.survey.stations.push_back({p});
    }
    for (const Picked& one : wanted) {
        std::vector<RayPair> pairs;
        for (const RayPair& pair : all_pairs(places.size(), places.size())) {
            const double offset = places[static_cast<std::size_t>(pair.receiver)].x -
                                  places[static_cast<std::size_t>(pair.source)].x;
            if (offset >= one.least && offset <= one.most) pairs.push_back(pair);
        }
        const auto rays =
            trace_branch(medium, branch_of(medium, one.phase), places, places, pairs, {}, {});
        const auto number = static_cast<std::int32_t>(picks.phases.size());
        picks.phases.push_back(one.phase);
        for (std::size_t n = 0; n < pairs.size(); ++n) {
            if (!has_arrived(rays[n].front().status)) continue;
            picks.survey.arrivals.push_back(
                {pairs[n].source, pairs[n].receiver, rays[n].front().time, error});
            picks.phase_of.push_back(number);
        }
    }
    picks.survey.has_errors = true;
    return picks;
}

LayerInversionOptions with_long_lengths() {
    LayerInversionOptions options;
    options.prior.velocity_length = {60, 1, 40};
    options.prior.interface_length = 60;
    options.prior.depth = 2;
    options.loop.gauss_newton.iterations = 1;
    return options;
}

const LayerDeviation& named(const LayerInversion& found, const std::string& of) {
    for (const LayerDeviation& one : found.deviations) {
        if (one.of == of) return one;
    }
    throw InputError("no deviation of " + of);
}

/// The value at the point of an interface nearest to the middle of the line.
double in_the_middle(const LayerDeviation& of, const std::vector<double>& values) {
    std::size_t best = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
        if (std::fabs(of.points[n].x - 75) < std::fabs(of.points[best].x - 75)) best = n;
    }
    return values[best];
}

/// Straight down and up again, time is 2 h / v: depth and velocity cannot be told apart, and their
/// errors are h dv/v. Far reflections and direct waves tell them apart.
TEST(LayerTrust, DepthTradesOffAgainstVelocityWhereOnlySteepReflectionsAre) {
    const LayeredMedium medium = flat_crust();
    const LayerInversionOptions options = with_long_lengths();
    const auto steep = invert_layers(medium, picks_of(medium, {{"PmP", 0, 6}}, 0.02), options);
    const LayerDeviation& moho = named(steep, "moho");
    EXPECT_GT(in_the_middle(moho, moho.trade_off), 0.97);
    const auto wide =
        invert_layers(medium, picks_of(medium, {{"PmP", 0, 130}, {"Pg", 4, 80}}, 0.02), options);
    const LayerDeviation& known = named(wide, "moho");
    EXPECT_LT(in_the_middle(known, known.trade_off), in_the_middle(moho, moho.trade_off));
    EXPECT_LT(in_the_middle(known, known.deviation), 0.5 * in_the_middle(moho, moho.deviation));
    EXPECT_GT(in_the_middle(known, known.resolution), in_the_middle(moho, moho.resolution));
    const LayerDeviation& velocity = named(wide, "P of layer 0");
    for (const double value : velocity.trade_off) EXPECT_TRUE(std::isnan(value));
    for (const LayerDeviation& one : wide.deviations) {
        for (const double value : one.resolution) {
            EXPECT_GE(value, -1e-9);
            EXPECT_LE(value, 1 + 1e-9);
        }
    }
}

/// If the mean velocity above were known, the variance of a depth would be 1 - r^2 of what it is.
/// To know all velocities leaves less.
TEST(LayerTrust, TradeOffIsTheShareOfTheErrorThatVelocityMakes) {
    const LayeredMedium medium = flat_crust();
    const PhasePicks picks = picks_of(medium, {{"PmP", 0, 60}}, 0.02);
    LayerInversionOptions options = with_long_lengths();
    const auto free = invert_layers(medium, picks, options);
    options.prior.velocity = 0;
    const auto kept = invert_layers(medium, picks, options);
    const LayerDeviation& moho = named(free, "moho");
    const LayerDeviation& alone = named(kept, "moho");
    const double r = in_the_middle(moho, moho.trade_off);
    const double left = std::sqrt(1 - r * r) * in_the_middle(moho, moho.deviation);
    EXPECT_GT(r, 0.5);
    EXPECT_LE(in_the_middle(alone, alone.deviation), left * (1 + 1e-9));
    EXPECT_GT(in_the_middle(alone, alone.deviation), 0.3 * left);
    for (const double value : alone.trade_off) EXPECT_TRUE(std::isnan(value));
}

/// The sum of a row of the resolution is 1 where picks say all; without any it is 0 everywhere.
TEST(LayerTrust, WhatNoRayCrossesHasNoResolution) {
    const LayeredMedium medium = flat_crust();
    PhasePicks picks = picks_of(medium, {{"PmP", 0, 6}}, 0.02);
    std::erase_if(picks.survey.arrivals,
                  [&](const Arrival& one) { return picks.survey.event_of(one).position.x > 40; });
    picks.phase_of.resize(picks.survey.arrivals.size());
    LayerInversionOptions options = with_long_lengths();
    options.prior.interface_length = 10;
    options.prior.velocity = 0;
    const auto found = invert_layers(medium, picks, options);
    const LayerDeviation& moho = named(found, "moho");
    for (std::size_t n = 0; n < moho.points.size(); ++n) {
        const double x = moho.points[n].x;
        if (x > 100) {
            EXPECT_LT(std::fabs(moho.resolution[n]), 1e-6) << x;
        } else if (x > 5 && x < 35) {
            EXPECT_GT(moho.resolution[n], 0.5) << x;
        }
    }
}

/// Changes x in one layer and c x in the next, c^2 x in the one below it are what a chain of
/// correlations c makes of x: they are no rougher than x alone, and rest where nothing else is
/// known.
TEST(LayerCoupling, LayersFollowTheirNeighboursByTheCorrelation) {
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("basement", 5),
                                Interface::flat("moho", 30)},
                               {Layer{test::uniform(line, 4)}, Layer{test::uniform(line, 6)},
                                Layer{test::uniform(line, 8)}});
    const std::vector<int> parts{0, 2, 4};
    const std::vector<int> interfaces{1};
    LayerPrior prior;
    prior.velocity_length = {30, 1, 15};
    LayerPrior of_coupled = prior;
    of_coupled.coupling = 0.8;
    const LayerUnknowns free(medium, parts, interfaces, prior, {});
    const LayerUnknowns coupled(medium, parts, interfaces, of_coupled, {});
    const std::size_t n = coupled.blocks().front().size();
    RandomStream random(3);
    std::vector<double> alone(coupled.size(), 0.0);
    for (std::size_t u = 0; u < n; ++u) alone[u] = random.normal();
    std::vector<double> chain = alone;
    for (std::size_t u = 0; u < n; ++u) {
        chain[n + u] = 0.8 * alone[u];
        chain[2 * n + u] = 0.64 * alone[u];
    }
    const double rough = free.roughness_of(alone);
    EXPECT_NEAR(coupled.roughness_of(chain), rough, 1e-9 * rough);
    EXPECT_NEAR(coupled.roughness_of(alone), rough / (1 - 0.64), 1e-9 * rough);
    const std::vector<double> pull = coupled.apply(chain);
    double largest = 0;
    for (const double value : free.apply(alone)) largest = std::max(largest, std::fabs(value));
    for (std::size_t u = n; u < 3 * n; ++u) EXPECT_NEAR(pull[u], 0, 1e-9 * largest);
    of_coupled.blocks = {{"P1", 0.02, 10}};
    test::expect_error<InputError>(
        [&] { LayerUnknowns(medium, parts, interfaces, of_coupled, {}); }, "'P1' has the length 10",
        "`coupling` is 0.8");
}

/// Pg tells the crust. Coupled to it, the mantle, which no ray crosses but at one point, follows.
TEST(LayerCoupling, WhatTheCrustTellsGoesOnBelow) {
    const LayeredMedium start = flat_crust();
    const LayeredMedium truth({Interface::flat("surface", 0), Interface::flat("moho", 30)},
                              {Layer{test::uniform(line, 6.18)}, Layer{test::uniform(line, 8.24)}});
    const PhasePicks picks = picks_of(truth, {{"Pg", 4, 80}, {"Pn", 138, 141}}, 0.02);
    LayerInversionOptions options = with_long_lengths();
    options.prior.depth = 0;
    options.loop.gauss_newton.iterations = 5;
    options.loop.target_chi2 = 0;
    const auto mantle = [&](double coupling) {
        options.prior.coupling = coupling;
        return invert_layers(start, picks, options).medium.model(1, Phase::P).velocity()(5, 0, 25);
    };
    // In a corner that the wave along the Moho is far from.
    EXPECT_GT(std::fabs(mantle(0) - 8.24), 2 * std::fabs(mantle(0.95) - 8.24));
}

}  // namespace
}  // namespace fermat
