#include "tomography/layers/invert_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random_stream.hpp"
#include "expect_error.hpp"
#include "phases/layers.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::model_of;
using test::relief;

const Grid line{{76, 1, 26}, {0, 0, 0}, {2, 1, 2}};

LayeredMedium crust_with(const std::function<double(double)>& moho,
                         const std::function<double(Vec3)>& velocity) {
    return LayeredMedium({Interface::flat("surface", 0),
                          relief("moho", line, [&](double x, double) { return moho(x); })},
                         {Layer{model_of(line, velocity)},
                          Layer{model_of(line, [](Vec3 p) { return 8 + 0.01 * (p.z - 30); })}});
}

double true_moho(double x) { return 30 + 2 * std::sin(x / 22); }
double true_velocity(Vec3 p) { return (5.8 + 0.03 * p.z) * (1 + 0.02 * std::cos(p.x / 20)); }
double start_velocity(Vec3 p) { return 5.8 + 0.03 * p.z; }

/// Pg and PmP of shots and stations along a line, with noise.
PhasePicks picks_in(const LayeredMedium& truth, double noise) {
    PhasePicks picks;
    picks.phases = {"Pg", "PmP"};
    std::vector<Vec3> shots;
    std::vector<Vec3> stations;
    for (double x = 5; x < 148; x += 6) shots.push_back({x, 0, 0});
    for (double x = 10; x < 148; x += 20) stations.push_back({x, 0, 0});
    for (const Vec3& p : shots) picks.survey.events.push_back({p});
    for (const Vec3& p : stations) picks.survey.stations.push_back({p});
    RandomStream random(7);
    for (std::int32_t phase = 0; phase < 2; ++phase) {
        std::vector<RayPair> pairs;
        for (const RayPair& pair : all_pairs(shots.size(), stations.size())) {
            const double offset = std::fabs(shots[static_cast<std::size_t>(pair.source)].x -
                                            stations[static_cast<std::size_t>(pair.receiver)].x);
            if (phase == 0 ? offset < 80 : offset > 30 && offset < 120) pairs.push_back(pair);
        }
        const auto name = picks.phases[static_cast<std::size_t>(phase)];
        const auto rays =
            trace_branch(truth, branch_of(truth, name), shots, stations, pairs, {}, {});
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!has_arrived(rays[i].front().status)) continue;
            const double time = rays[i].front().time + noise * random.normal();
            picks.survey.arrivals.push_back({pairs[i].source, pairs[i].receiver, time, noise});
            picks.phase_of.push_back(phase);
        }
    }
    picks.survey.has_errors = true;
    return picks;
}

TEST(InvertLayers, FindsReliefAndVelocityToTheirDeviations) {
    const LayeredMedium truth = crust_with(true_moho, true_velocity);
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    const PhasePicks picks = picks_in(truth, 0.03);
    LayerInversionOptions options;
    options.prior.velocity_length = {20, 1, 15};
    options.prior.interface_length = 20;
    const LayerInversion found = invert_layers(start, picks, options);
    EXPECT_GT(found.run.history.front().misfit.chi2, 5);
    EXPECT_LT(found.run.history.back().misfit.chi2, 1.15);
    double sum = 0;
    double before = 0;
    int count = 0;
    for (double x = 25; x <= 125; x += 1) {
        sum += std::pow(found.medium.top_of(1).depth_at(x, 0) - true_moho(x), 2);
        before += std::pow(31 - true_moho(x), 2);
        ++count;
    }
    EXPECT_LT(std::sqrt(sum / count), 0.6);
    EXPECT_GT(std::sqrt(before / count), 1.2);
    // Standard deviations: most of the depths lie within two of them.
    for (const LayerDeviation& of : found.deviations) {
        if (of.of != "moho") continue;
        int inside = 0;
        int all = 0;
        for (std::size_t i = 0; i < of.points.size(); ++i) {
            const double x = of.points[i].x;
            if (x < 25 || x > 125) continue;
            ++all;
            const double error = found.medium.top_of(1).depth_at(x, 0) - true_moho(x);
            inside += std::fabs(error) < 2 * of.deviation[i];
            EXPECT_LT(of.deviation[i], 0.5 * of.prior);
        }
        EXPECT_GE(inside, 0.8 * all);
    }
}

TEST(InvertLayers, WhatIsKeptStays) {
    const LayeredMedium truth = crust_with(true_moho, start_velocity);
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    const PhasePicks picks = picks_in(truth, 0.03);
    LayerInversionOptions options;
    options.prior.velocity = 0;
    const LayerInversion found = invert_layers(start, picks, options);
    const auto before = start.model(0, Phase::P).velocity();
    const auto after = found.medium.model(0, Phase::P).velocity();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
    EXPECT_LT(found.run.history.back().misfit.chi2, 1.2);
}

TEST(InvertLayers, PicksWithoutErrorsAndUnknownPhasesAreRefused) {
    const LayeredMedium medium = crust_with(true_moho, true_velocity);
    PhasePicks picks = picks_in(medium, 0.03);
    picks.survey.arrivals[3].error = 0;
    expect_error<InputError>([&] { invert_layers(medium, picks, {}); }, "pick 3", "error 0");
    picks.survey.arrivals[3].error = 0.03;
    picks.phases[1] = "P9P";
    expect_error<InputError>([&] { invert_layers(medium, picks, {}); }, "'9'");
}

}  // namespace
}  // namespace fermat
