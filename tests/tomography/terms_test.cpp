#include "tomography/gauss_newton/term_unknowns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fermat {
namespace {

/// Every source with every receiver.
Survey square_survey(int sources, int receivers) {
    Survey picks;
    picks.events.resize(static_cast<std::size_t>(sources));
    picks.stations.resize(static_cast<std::size_t>(receivers));
    for (int s = 0; s < sources; ++s) {
        for (int r = 0; r < receivers; ++r) picks.arrivals.push_back({s, r, 1.0, 0.1});
    }
    return picks;
}

RowLot lot_of_all(const Survey& picks) {
    RowLot lot;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        lot.picks.push_back(static_cast<std::int32_t>(n));
        const bool lost = n == 3;
        if (!lost) {
            lot.rows.column.push_back(static_cast<std::int32_t>(n % 5));
            lot.rows.value.push_back(2.0F);
        }
        lot.rows.start.push_back(static_cast<std::int64_t>(lot.rows.column.size()));
    }
    return lot;
}

TEST(TermUnknowns, ExtendedRowsAreDerivativesOfTheTimesThatTermsAdd) {
    const Survey picks = square_survey(3, 4);
    const std::vector<double> errors(picks.arrivals.size(), 0.1);
    for (const Terms kind : {Terms::shot, Terms::receiver, Terms::both}) {
        constexpr std::size_t grid = 5;
        const TermUnknowns terms(picks, kind, errors, grid);
        RowLot lot = lot_of_all(picks);
        terms.extend(lot);
        std::vector<double> x(grid + terms.size(), 0.0);
        for (std::size_t u = grid; u < x.size(); ++u) x[u] = 0.3 * static_cast<double>(u);
        for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
            double sum = 0;
            for (auto e = lot.rows.start[n]; e < lot.rows.start[n + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                const auto column = static_cast<std::size_t>(lot.rows.column[entry]);
                if (column >= grid) sum += static_cast<double>(lot.rows.value[entry]) * x[column];
            }
            EXPECT_NEAR(sum, n == 3 ? 0 : terms.time_of(x, n), 1e-6);
        }
        EXPECT_EQ(terms.damping().size(), terms.size());
        EXPECT_EQ(terms.found(x).shot.size() + terms.found(x).receiver.size(), terms.size());
    }
}

TEST(TermUnknowns, NoneLeaveRowsAndTimesAsTheyAre) {
    const Survey picks = square_survey(3, 4);
    const std::vector<double> errors(picks.arrivals.size(), 0.1);
    const TermUnknowns terms(picks, Terms::none, errors, 5);
    RowLot lot = lot_of_all(picks);
    terms.extend(lot);
    EXPECT_EQ(lot.rows.column, lot_of_all(picks).rows.column);
    EXPECT_EQ(terms.time_of(std::vector<double>(5, 1.0), 0), 0);
}

TEST(TermShares, OfNoiseAreNothingAndOfStaticsTheirPart) {
    const Survey picks = square_survey(20, 30);
    std::mt19937 engine(3);
    std::normal_distribution<double> normal;
    std::vector<double> residual(picks.arrivals.size());
    for (double& r : residual) r = normal(engine);
    const TermShares noise = term_shares(picks, residual);
    EXPECT_LT(noise.shot, 0.05);
    EXPECT_LT(noise.receiver, 0.05);
    std::vector<double> late(30);
    for (double& r : late) r = normal(engine);
    for (std::size_t n = 0; n < residual.size(); ++n) {
        residual[n] += late[static_cast<std::size_t>(picks.arrivals[n].station)];
    }
    residual[7] = std::nan("");
    const TermShares statics = term_shares(picks, residual);
    EXPECT_LT(statics.shot, 0.05);
    EXPECT_NEAR(statics.receiver, 0.5, 0.15);
}

TEST(TermShares, NoiseOfFewPicksHasHardlyEverAny) {
    std::mt19937 engine(2);
    std::normal_distribution<double> normal;
    constexpr int trials = 300;
    int shares = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const Survey picks = square_survey(2 + trial % 3, 15);
        std::vector<double> residual(picks.arrivals.size());
        for (double& r : residual) r = normal(engine);
        const TermShares found = term_shares(picks, residual);
        if (found.shot > 0 || found.receiver > 0) ++shares;
    }
    EXPECT_LT(shares, trials / 20);
}

}  // namespace
}  // namespace fermat
