#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../cell_models.hpp"
#include "../expect_error.hpp"
#include "../thread_ranks.hpp"
#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "survey/mapped_points.hpp"
#include "survey/settle.hpp"
#include "tomography/doubts.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/start/first_guess.hpp"
#include "tomography/start/set_up.hpp"

namespace fermat {
namespace {

InversionOptions newton(Regularisation kind = Regularisation::second) {
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.gauss_newton.roughness.kind = kind;
    return options;
}

class GaussNewton : public testing::TestWithParam<Regularisation> {};

TEST_P(GaussNewton, ExplainsThePicksToTheirErrorsAndFindsTheTruth) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const InversionResult found =
        invert(survey.start, survey.picks, newton(GetParam()), test::on_cpu());
    EXPECT_EQ(found.reason, StopReason::target_chi2);
    const Misfit& last = found.history.back().misfit;
    EXPECT_LE(last.chi2, 1.0);
    EXPECT_GE(last.chi2, 0.85);
    EXPECT_LE(found.history.back().iteration, 15);
    EXPECT_LE(found.history.back().passes, 30);
    const Recovery score = recovery(survey.start, survey.truth, found.model, found.coverage, 1);
    EXPECT_GT(score.correlation, GetParam() == Regularisation::blocky ? 0.75 : 0.9);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GaussNewton,
                         testing::Values(Regularisation::first, Regularisation::second,
                                         Regularisation::blocky));

TEST(GaussNewtonRun, ThreadsChangeNoBit) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = newton();
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu());
    EXPECT_TRUE(test::same_bits(one, invert(survey.start, survey.picks, options, test::on_cpu(3))));
}

TEST(GaussNewtonRun, RanksAndThreadsChangeNoBit) {
    const test::KnownTruth survey = test::survey_3d();
    InversionOptions options = newton();
    options.target_rms = 0.01;
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu());
    for (const int size : {1, 2, 3}) {
        for (const int threads : {1, 2, 5}) {
            std::optional<InversionResult> root;
            test::on_ranks(size, [&](Ranks& ranks) {
                InversionResult result =
                    invert(survey.start, survey.picks, options,
                           {.threads = threads, .device = Device::cpu, .ranks = ranks});
                if (ranks.is_root()) root.emplace(std::move(result));
            });
            EXPECT_TRUE(test::same_bits(one, *root)) << size << " ranks, " << threads;
        }
    }
}

TEST(GaussNewtonRun, GoesOnFromEveryStateToTheSameBits) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    std::vector<InversionState> states;
    InversionListener listener;
    listener.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const InversionResult whole =
        invert(survey.start, survey.picks, newton(), test::on_cpu(), listener);
    ASSERT_GT(states.size(), 3U);
    for (InversionState& state : states) {
        const InversionResult rest =
            invert(survey.start, survey.picks, newton(), test::on_cpu(), {}, std::move(state));
        EXPECT_TRUE(test::same_bits(whole, rest));
    }
}

TEST(GaussNewtonRun, FewerReceiversThanSourcesChangeTheAnswerLittle) {
    const test::KnownTruth survey = test::survey_3d();
    const Survey turned = exchanged(survey.picks);
    InversionOptions options = newton();
    options.target_rms = 0.01;
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu());
    const InversionResult other = invert(survey.start, turned, options, test::on_cpu());
    // Both solve from the fewer side: they are the same run.
    EXPECT_TRUE(test::same_bits(one, other));
}

TEST(GaussNewtonRun, GrossOutliersAreLeftOutAndHardlyChangeTheModel) {
    test::KnownTruth survey = test::survey_2d(0.01);
    const InversionResult clean = invert(survey.start, survey.picks, newton(), test::on_cpu());
    std::mt19937 engine(3);
    std::vector<std::size_t> bad;
    for (std::size_t n = 7; n < survey.picks.arrivals.size(); n += 20) {
        survey.picks.arrivals[n].time += engine() % 2 == 0 ? 0.5 : -0.3;
        bad.push_back(n);
    }
    const InversionResult found = invert(survey.start, survey.picks, newton(), test::on_cpu());
    for (const std::size_t n : bad) EXPECT_EQ(found.final_use[n], PickUse::rejected);
    const auto rejected =
        static_cast<std::size_t>(found.history.back().misfit.rejected) - bad.size();
    EXPECT_LT(rejected, survey.picks.arrivals.size() / 100 + 1);
    const auto score = [&](const InversionResult& run) {
        return recovery(survey.start, survey.truth, run.model, run.coverage, 1).correlation;
    };
    EXPECT_GT(score(found), score(clean) - 0.05);
}

TEST(GaussNewtonRun, VelocitiesStayWithinTheirBounds) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = newton();
    options.update.min_velocity = 1.95;
    options.update.max_velocity = 2.7;
    const InversionResult found = invert(survey.start, survey.picks, options, test::on_cpu());
    for (const float v : found.model.velocity()) {
        EXPECT_GT(v, 1.95F);
        EXPECT_LT(v, 2.7F);
    }
}

TEST(GaussNewtonRun, VelocityInCellsIsInvertedToo) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const Grid& grid = survey.start.grid();
    const Model start = gradient_model(grid, 2, 0.1, Placement::cells);
    const InversionResult found = invert(start, survey.picks, newton(), test::on_cpu());
    EXPECT_NE(found.model.cells(), nullptr);
    EXPECT_LE(found.history.back().misfit.chi2, 1.0);
}

TEST(SetUp, MakesAGridAndAStartModelOfThePicksAlone) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const InversionSetup setup = set_up_inversion(std::nullopt, survey.picks, newton());
    EXPECT_TRUE(setup.guessed_start);
    EXPECT_TRUE(setup.start.grid().is_2d());
    EXPECT_NO_THROW(validate(survey.picks, setup.start.first()));
    const InversionResult found = invert(setup.start, setup.picks, setup.options, test::on_cpu());
    EXPECT_LE(found.history.back().misfit.chi2, 1.0);
    for (const std::string& doubt :
         doubts_about(setup.start.first(), setup.picks, setup.options, found)) {
        EXPECT_NE(doubt.find("left out as outliers"), std::string::npos) << doubt;
    }
}

TEST(SetUp, AGradientIsFoundFromItsTimes) {
    const Grid grid{{201, 1, 61}, {0, 0, 0}, {0.5, 1, 0.5}};
    const Model truth = gradient_model(grid, 1.5, 0.08);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 5; ++n) sources.push_back({{20.0 * n, 0, 0}, 0});
    for (int n = 0; n <= 50; ++n) receivers.push_back({2.0 * n, 0, 0});
    const Survey picks = synthetic_picks(truth, survey_of(sources, receivers)).picks;
    const GradientFit fit = fit_gradient(picks, survey_shape(picks), std::nullopt);
    EXPECT_NEAR(fit.v0, 1.5, 0.02);
    EXPECT_NEAR(fit.gradient, 0.08, 0.004);
}

/// Two boreholes much deeper than they are apart, where velocity grows threefold with depth.
Survey between_deep_boreholes() {
    const Grid grid{{25, 1, 161}, {0, 0, 0}, {0.5, 1, 0.5}};
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 20; ++n) {
        sources.push_back({{1, 0, 1 + 3.9 * n}, 0});
        receivers.push_back({11, 0, 1 + 3.9 * n});
    }
    Survey all =
        synthetic_picks(gradient_model(grid, 1.5, 0.04), survey_of(sources, receivers)).picks;
    std::vector<std::int32_t> near;  // as radar has it, picks of up to 45 degrees
    for (std::size_t n = 0; n < all.arrivals.size(); ++n) {
        const Arrival& pick = all.arrivals[n];
        const Vec3 way = all.event_of(pick).position - all.station_of(pick).position;
        if (std::abs(way.z) < 12) near.push_back(static_cast<std::int32_t>(n));
    }
    return subset(all, near);
}

TEST(SetUp, BetweenBoreholesTheStartIsAsFastAsTheDeepestPicks) {
    const Survey picks = between_deep_boreholes();
    const FirstGuess guess = first_guess(picks, {});
    ASSERT_FALSE(guess.shape.along_surface);
    const auto v = guess.start.velocity();
    const double true_bottom = 1.5 + 0.04 * 79;
    EXPECT_NEAR(*std::max_element(v.begin(), v.end()), true_bottom, 0.05 * true_bottom);
    const Survey made = synthetic_picks(guess.start, picks).picks;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        EXPECT_NEAR(made.arrivals[n].time, picks.arrivals[n].time, 0.03 * picks.arrivals[n].time);
    }
}

TEST(SetUp, BelowASurfaceTheStartIsNoFasterThanWhereTheLongestRayTurns) {
    const Grid grid{{201, 1, 61}, {0, 0, 0}, {0.5, 1, 0.5}};
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 5; ++n) sources.push_back({{20.0 * n, 0, 0}, 0});
    for (int n = 0; n <= 50; ++n) receivers.push_back({2.0 * n, 0, 0});
    const Survey picks =
        synthetic_picks(gradient_model(grid, 1.5, 0.08), survey_of(sources, receivers)).picks;
    const FirstGuess guess = first_guess(picks, {0, 60});
    const auto v = guess.start.velocity();
    const double turning = std::hypot(guess.fit.v0, guess.fit.gradient * guess.shape.longest / 2);
    EXPECT_LE(*std::max_element(v.begin(), v.end()), 1.001 * turning);
}

TEST(SetUp, PicksWithoutErrorsAreFittedAboutToTheirNoise) {
    test::KnownTruth survey = test::survey_2d(0.02);
    survey.picks.has_errors = false;
    const InversionSetup setup = set_up_inversion(survey.start.copy(), survey.picks, newton());
    EXPECT_GT(setup.options.target_rms, 0.014);
    EXPECT_LT(setup.options.target_rms, 0.026);
}

TEST(SetUp, ErrorsThatContradictTheTimesAreSaidAndRightOnesAreNot) {
    const test::KnownTruth survey = test::survey_2d(0.02);
    const auto with_errors = [&](double factor) {
        Survey picks = survey.picks;
        for (Arrival& pick : picks.arrivals) pick.error *= factor;
        InversionOptions options = newton(Regularisation::automatic);
        options.gauss_newton.iterations = 1;  // does not shorten what is tested
        return set_up_inversion(survey.start.copy(), picks, options);
    };
    const InversionSetup small = with_errors(1.0 / 4);
    EXPECT_GT(small.options.target_chi2, 10);
    EXPECT_LT(small.options.target_chi2, 25);
    ASSERT_EQ(small.warnings.size(), 1U);
    EXPECT_NE(small.warnings[0].find("times too small"), std::string::npos);
    const InversionSetup large = with_errors(4);
    EXPECT_EQ(large.options.target_chi2, 0);
    ASSERT_EQ(large.warnings.size(), 1U);
    EXPECT_NE(large.warnings[0].find("seem too large"), std::string::npos);
    const InversionSetup right = with_errors(1);
    EXPECT_EQ(right.options.target_chi2, 0);
    EXPECT_TRUE(right.warnings.empty());
}

/// A board so fine that a thousand unknowns cannot hold it, and so few picks that those left out
/// are not predicted by the others.
test::KnownTruth board_3d(double noise) {
    const Grid grid{{31, 25, 13}, {0, 0, 0}, {1, 1, 1}};
    Model start = gradient_model(grid, 3, 0.1);
    Model truth = checkerboard_model(start, {{5, 5, 5}, 0.08});
    std::mt19937 engine(1);
    const auto within = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(engine()) / std::mt19937::max();
    };
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 10; ++n) {
        sources.push_back({{within(1, 29), within(1, 23), within(6, 12)}, 0});
    }
    for (int n = 0; n < 60; ++n) receivers.push_back({within(0, 30), within(0, 24), 0});
    Survey picks = synthetic_picks(truth, survey_of(sources, receivers), {noise, 1}).picks;
    return {std::move(start), std::move(truth), std::move(picks)};
}

TEST(SetUp, WhatPicksLeftOutMissRaisesNoTargetWhereAModelExplainsAll) {
    const test::KnownTruth survey = board_3d(0.005);
    const InversionSetup setup =
        set_up_inversion(survey.start.copy(), survey.picks, newton(Regularisation::automatic));
    EXPECT_LE(setup.options.target_chi2, 1.5);
    ASSERT_EQ(setup.warnings.size(), 1U);
    EXPECT_NE(setup.warnings[0].find("picks left out of 3-fold"), std::string::npos);
    const InversionResult found = invert(setup.start, setup.picks, setup.options, test::on_cpu());
    EXPECT_EQ(found.reason, StopReason::target_chi2);
    EXPECT_LE(found.history.back().misfit.chi2, 1);
}

TEST(SetUp, TimesOfZeroBetweenPointsThatAreApartAreCounted) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    Survey picks = survey.picks;
    picks.arrivals[3].time = picks.arrivals[7].time = 0;
    const InversionSetup setup = set_up_inversion(survey.start.copy(), picks, newton());
    ASSERT_EQ(setup.warnings.size(), 1U);
    EXPECT_EQ(setup.warnings[0].find(fmt::format("2 of {} picks have time 0 between two points",
                                                 picks.arrivals.size())),
              0U);
    picks.stations[static_cast<std::size_t>(picks.arrivals[3].station)].position =
        picks.event_of(picks.arrivals[3]).position;
    EXPECT_EQ(zero_times(picks)->find("1 of "), 0U);
    EXPECT_FALSE(zero_times(survey.picks));
}

TEST(SetUp, UnitsThatDoNotBelongTogetherAreSaid) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    Survey milliseconds = survey.picks;
    for (Arrival& pick : milliseconds.arrivals) {
        pick.time *= 1000;
        pick.error *= 1000;
    }
    const InversionSetup setup = set_up_inversion(survey.start.copy(), milliseconds, newton());
    ASSERT_EQ(setup.warnings.size(), 1U);
    EXPECT_NE(setup.warnings[0].find("units that belong together"), std::string::npos);
}

TEST(Doubts, OnlyARunThatStandsStillSaysThatNoModelIsFound) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const InversionOptions options = newton();
    InversionResult found = invert(survey.start, survey.picks, options, test::on_cpu());
    found.history.back().misfit.chi2 = 1.03;
    found.reason = StopReason::schedule_end;
    auto doubts = doubts_about(survey.start, survey.picks, options, found);
    ASSERT_FALSE(doubts.empty());
    EXPECT_EQ(doubts[0].rfind("the iterations ended before a model was found", 0), 0U) << doubts[0];
    EXPECT_NE(doubts[0].find("chi2 is 1.03"), std::string::npos);
    found.reason = StopReason::stagnation;
    doubts = doubts_about(survey.start, survey.picks, options, found);
    ASSERT_FALSE(doubts.empty());
    EXPECT_EQ(doubts[0].rfind("the run stands still a little above its target", 0), 0U)
        << doubts[0];
    EXPECT_NE(doubts[0].find("residuals are 1.5 % larger"), std::string::npos);
    found.history.back().misfit.chi2 = 1.3;
    doubts = doubts_about(survey.start, survey.picks, options, found);
    ASSERT_FALSE(doubts.empty());
    EXPECT_EQ(doubts[0].rfind("no model was found that explains", 0), 0U) << doubts[0];
}

TEST(Doubts, ARunThatWorsenedSaysSo) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = newton();
    InversionResult found = invert(survey.start, survey.picks, options, test::on_cpu());
    std::swap(found.history.front().misfit, found.history.back().misfit);
    const auto doubts = doubts_about(survey.start, survey.picks, options, found);
    ASSERT_FALSE(doubts.empty());
    EXPECT_EQ(doubts[0].rfind("the picks are explained worse", 0), 0U);
}

TEST(GaussNewtonRun, StartsThatJumpBetweenCellsAreTheCpus) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const Model start =
        test::of_cells(survey.start.grid(), [](int, int, int k) { return k < 3 ? 2 : 5; });
    InversionOptions options = newton();
    EXPECT_FALSE(runs_on_cuda(options, Device::automatic, start));
    test::expect_error<InputError>([&] { invert(start, survey.picks, options, test::on_gpu()); },
                                   "velocity jumps between cells");
}

TEST(GaussNewton, CountsTheRaysOfACellAsAPassOfItsOwnWould) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = newton();
    options.gauss_newton.iterations = 2;
    const InversionResult found = invert(survey.start, survey.picks, options, test::on_cpu());
    const ProblemPlan plan = problem_plan(survey.start, survey.picks, options);
    BackprojectionOptions pass;
    pass.rays = plan.rays;
    pass.picks.weights.assign(survey.picks.arrivals.size(), 1.0);
    pass.picks.scale = pass.picks.weights;
    const Survey picks = plan.turned ? exchanged(survey.picks) : survey.picks;
    const Field<float> count = backproject(found.model, picks, pass, test::on_cpu()).sums.count;
    ASSERT_EQ(found.coverage.size(), count.size());
    EXPECT_TRUE(std::equal(count.begin(), count.end(), found.coverage.begin()));
    EXPECT_GT(*std::max_element(count.begin(), count.end()), 1);
}

}  // namespace
}  // namespace fermat
