// Memory is estimated before the start: near what rows become, and with a way out where it is too
// much.
#include "tomography/gauss_newton/memory_estimate.hpp"

#include <gtest/gtest.h>

#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/predict.hpp"

namespace fermat {
namespace {

double entries_made(const test::KnownTruth& survey, Index3 ratio) {
    const Parameters parameters(survey.start, ratio, VelocityBounds());
    const std::vector<double> x(parameters.unknowns().size(), 0.0);
    const Prediction prediction = predict(survey.start, survey.picks, parameters.unknowns(),
                                          parameters.slopes_at(x, 1), RayOptions(), test::on_cpu());
    double entries = 0;
    for (const RowLot& lot : prediction.rows) entries += static_cast<double>(lot.rows.entries());
    return entries;
}

TEST(MemoryEstimate, RowsHaveAboutAsManyEntriesAsWereExpected) {
    for (const bool flat : {true, false}) {
        const test::KnownTruth survey = flat ? test::survey_2d() : test::survey_3d();
        for (const Index3 ratio : {Index3{1, 1, 1}, Index3{2, 2, 2}, Index3{4, 3, 3}}) {
            const MemoryPlan plan{survey.start.grid(), ratio};
            const double expected = estimate_memory(plan, survey.picks).entries;
            const double made = entries_made(survey, ratio);
            EXPECT_LT(made, 1.3 * expected) << flat << " " << ratio.x;
            EXPECT_GT(made, 0.5 * expected) << flat << " " << ratio.x;
        }
    }
}

/// Receivers on one face of a cube of so many nodes, sources on the other.
struct Large {
    Grid grid;
    Survey picks;
    explicit Large(int side) : grid{{side, side, side}, {0, 0, 0}, {10, 10, 10}} {
        const double far = 10.0 * (side - 1);
        for (int n = 0; n < 100; ++n) picks.events.push_back({far * n / 99, 0, 0});
        for (int n = 0; n < 100; ++n) picks.stations.push_back({far * n / 99, far, far});
        for (int s = 0; s < 100; ++s) {
            for (int r = 0; r < 100; ++r) picks.arrivals.push_back({s, r, 1, 0.1});
        }
    }
};

constexpr double giga = 1e9;

TEST(MemoryEstimate, RefusesWithCoarserUnknownsThatFit) {
    const Large large(201);
    MemoryPlan plan{large.grid, {1, 1, 1}};
    EXPECT_EQ(memory_refusal(plan, large.picks, {100 * giga, 0}), "");
    const std::string why = memory_refusal(plan, large.picks, {1 * giga, 0});
    EXPECT_EQ(why.rfind("8120601 unknowns and 10000 picks need about ", 0), 0U) << why;
    EXPECT_NE(why.find("this machine has 1 GB (use `unknown_ratio=3,3,3`, which needs about 0."),
              std::string::npos)
        << why;
    plan.ratio = {3, 3, 3};
    EXPECT_EQ(memory_refusal(plan, large.picks, {1 * giga, 0}), "");
}

TEST(MemoryEstimate, RefusesWithACoarserGridWhereUnknownsAreNotWhatIsTooMuch) {
    const Large large(401);
    const MemoryPlan plan{large.grid, {20, 20, 20}};
    const std::string why = memory_refusal(plan, large.picks, {1 * giga, 0});
    EXPECT_NE(why.find("(use a grid of `spacing=20`, which needs about "), std::string::npos)
        << why;
}

TEST(MemoryEstimate, ADeviceIsToldOfAndRanksShareRows) {
    const Large large(201);
    MemoryPlan plan{large.grid, {1, 1, 1}};
    plan.cuda = true;
    const std::string why = memory_refusal(plan, large.picks, {100 * giga, 1 * giga});
    EXPECT_NE(why.find("and the CUDA device has 1 GB (use `unknown_ratio="), std::string::npos)
        << why;
    MemoryPlan shared = plan;
    shared.ranks = 4;
    EXPECT_LT(estimate_memory(shared, large.picks).rows,
              0.4 * estimate_memory(plan, large.picks).rows);
}

TEST(MemoryEstimate, TheTargetFitsItsDevice) {
    // 10^6 unknowns and 2 10^5 picks on an H200, in 40 GB.
    Large large(100);
    Survey many = large.picks;
    for (int n = 1; n < 20; ++n) {
        many.arrivals.insert(many.arrivals.end(), large.picks.arrivals.begin(),
                             large.picks.arrivals.end());
    }
    MemoryPlan plan{large.grid, {1, 1, 1}};
    plan.cuda = true;
    plan.threads = 16;
    const MemoryEstimate needs = estimate_memory(plan, many);
    EXPECT_EQ(needs.unknowns, 1000000U);
    EXPECT_LT(needs.device(), 10 * giga);
    EXPECT_LT(needs.host(), 20 * giga);
}

}  // namespace
}  // namespace fermat
