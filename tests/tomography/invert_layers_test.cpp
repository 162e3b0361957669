#include "tomography/layers/invert_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/random_stream.hpp"
#include "expect_error.hpp"
#include "phases/layers.hpp"
#include "thread_ranks.hpp"

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

/// Also where a pick has no ray and its residual is not a number.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// A run that is stopped after each of its iterations and resumed has the bits of one that is not,
/// and so has one on several ranks.
TEST(InvertLayers, ResumedRunsAndRunsOnRanksHaveTheSameBits) {
    const LayeredMedium truth = crust_with(true_moho, true_velocity);
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    const PhasePicks picks = picks_in(truth, 0.03);
    LayerInversionOptions options;
    options.loop.gauss_newton.iterations = 3;
    std::vector<InversionState> states;
    InversionListener listener;
    listener.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const LayerInversion whole = invert_layers(start, picks, options, {}, listener);
    ASSERT_EQ(states.size(), 4);
    for (const std::size_t at : {0, 2}) {
        const LayerInversion again =
            invert_layers(start, picks, options, {}, {}, states[at].copy());
        EXPECT_EQ(again.run.unknowns, whole.run.unknowns);
        EXPECT_TRUE(same_bits(again.run.final_residual, whole.run.final_residual));
        EXPECT_TRUE(same_bits(again.run.initial_residual, whole.run.initial_residual));
        EXPECT_EQ(again.run.history.size(), whole.run.history.size());
        EXPECT_EQ(again.deviations[0].deviation, whole.deviations[0].deviation);
    }
    std::vector<double> found;
    const auto errors = test::on_ranks(3, [&](Ranks& ranks) {
        const LayerInversion own =
            invert_layers(start, picks, options, {1, Device::cpu, silent_monitor(), ranks});
        EXPECT_EQ(own.run.unknowns, whole.run.unknowns);
        EXPECT_EQ(own.medium.top_of(1).depth(), whole.medium.top_of(1).depth());
        if (ranks.is_root()) found = own.run.final_residual;
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
    EXPECT_TRUE(same_bits(found, whole.run.final_residual));
}

/// Where nothing was picked, boreholes alone tell the depth.
TEST(InvertLayers, MeasuredDepthsHoldTheInterface) {
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    PhasePicks picks = picks_in(crust_with(true_moho, start_velocity), 0.03);
    LayerInversionOptions options;
    options.prior.velocity = 0;
    options.prior.interface_length = 15;
    const double before = invert_layers(start, picks, options).medium.top_of(1).depth_at(2, 0);
    options.prior.depths = {{"moho", {2, 0, 33.5}, 0.05}};
    const LayerInversion found = invert_layers(start, picks, options);
    EXPECT_GT(std::fabs(before - 33.5), 1);
    EXPECT_NEAR(found.medium.top_of(1).depth_at(2, 0), 33.5, 0.2);
    ASSERT_EQ(found.depth_residual.size(), 1);
    EXPECT_NEAR(found.depth_residual[0], 0, 0.2);
    EXPECT_LT(found.run.history.back().misfit.chi2, 1.3);
}

TEST(InvertLayers, BoundsHoldAndSingleBlocksMayStay) {
    const LayeredMedium truth = crust_with(true_moho, true_velocity);
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    const PhasePicks picks = picks_in(truth, 0.03);
    LayerInversionOptions options;
    options.prior.max_depth = 31;
    options.loop.update.min_velocity = 5.75;
    options.loop.gauss_newton.iterations = 2;
    const LayerInversion found = invert_layers(start, picks, options);
    for (const double depth : found.medium.top_of(1).depth()) EXPECT_LE(depth, 31);
    for (const float v : found.medium.model(0, Phase::P).velocity()) EXPECT_GE(v, 5.75F);
    options.prior.blocks = {{"moho", 0, 0}, {"P0", 0.03, 30}};
    const LayerInversion kept = invert_layers(start, picks, options);
    EXPECT_EQ(kept.medium.top_of(1).depth(), start.top_of(1).depth());
    ASSERT_EQ(kept.deviations.size(), 1);
    EXPECT_EQ(kept.deviations[0].of, "P of layer 0");
    EXPECT_EQ(kept.deviations[0].prior, 0.03);
    options.prior.blocks = {{"conrad", 1, 0}};
    expect_error<InputError>([&] { invert_layers(start, picks, options); }, "'conrad'");
}

/// Earthquakes whose places and times are wrong are brought back by Pg and PmP.
TEST(InvertLayers, EventsAreFoundBesideTheLayers) {
    const LayeredMedium truth = crust_with(true_moho, start_velocity);
    const LayeredMedium start = crust_with([](double) { return 31; }, start_velocity);
    PhasePicks picks;
    picks.phases = {"Pg", "PmP"};
    std::vector<Vec3> places;
    std::vector<Vec3> stations;
    for (double x = 35; x < 120; x += 12) places.push_back({x, 0, 8 + 4 * std::sin(x)});
    for (double x = 5; x < 148; x += 9) stations.push_back({x, 0, 0});
    for (const Vec3& p : stations) picks.survey.stations.push_back({p});
    RandomStream random(5);
    for (const Vec3& p : places) {
        picks.survey.events.push_back(
            {{p.x + 1.5 * random.normal(), 0, p.z + 1.5 * random.normal()}, 100});
    }
    for (std::int32_t phase = 0; phase < 2; ++phase) {
        const auto pairs = all_pairs(places.size(), stations.size());
        const auto rays =
            trace_branch(truth, branch_of(truth, picks.phases[static_cast<std::size_t>(phase)]),
                         places, stations, pairs, {}, {});
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!has_arrived(rays[i].front().status)) continue;
            const double time = 100.3 + rays[i].front().time + 0.02 * random.normal();
            picks.survey.arrivals.push_back({pairs[i].source, pairs[i].receiver, time, 0.02});
            picks.phase_of.push_back(phase);
        }
    }
    picks.survey.has_errors = true;
    LayerInversionOptions options;
    options.prior.velocity = 0.01;
    options.prior.interface_length = 25;
    options.loop.joint.relocate = Relocate::all;
    options.loop.outliers = 0;
    const LayerInversion found = invert_layers(start, picks, options);
    EXPECT_LT(found.run.history.back().misfit.chi2, 1.3);
    ASSERT_EQ(found.run.events.size(), places.size());
    double off = 0;
    double before = 0;
    for (std::size_t e = 0; e < places.size(); ++e) {
        off += std::pow(distance(found.run.events[e].position, places[e]), 2);
        before += std::pow(distance(picks.survey.events[e].position, places[e]), 2);
        EXPECT_NEAR(found.run.events[e].origin_time, 100.3, 0.1);
        EXPECT_EQ(found.run.events[e].use, EventUse::moved);
    }
    EXPECT_LT(std::sqrt(off), 0.35 * std::sqrt(before));
    // What moves is resumed, too.
    options.loop.gauss_newton.iterations = 2;
    std::vector<InversionState> states;
    InversionListener listener;
    listener.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const LayerInversion whole = invert_layers(start, picks, options, {}, listener);
    const LayerInversion again = invert_layers(start, picks, options, {}, {}, states[1].copy());
    EXPECT_EQ(again.run.unknowns, whole.run.unknowns);
    EXPECT_TRUE(same_bits(again.run.final_residual, whole.run.final_residual));
}

TEST(InvertLayers, WhatCannotBeInvertedIsRefusedInASentence) {
    const LayeredMedium medium = crust_with(true_moho, true_velocity);
    const PhasePicks good = picks_in(medium, 0.03);
    const auto refused = [&](const LayeredMedium& start, const PhasePicks& picks,
                             const LayerInversionOptions& options, auto... words) {
        expect_error<InputError>([&] { invert_layers(start, picks, options); }, words...);
    };
    PhasePicks high = good;
    high.survey.events[2].position.z = -1;
    refused(medium, high, {}, "source 2");
    // A layer that pinches out at a source.
    const LayeredMedium pinched(
        {Interface::flat("surface", 0),
         relief("sediments", line, [](double x, double) { return std::max(0.0, 0.1 * (x - 40)); }),
         Interface::flat("moho", 30)},
        {Layer{model_of(line, start_velocity)}, Layer{model_of(line, start_velocity)},
         Layer{model_of(line, [](Vec3) { return 8; })}});
    Notes notes;
    note_thin_layers(pinched, good.survey, notes);
    ASSERT_EQ(notes.sentences().size(), 2);
    EXPECT_NE(notes.sentences()[0].find("6 of 24 sources stand where a layer has no thickness"),
              std::string::npos)
        << notes.sentences()[0];
    LayerInversionOptions options;
    options.prior.depths = {{"surface", {10, 0, 0}, 1}};
    refused(medium, good, options, "'surface'", "stays");
    options.prior.depths = {{"moho", {500, 0, 30}, 1}};
    refused(medium, good, options, "'moho'", "500", "outside the model");
    options.prior.depths.clear();
    options.prior.min_depth = 20;
    options.prior.max_depth = 10;
    refused(medium, good, options, "min depth is 20");
    options = {};
    options.loop.gauss_newton.terms = Terms::receiver;
    refused(medium, good, options, "terms is 'receiver'");
    options = {};
    options.loop.method = InversionMethod::hole;
    refused(medium, good, options, "later phases need");
}

/// Picks of phases that the medium does not know are counted and named.
TEST(InvertLayers, UnknownPhasesAreToldAndLeftOut) {
    const LayeredMedium medium = crust_with(true_moho, true_velocity);
    PhasePicks picks = picks_in(medium, 0.03);
    const std::size_t all = picks.survey.arrivals.size();
    picks.phases.emplace_back("P7P");
    picks.phases.emplace_back("SmS");
    picks.phase_of[0] = picks.phase_of[1] = 2;
    picks.phase_of[2] = 3;
    Notes notes;
    const PhasePicks known = known_picks(medium, picks, notes);
    EXPECT_EQ(known.survey.arrivals.size(), all - 3);
    ASSERT_EQ(notes.sentences().size(), 1);
    EXPECT_NE(notes.sentences()[0].find("2 of P7P, 1 of SmS"), std::string::npos);
    for (std::int32_t& phase : picks.phase_of) phase = 2;
    expect_error<InputError>([&] { known_picks(medium, picks, notes); }, "no pick");
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
