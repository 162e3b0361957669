#include <gtest/gtest.h>

#include <cmath>

#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "thread_ranks.hpp"
#include "tomography/validation/choose_schedule.hpp"
#include "tomography/validation/choose_smoothing.hpp"

namespace fermat {
namespace {

constexpr double noise = 0.01;

struct Case {
    test::KnownTruth survey = test::survey_2d(noise);
    InversionOptions options;

    Case() {
        options.method = InversionMethod::gauss_newton;
        options.gauss_newton.roughness.kind = Regularisation::second;
        options.gauss_newton.ratio = {3, 1, 3};
    }
    double error_of(const Model& model) const {
        double sum = 0;
        for (std::size_t s = 0; s < model.given().size(); ++s) {
            const double off = std::log(model.given()[s] / survey.truth.given()[s]);
            sum += off * off;
        }
        return std::sqrt(sum / static_cast<double>(model.given().size()));
    }
};

TEST(Validation, OfTheTruthIsTheNoise) {
    const Case given;
    for (const PickUnit unit : {PickUnit::shots, PickUnit::picks}) {
        const auto folds = folds_of(given.survey.picks, {4, unit, 2});
        ASSERT_EQ(folds.size(), 4U);
        for (const Fold& fold : folds) {
            const FoldScore score =
                score_of(given.survey.truth, fold, given.options, test::on_cpu(2));
            EXPECT_NEAR(score.held_out, 1, 0.15);
            EXPECT_NEAR(score.fitted, 1, 0.1);
        }
    }
}

TEST(Validation, TellsAModelThatFitsNoiseFromOneThatDoesNot) {
    Case given;
    const auto score = [&](double lambda) {
        given.options.gauss_newton.lambda = lambda;
        return cross_validate_run(given.survey.start, given.survey.picks, given.options,
                                  {3, PickUnit::shots, 1}, test::on_cpu(2))
            .score;
    };
    const SmoothingChoice choice =
        choose_smoothing(given.survey.start, given.survey.picks, given.options,
                         {3, PickUnit::shots, 1}, test::on_cpu(2));
    const FoldScore rough = score(choice.lambda * 1e-5);
    const FoldScore good = score(choice.lambda);
    const FoldScore smooth = score(choice.lambda * 1e5);
    EXPECT_LT(rough.fitted, good.fitted);
    EXPECT_LT(good.held_out, rough.held_out);
    EXPECT_LT(good.held_out, smooth.held_out);
    EXPECT_GT(smooth.fitted, good.fitted);
}

TEST(Validation, ChoosesSmoothingNearThatOfChi2One) {
    const Case given;
    const auto chosen = [&](const Execution& execution) {
        return choose_smoothing(given.survey.start, given.survey.picks, given.options,
                                {4, PickUnit::picks, 1}, execution);
    };
    const SmoothingChoice choice = chosen(test::on_cpu(2));
    const InversionResult occam =
        invert(given.survey.start, given.survey.picks, given.options, test::on_cpu(2));
    InversionOptions kept = given.options;
    kept.gauss_newton.lambda = choice.lambda;
    const InversionResult run =
        invert(given.survey.start, given.survey.picks, kept, test::on_cpu(2));
    EXPECT_NEAR(run.history.back().misfit.chi2, 1, 0.15);
    EXPECT_LT(given.error_of(run.model), 1.15 * given.error_of(occam.model));
    for (std::size_t n = 1; n < choice.table.size(); ++n) {
        EXPECT_LT(choice.table[n].lambda, choice.table[n - 1].lambda);
    }
    const auto errors = test::on_ranks(3, [&](Ranks& ranks) {
        EXPECT_EQ(chosen({3, Device::cpu, silent_monitor(), ranks}).lambda, choice.lambda);
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(Validation, ChoosesSmoothingWithoutErrors) {
    Case given;
    given.survey.picks.has_errors = false;
    given.options.target_rms = noise;
    const SmoothingChoice choice =
        choose_smoothing(given.survey.start, given.survey.picks, given.options,
                         {4, PickUnit::picks, 1}, test::on_cpu(2));
    given.options.gauss_newton.lambda = choice.lambda;
    const InversionResult run =
        invert(given.survey.start, given.survey.picks, given.options, test::on_cpu(2));
    EXPECT_NEAR(run.history.back().misfit.rms, noise, 0.15 * noise);
    double least = 1;
    for (const SmoothingScore& row : choice.table) least = std::min(least, row.score.held_out);
    EXPECT_NEAR(least, noise, 0.3 * noise);
}

TEST(Validation, FindsAScheduleThatEndsBeforeNoiseIsFitted) {
    Case given;
    given.options.method = InversionMethod::hole;
    const auto chosen = [&](const Execution& execution) {
        return choose_schedule(given.survey.start, given.survey.picks, given.options,
                               {3, PickUnit::shots, 1}, execution);
    };
    const ScheduleChoice choice = chosen(test::on_cpu(2));
    ASSERT_FALSE(choice.schedule.empty());
    validate(choice.schedule);
    const InversionResult fixed =
        invert(given.survey.start, given.survey.picks, given.options, test::on_cpu(2));
    InversionOptions with = given.options;
    with.schedule = choice.schedule;
    const InversionResult found =
        invert(given.survey.start, given.survey.picks, with, test::on_cpu(2));
    std::printf("default schedule: error %.4f; found: %.4f in %d iterations, chi2 %.3f\n",
                given.error_of(fixed.model), given.error_of(found.model),
                found.history.back().iteration, found.history.back().misfit.chi2);
    EXPECT_LT(given.error_of(found.model), 1.02 * given.error_of(fixed.model));
    const auto errors = test::on_ranks(2, [&](Ranks& ranks) {
        EXPECT_EQ(chosen({3, Device::cpu, silent_monitor(), ranks}).schedule, choice.schedule);
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(Validation, RefusesFoldsThatCannotBe) {
    const Case given;
    EXPECT_THROW(folds_of(given.survey.picks, {1, PickUnit::shots, 1}), InputError);
    EXPECT_THROW(folds_of(given.survey.picks, {100, PickUnit::shots, 1}), InputError);
    InversionOptions hole;
    hole.method = InversionMethod::hole;
    EXPECT_THROW(
        choose_smoothing(given.survey.start, given.survey.picks, hole, {}, test::on_cpu(2)),
        InputError);
}

}  // namespace
}  // namespace fermat
