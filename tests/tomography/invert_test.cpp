// The loop finds what the picks tell of, the same bits whoever computes it, and goes on where it
// stopped.
#include "tomography/invert.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"
#include "thread_ranks.hpp"
#include "tomography/inversion_surveys.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::KnownTruth;
using test::same_bits;
using test::survey_2d;
using test::survey_3d;

std::vector<Stage> short_schedule() {
    return {{3, {8, 1, 8}, {5, 1, 5}, 1, 1}, {3, {4, 1, 4}, {3, 1, 3}, 1, 1}};
}

TEST(Invert, FindsAnomaliesInTwoDimensions) {
    const KnownTruth survey = survey_2d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{6, {16, 1, 12}, {9, 1, 9}, 1, 1},
                        {6, {8, 1, 6}, {5, 1, 5}, 1, 1},
                        {10, {4, 1, 4}, {3, 1, 3}, 1, 1}};
    const InversionResult found = invert(survey.start, survey.picks, options);
    const double before = found.history.front().misfit.rms;
    const double after = found.history.back().misfit.rms;
    EXPECT_LT(after, 0.15 * before);
    EXPECT_EQ(found.history.size(), 23U);
    EXPECT_EQ(found.reason, StopReason::schedule_end);
    EXPECT_EQ(found.history.back().misfit.lost, 0);
    const Recovery score = recovery(survey.start, survey.truth, found.model, found.coverage, 5);
    EXPECT_GT(score.correlation, 0.8);
    EXPECT_GT(score.amplitude, 0.6);
    EXPECT_LT(score.amplitude, 1.3);
}

TEST(Invert, FindsAnomaliesInThreeDimensions) {
    const KnownTruth survey = survey_3d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{3, {6, 6, 6}, {5, 5, 5}, 1, 1}, {5, {4, 4, 4}, {3, 3, 3}, 1, 1}};
    const InversionResult found = invert(survey.start, survey.picks, options);
    EXPECT_LT(found.history.back().misfit.rms, 0.35 * found.history.front().misfit.rms);
    EXPECT_GT(recovery(survey.start, survey.truth, found.model, found.coverage, 5).correlation,
              0.6);
}

TEST(Invert, TheRightModelStaysAsItIs) {
    const KnownTruth survey = survey_2d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = short_schedule();
    const InversionResult found = invert(survey.truth, survey.picks, options);
    // Field times and synthetic picks are the same computation.
    EXPECT_EQ(found.history.front().misfit.rms, 0);
    EXPECT_EQ(found.history.back().max_update, 0);
}

TEST(Invert, TheSameBitsForAnyNumberOfThreadsAndRanks) {
    const KnownTruth survey = survey_3d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{1, {6, 6, 6}, {5, 5, 5}, 1, 1}, {1, {4, 4, 4}, {3, 3, 3}, 1, 1}};
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu());
    for (const auto& [size, count] : {std::pair(1, 3), {1, 16}, {2, 1}, {2, 2}, {4, 1}}) {
        const int threads = count;
        const auto errors = test::on_ranks(size, [&](Ranks& ranks) {
            const InversionResult other =
                invert(survey.start, survey.picks, options, {.threads = threads, .ranks = ranks});
            if (ranks.is_root()) {
                EXPECT_TRUE(same_bits(one, other)) << size << " ranks, " << threads << " threads";
            }
        });
        for (const auto& error : errors) EXPECT_FALSE(error);
    }
}

TEST(Invert, GoesOnFromAnyUpdateWithTheSameBits) {
    const KnownTruth survey = survey_2d(0.01);
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = short_schedule();
    options.outliers = 3;
    options.stagnation = 0.02;
    std::vector<InversionState> states;
    InversionListener keep;
    keep.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const InversionResult whole = invert(survey.start, survey.picks, options, {}, keep);
    ASSERT_GE(states.size(), 2U);
    for (InversionState& state : states) {
        const InversionResult rest =
            invert(survey.start, survey.picks, options, {}, {}, std::move(state));
        EXPECT_TRUE(same_bits(whole, rest));
        EXPECT_EQ(whole.reason, rest.reason);
    }
}

TEST(Invert, AirStaysAirAndIsNotSmeared) {
    const Grid grid{{31, 1, 21}, {0, 0, -1}, {1, 1, 1}};
    const std::vector<DepthVelocity> layers = {{-1, 0}, {1, 2}, {8, 3}};
    const Model truth = layered_model(grid, layers);
    const std::vector<DepthVelocity> slow = {{-1, 0}, {1, 1.9}, {8, 3}};
    const Model start = layered_model(grid, slow);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 6; ++n) sources.push_back({{5.0 * n, 0, 1}, 0});
    for (int n = 0; n <= 30; ++n) receivers.push_back({1.0 * n, 0, 1});
    const Survey picks = synthetic_picks(truth, survey_of(sources, receivers)).picks;
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{6, {8, 1, 4}, {5, 1, 5}, 1, 1}};
    const InversionResult found = invert(start, picks, options);
    for (int i = 0; i < grid.shape.x; ++i) {
        EXPECT_EQ(found.model.velocity()(i, 0, 0), 0);
        EXPECT_EQ(found.model.velocity()(i, 0, 1), 0);
        // Untouched air would drag the surface half way back.
        EXPECT_NEAR(found.model.velocity()(i, 0, 2), 2.0, 0.035);
    }
    EXPECT_LT(found.history.back().misfit.rms, 0.2 * found.history.front().misfit.rms);
}

TEST(Invert, StopsAtItsTargets) {
    const KnownTruth survey = survey_2d(0.01);
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.target_rms = 0.015;
    const InversionResult rms = invert(survey.start, survey.picks, options);
    EXPECT_EQ(rms.reason, StopReason::target_rms);
    EXPECT_LE(rms.history.back().misfit.rms, 0.015);
    EXPECT_GT(rms.history[rms.history.size() - 2].misfit.rms, 0.015);
    options.target_rms = 0;
    options.target_chi2 = 2;
    const InversionResult chi2 = invert(survey.start, survey.picks, options);
    EXPECT_EQ(chi2.reason, StopReason::target_chi2);
    EXPECT_LE(chi2.history.back().misfit.chi2, 2);
    options.target_chi2 = 0;
    options.stagnation = 0.2;
    EXPECT_EQ(invert(survey.start, survey.picks, options).reason, StopReason::stagnation);
}

TEST(Invert, OutliersAreLeftOutWhereAskedFor) {
    KnownTruth survey = survey_2d(0.002);
    const Survey clean = survey.picks;
    for (std::size_t n = 5; n < survey.picks.arrivals.size(); n += 25) {
        survey.picks.arrivals[n].time += 3;
    }
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = short_schedule();
    const InversionResult reference = invert(survey.start, clean, options);
    const InversionResult spoilt = invert(survey.start, survey.picks, options);
    options.outliers = 5;
    const InversionResult saved = invert(survey.start, survey.picks, options);
    EXPECT_GE(saved.history.back().misfit.rejected, 20);
    EXPECT_LT(saved.history.back().misfit.rms, 2 * reference.history.back().misfit.rms);
    EXPECT_GT(spoilt.history.back().misfit.rms, 10 * reference.history.back().misfit.rms);
}

TEST(Invert, BoundsAndCapHold) {
    const KnownTruth survey = survey_2d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = short_schedule();
    options.update.max_change = 0.01;
    options.update.min_velocity = 1.99;
    options.update.max_velocity = 2.5;
    double most = 0;
    InversionListener watch;
    watch.iteration = [&](const IterationReport& report, const Model&) {
        if (report.iteration > 1) most = std::max(most, report.max_update);
    };
    const InversionResult found = invert(survey.start, survey.picks, options, {}, watch);
    EXPECT_LE(most, 0.01 * 1.001);
    for (const float v : found.model.velocity()) {
        EXPECT_GE(v, 1.99F);
        EXPECT_LE(v, 2.5F);
    }
}

TEST(Invert, LostRaysAreCountedNeverSilent) {
    const KnownTruth survey = survey_2d();
    Grid grid = survey.start.grid();
    Field<float> v(grid.shape);
    std::copy(survey.start.velocity().begin(), survey.start.velocity().end(), v.begin());
    v(grid.shape.x - 1, 0, 0) = 0;  // the receiver at the upper right corner
    const Model holed(grid, std::move(v));
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{1, {4, 1, 4}, {3, 1, 3}, 1, 1}};
    const InversionResult found = invert(holed, survey.picks, options);
    EXPECT_GT(found.history.back().misfit.lost, 0);
    std::int64_t lost = 0;
    for (const double r : found.final_residual) lost += std::isnan(r);
    EXPECT_EQ(found.history.back().misfit.lost, lost);
}

TEST(Invert, BadInputIsOneSentence) {
    const KnownTruth survey = survey_2d();
    const auto refused = [&](auto change, auto... parts) {
        InversionOptions options;
        options.method = InversionMethod::hole;
        Survey picks = survey.picks;
        change(options, picks);
        expect_error<InputError>([&] { invert(survey.start, picks, options); }, parts...);
    };
    using O = InversionOptions;
    refused([](O&, Survey& p) { p.arrivals.clear(); }, "no pick");
    refused([](O&, Survey& p) { p.arrivals[3].event = 99; }, "pair (99, ");
    refused([](O&, Survey& p) { p.arrivals[2].phase = Phase::S; }, "two phases", "1 of S");
    refused([](O&, Survey& p) { p.arrivals[4].time = NAN; }, "pick 4", "nan");
    refused([](O&, Survey& p) { p.has_errors = true; }, "error of pick 0 is 0");
    refused([](O&, Survey& p) { p.events[1].position.x = -7; }, "source 1", "-7");
    refused([](O&, Survey& p) { p.stations[2].position.z = 700; }, "receiver 2", "700");
    refused([](O& o, Survey&) { o.target_chi2 = 1; }, "no errors");
    refused([](O& o, Survey&) { o.target_rms = -1; }, "target rms is -1");
    refused([](O& o, Survey&) { o.stagnation = 1; }, "stagnation is 1");
    refused([](O& o, Survey&) { o.outliers = 0.5; }, "outliers is 0.5");
    refused([](O& o, Survey&) { o.update.step = 0; }, "step is 0");
    refused([](O& o, Survey&) { o.update.max_change = 1.5; }, "max update is 1.5");
    refused(
        [](O& o, Survey&) {
            o.update.min_velocity = 9;
            o.update.max_velocity = 3;
        },
        "max velocity is 3");
    refused(
        [](O& o, Survey&) {
            o.schedule = {{0, {2, 1, 2}, {3, 1, 3}, 1, 1}};
        },
        "stage 1", "0 iterations");
    refused([](O& o, Survey&) { o.schedule = {{1, {2, 0, 2}, {3, 1, 3}, 1, 1}}; }, "stage 1");
}

TEST(DefaultSchedule, HalvesItsBoxesDownToTwoCells) {
    const auto schedule = default_schedule({{207, 77, 26}, {}, {1, 1, 1}});
    ASSERT_EQ(schedule.size(), 6U);
    EXPECT_EQ(schedule.front().cell, (SmoothingSize{102, 38, 12}));
    EXPECT_EQ(schedule.front().vertex, (SmoothingSize{103, 39, 13}));
    EXPECT_EQ(schedule.back().cell, (SmoothingSize{2, 2, 2}));
    validate(schedule);
    EXPECT_EQ(default_schedule({{207, 1, 26}, {}, {1, 1, 1}}).front().cell.y, 1);
}

TEST(Invert, RefusesVelocityInCells) {
    const KnownTruth survey = survey_2d();
    const Grid& grid = survey.start.grid();
    const Model cells = Model::of_cells(grid, Field<float>(grid.cell_shape(), 2.0F));
    InversionOptions options;
    options.method = InversionMethod::hole;
    expect_error<InputError>([&] { invert(cells, survey.picks, options); }, "hole", "to_nodes");
}

TEST(SyntheticPicks, NoiseHasItsDeviationAndItsSeed) {
    const KnownTruth clean = survey_2d();
    const KnownTruth noisy = survey_2d(0.01);
    double sum = 0;
    double squares = 0;
    const auto n = static_cast<double>(clean.picks.arrivals.size());
    for (std::size_t p = 0; p < clean.picks.arrivals.size(); ++p) {
        const double noise = noisy.picks.arrivals[p].time - clean.picks.arrivals[p].time;
        sum += noise;
        squares += noise * noise;
        EXPECT_EQ(noisy.picks.arrivals[p].error, 0.01);
        EXPECT_GE(noisy.picks.arrivals[p].time, 0);
    }
    EXPECT_NEAR(sum / n, 0, 0.002);
    EXPECT_NEAR(std::sqrt(squares / n), 0.01, 0.002);
    EXPECT_EQ(survey_2d(0.01).picks.arrivals[7].time, noisy.picks.arrivals[7].time);
}

}  // namespace
}  // namespace fermat
