#include "tomography/gauss_newton/pick_hearing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "model/topography.hpp"
#include "tomography/start/survey_points.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// A hundred residuals with a mean square of 0.7, and some others behind them.
Vector residuals(const Vector& others) {
    Vector z;
    for (int n = 0; n < 100; ++n) z.push_back(1.2 * std::sin(n));
    z.insert(z.end(), others.begin(), others.end());
    return z;
}

constexpr double never = std::numeric_limits<double>::quiet_NaN();

TEST(PickHearing, AdmitsWhomAModelExplainsAndRejectsWhoComesNoNearer) {
    PickHearing hearing(DataNorm::trimmed, 4, true);
    const double deviation = spread_of(residuals({10, 30, never})).deviation;
    hearing.accept(residuals({10, 30, never}), 1);
    ASSERT_TRUE(hearing.is_hearing());
    EXPECT_EQ(hearing.use()[100], PickUse::rejected);
    EXPECT_EQ(hearing.use()[102], PickUse::lost);
    // They pull no harder than a pick at the limit.
    EXPECT_NEAR(hearing.weights()[100] * hearing.weights()[100] * 10, 4 * deviation, 1e-9);
    EXPECT_EQ(hearing.weights()[102], 0);

    hearing.accept(residuals({7, 29, never}), 1);
    EXPECT_TRUE(hearing.is_hearing());
    EXPECT_GT(hearing.weights()[100], 0);
    EXPECT_EQ(hearing.weights()[101], 0);  // rejected for good

    PickHearing resumed(DataNorm::trimmed, 4, true);
    resumed.restore(hearing.save());
    resumed.settle(residuals({7, 29, never}));
    EXPECT_EQ(resumed.weights(), hearing.weights());
    EXPECT_EQ(resumed.use(), hearing.use());

    hearing.accept(residuals({3, 2, never}), 1);
    EXPECT_FALSE(hearing.is_hearing());
    EXPECT_EQ(hearing.use()[100], PickUse::used);
    EXPECT_EQ(hearing.use()[101], PickUse::rejected);
    // A smoother model that loses an admitted pick still has to answer for it.
    EXPECT_EQ(hearing.uses(residuals({9, 2, never}))[100], PickUse::used);
}

TEST(PickHearing, IsNotHeldBeforeTheOthersAreExplainedNorWithoutOutliers) {
    PickHearing hearing(DataNorm::trimmed, 4, true);
    hearing.accept(residuals({10}), 0.5);
    EXPECT_FALSE(hearing.is_hearing());
    hearing.accept(residuals({}), 1);
    EXPECT_FALSE(hearing.is_hearing());
    EXPECT_EQ(hearing.save().phase, HearingPhase::open);
    PickHearing all(DataNorm::l2, 4, true);
    all.accept(residuals({50}), 100);
    EXPECT_EQ(all.use()[100], PickUse::used);
}

TEST(PickHearing, WhoWasTakenBackCountsForGoodAndOthersAreHeardAnew) {
    PickHearing hearing(DataNorm::trimmed, 4, true);
    hearing.accept(residuals({10, 30, never}), 1);
    hearing.accept(residuals({10, 30, never}), 1);
    ASSERT_FALSE(hearing.is_hearing());
    EXPECT_EQ(hearing.use()[100], PickUse::rejected);
    const std::vector<std::int32_t> agreeing{100, 102};
    hearing.take_back(agreeing);
    hearing.settle(residuals({10, 3, never}));
    EXPECT_EQ(hearing.use()[100], PickUse::used);
    EXPECT_EQ(hearing.weights()[100], 1);
    EXPECT_EQ(hearing.use()[101], PickUse::used);  // explained now
    EXPECT_EQ(hearing.use()[102], PickUse::lost);
    PickHearing resumed(DataNorm::trimmed, 4, true);
    resumed.restore(hearing.save());
    EXPECT_EQ(resumed.taken_back(), agreeing);
    EXPECT_EQ(resumed.uses(residuals({20, 30, never})), hearing.uses(residuals({20, 30, never})));
    EXPECT_EQ(resumed.uses(residuals({20, 30, never}))[101], PickUse::rejected);
}

TEST(NormWeights, AreThoseOfTheirNorms) {
    const Vector z = residuals({0.0, 5.0, 50.0});
    const auto use = uses_of(z, 4);
    ASSERT_EQ(use[102], PickUse::rejected);
    const double s = spread_of(z).deviation;
    const Vector huber = norm_weights(DataNorm::huber, z, use);
    EXPECT_EQ(huber[100], 1);
    EXPECT_NEAR(huber[101] * huber[101], 1.345 * s / 5, 1e-12);
    EXPECT_NEAR(huber[102] * huber[102], 1.345 * s / 50, 1e-12);
    const Vector l1 = norm_weights(DataNorm::l1, z, use);
    EXPECT_NEAR(l1[102] * l1[102], s / 50, 1e-12);
    EXPECT_TRUE(std::isfinite(l1[100]));
    EXPECT_EQ(norm_weights(DataNorm::trimmed, z, use)[102], 0);
}

InversionOptions newton(DataNorm norm) {
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.gauss_newton.roughness.kind = Regularisation::second;
    options.gauss_newton.norm = norm;
    options.update.min_velocity = 0.5;
    options.update.max_velocity = 10;
    return options;
}

class NormOf : public testing::TestWithParam<DataNorm> {};

TEST_P(NormOf, HardlyHearsGrossOutliersAndGoesOnToTheSameBits) {
    test::KnownTruth survey = test::survey_2d(0.01);
    for (std::size_t n = 7; n < survey.picks.arrivals.size(); n += 20) {
        survey.picks.arrivals[n].time += n % 3 == 0 ? 0.5 : 0.3;
    }
    std::vector<InversionState> states;
    InversionListener listener;
    listener.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const InversionOptions options = newton(GetParam());
    const InversionResult found =
        invert(survey.start, survey.picks, options, test::on_cpu(), listener);
    EXPECT_LE(found.history.back().misfit.chi2, 1);
    const double score =
        recovery(survey.start, survey.truth, found.model, found.coverage, 1).correlation;
    EXPECT_GT(score, 0.8);
    ASSERT_GT(states.size(), 3U);
    for (const std::size_t n : {states.size() - 2, states.size() - 3}) {
        const InversionResult rest =
            invert(survey.start, survey.picks, options, test::on_cpu(), {}, std::move(states[n]));
        EXPECT_TRUE(test::same_bits(found, rest));
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, NormOf,
                         testing::Values(DataNorm::trimmed, DataNorm::huber, DataNorm::l1));

TEST(Norms, L2LeavesNothingOutAndSaysSo) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = newton(DataNorm::l2);
    options.outliers = 3;
    EXPECT_THROW(validate(options, survey.picks, survey.start), InputError);
}

TEST(SurveyPoints, InAirAreCountedWithTheirDistanceAndPicks) {
    const test::KnownTruth survey = test::survey_2d();
    EXPECT_FALSE(points_in_air(survey.start, survey.picks).has_value());
    const std::vector<Vec3> ground{{0, 0, 1}, {8, 0, 1}};
    const Model cut = cut_by_surface(survey.start, Surface(Surface::Kind::line, ground));
    const auto said = points_in_air(cut, survey.picks);
    ASSERT_TRUE(said.has_value());
    // Sources along the top and one of the left side; receivers at the top of the right side.
    EXPECT_EQ(said->find("11 of 18 sources and 3 of 34 receivers lie in air, "), 0U) << *said;
    EXPECT_NE(said->find("from the rock at most"), std::string::npos);
}

TEST(SurveyPoints, OutsideAreCountedWithTheirDistance) {
    test::KnownTruth survey = test::survey_2d();
    survey.picks.stations[2].position.x += 1.5;
    survey.picks.stations[4].position.x += 2.5;
    try {
        require_points_inside(survey.start, survey.picks);
        FAIL();
    } catch (const InputError& error) {
        const std::string said = error.what();
        EXPECT_EQ(said.find("receiver 2 at "), 0U) << said;
        EXPECT_NE(said.find("2 of 52 points lie outside, by 2.5 at most"), std::string::npos)
            << said;
    }
}

}  // namespace
}  // namespace fermat
