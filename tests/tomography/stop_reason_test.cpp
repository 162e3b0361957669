// What a run gives as the reason of its end is true.
#include "tomography/stop_reason.hpp"

#include <gtest/gtest.h>

#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "tomography/doubts.hpp"

namespace fermat {
namespace {

class KeptSmoothing : public testing::TestWithParam<InversionMethod> {};

TEST_P(KeptSmoothing, DoesNotEndAtATarget) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options;
    options.method = GetParam();
    options.gauss_newton.roughness.kind = Regularisation::second;
    const InversionResult free = invert(survey.start, survey.picks, options, test::on_cpu());
    ASSERT_EQ(free.reason, StopReason::target_chi2);
    for (const double factor : {1000.0, 0.01}) {
        options.gauss_newton.lambda = factor * free.history.back().lambda;
        const InversionResult kept = invert(survey.start, survey.picks, options, test::on_cpu());
        const double chi2 = kept.history.back().misfit.chi2;
        EXPECT_EQ(chi2 > 1, factor > 1) << chi2;
        EXPECT_EQ(kept.reason, StopReason::stagnation) << name_of(kept.reason);
        for (const std::string& doubt : doubts_about(survey.start, survey.picks, options, kept)) {
            EXPECT_EQ(doubt.find("no model was found"), std::string::npos) << doubt;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, KeptSmoothing,
                         testing::Values(InversionMethod::gauss_newton, InversionMethod::adjoint));

TEST(StopReason, IsThatOfTheCooling) {
    InversionOptions options;
    Cooling cooling(1, false);
    cooling.start(100);
    EXPECT_EQ(stop_reason(cooling, 5, options), StopReason::schedule_end);
    cooling.accepted(
        0.5, true);  // explained, and to be smoothed again: an end here is that of the count
    EXPECT_EQ(cooling.phase(), Cooling::Phase::relaxing);
    EXPECT_EQ(stop_reason(cooling, 0.5, options), StopReason::schedule_end);
    cooling.accepted(0.99, true);
    EXPECT_EQ(stop_reason(cooling, 0.99, options), StopReason::target_chi2);
    options.target_rms = 0.01;
    EXPECT_EQ(stop_reason(cooling, 0.99, options), StopReason::target_rms);
    // Of picks that were left out later.
    EXPECT_EQ(stop_reason(cooling, 1.2, options), StopReason::stagnation);

    Cooling kept(1, true);
    kept.start(100);
    kept.accepted(1.75, true);
    kept.accepted(1.74, true);
    EXPECT_EQ(stop_reason(kept, 1.74, {}), StopReason::stagnation);
    EXPECT_EQ(stop_reason(kept, 0.5, {}), StopReason::stagnation);
}

}  // namespace
}  // namespace fermat
