// The chain of paper 4: Vidale's expanding box, rays straight through cells, and smoothing by a
// table of sums.
#include <gtest/gtest.h>

#include "executions.hpp"
#include "tomography/inversion_surveys.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

using test::survey_3d;

TEST(PaperChain, VidaleCellsAndTableFindTheAnomalies) {
    const test::KnownTruth survey = survey_3d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.eikonal.solver = Solver::vidale;
    options.tracer = Tracer::cells;
    options.smoother = Smoother::table;
    options.schedule = {{3, {6, 6, 6}, {5, 5, 5}, 1, 1}, {5, {4, 4, 4}, {3, 3, 3}, 1, 1}};
    const InversionResult found = invert(survey.start, survey.picks, options, test::on_cpu());
    EXPECT_LT(found.history.back().misfit.rms, 0.4 * found.history.front().misfit.rms);
    EXPECT_GT(recovery(survey.start, survey.truth, found.model, found.coverage, 5).correlation,
              0.6);
    // The smoothers differ in work, and hardly in rounding.
    options.smoother = Smoother::basic;
    const InversionResult basic = invert(survey.start, survey.picks, options, test::on_cpu());
    EXPECT_NEAR(basic.history.back().misfit.rms, found.history.back().misfit.rms, 1e-6);
}

}  // namespace
}  // namespace fermat
