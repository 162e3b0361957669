#include "tomography/outlier_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "tomography/doubts.hpp"

namespace fermat {
namespace {

/// 12 shots and 48 receivers along a line of 48, and what became of their picks.
struct Line {
    Model model = gradient_model(Grid{{50, 1, 20}, {-1, 0, 0}, {1, 1, 1}}, 1, 0.1);
    Survey picks;
    std::vector<double> residual;
    std::vector<PickUse> use;

    Line() {
        std::vector<PointSource> sources;
        std::vector<Vec3> receivers;
        for (int n = 0; n < 12; ++n) sources.push_back({{4.0 * n + 0.5, 0, 0}, 0});
        for (int n = 0; n < 48; ++n) receivers.push_back({1.0 * n, 0, 0});
        picks = survey_of(sources, receivers);
        residual.assign(picks.arrivals.size(), 0.01);
        use.assign(picks.arrivals.size(), PickUse::used);
    }
    double distance(std::size_t n) const {
        const Arrival& pick = picks.arrivals[n];
        return norm(picks.event_of(pick).position - picks.station_of(pick).position);
    }
    void leave_out(std::size_t n, double by) {
        residual[n] = by;
        use[n] = PickUse::rejected;
    }
    OutlierGroups groups() const { return outlier_groups(model, picks, residual, use); }
};

TEST(OutlierGroups, ScatteredPicksHaveNothingInCommonEvenWhereAllAreLate) {
    for (const unsigned every : {20U, 7U, 4U}) {
        Line line;
        std::mt19937 engine(5);
        for (std::size_t n = 0; n < line.use.size(); ++n) {
            if (engine() % every == 0) line.leave_out(n, 0.5);
        }
        const OutlierGroups groups = line.groups();
        EXPECT_TRUE(groups.clustered.empty()) << every;
        EXPECT_TRUE(groups.points.empty()) << every;
    }
}

TEST(OutlierGroups, NearPicksThatAreAllEarlyAgree) {
    Line line;
    std::vector<std::int32_t> near;
    for (std::size_t n = 0; n < line.use.size(); ++n) {
        if (line.distance(n) > 2) continue;
        near.push_back(static_cast<std::int32_t>(n));
        line.leave_out(n, -0.3);
    }
    line.leave_out(40, 0.5);  // one that is far and late stays alone
    const OutlierGroups groups = line.groups();
    EXPECT_EQ(groups.clustered, near);
    EXPECT_TRUE(groups.points.empty());
    // As many to either side contradict each other.
    for (std::size_t n = 0; n < near.size(); n += 2) {
        line.leave_out(static_cast<std::size_t>(near[n]), 0.3);
    }
    EXPECT_TRUE(line.groups().clustered.empty());
}

TEST(OutlierGroups, AWholeShotOrReceiverIsNamedAndItsPicksStayOut) {
    Line line;
    for (std::size_t n = 0; n < line.use.size(); ++n) {
        const Arrival& pick = line.picks.arrivals[n];
        if (pick.event == 3) line.leave_out(n, 0.2);
        if (pick.station == 17) line.leave_out(n, -0.4);
    }
    const OutlierGroups groups = line.groups();
    EXPECT_TRUE(groups.clustered.empty());
    ASSERT_EQ(groups.points.size(), 2U);
    EXPECT_EQ(groups.points[0].kind, OutlyingPoint::Kind::shot);
    EXPECT_EQ(groups.points[0].number, 3);
    EXPECT_EQ(groups.points[0].left_out, 47);
    EXPECT_EQ(groups.points[0].picks, 48);
    EXPECT_EQ(groups.points[0].residual, 0.2);
    EXPECT_EQ(groups.points[1].kind, OutlyingPoint::Kind::receiver);
    EXPECT_EQ(groups.points[1].number, 17);
    EXPECT_EQ(groups.points[1].residual, -0.4);
}

TEST(OutlierGroups, AShotThatStoodElsewhereIsNamedWithItsShift) {
    for (const double shift : {3.0, -3.0}) {
        Line line;
        line.picks.is_2d = true;
        for (std::size_t n = 0; n < line.use.size(); ++n) {
            const Arrival& pick = line.picks.arrivals[n];
            const double x =
                line.picks.station_of(pick).position.x - line.picks.event_of(pick).position.x;
            line.picks.arrivals[n].time = std::abs(x - (pick.event == 5 ? shift : 0)) / 2;
            if (pick.event != 5 || std::abs(x) > 12) continue;
            line.leave_out(n, line.picks.arrivals[n].time - std::abs(x) / 2);
        }
        line.leave_out(7, 0.5);  // one that is wrong by itself
        const OutlierGroups groups = line.groups();
        ASSERT_EQ(groups.displaced.size(), 1U);
        EXPECT_EQ(groups.displaced[0].number, 5);
        EXPECT_GE(groups.displaced[0].left_out, 23);
        EXPECT_EQ(groups.displaced[0].picks, 48);
        EXPECT_NEAR(groups.displaced[0].shift, shift, 0.3);
    }
}

TEST(OutlierGroups, LostPicksAndSurveysOfFewPicksTellNothing) {
    Line line;
    for (std::size_t n = 0; n < line.use.size(); ++n) {
        line.residual[n] = std::nan("");
        line.use[n] = PickUse::lost;
    }
    EXPECT_TRUE(line.groups().clustered.empty());
    EXPECT_TRUE(line.groups().points.empty());
    const std::vector<std::int32_t> few{0, 1, 2, 3};
    line.picks = subset(line.picks, few);
    line.residual.assign(4, 1);
    line.use.assign(4, PickUse::rejected);
    EXPECT_TRUE(line.groups().clustered.empty());
    EXPECT_TRUE(line.groups().points.empty());
}

InversionOptions newton() {
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.gauss_newton.roughness.kind = Regularisation::second;
    options.update.min_velocity = 0.2;
    options.update.max_velocity = 10;
    return options;
}

bool says(const std::vector<std::string>& sentences, const std::string& what) {
    for (const std::string& one : sentences) {
        if (one.find(what) != std::string::npos) return true;
    }
    return false;
}

TEST(OutlierGroups, NearPicksAreTakenBackBeforeARunEndsAndGoesOnToTheSameBits) {
    Line line;
    const Model truth = test::anomalies(line.model);
    Survey picks = synthetic_picks(truth, line.picks, {0.05, 3}).picks;
    std::vector<std::size_t> near;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        if (line.distance(n) > 2) continue;
        picks.arrivals[n].time += 0.8;  // as slow ground at the top has it
        near.push_back(n);
    }
    picks.arrivals[100].time += 5;
    std::vector<InversionState> states;
    InversionListener listener;
    listener.update = [&](const InversionState& state) { states.push_back(state.copy()); };
    const InversionResult found = invert(line.model, picks, newton(), test::on_cpu(), listener);
    for (const std::size_t n : near) EXPECT_EQ(found.final_use[n], PickUse::used) << n;
    EXPECT_EQ(found.final_use[100], PickUse::rejected);
    EXPECT_GT(found.taken_back.size(), near.size() / 2);
    EXPECT_EQ(found.history.back().misfit.rejected, 1);
    const auto doubts = doubts_about(line.model, picks, newton(), found);
    EXPECT_TRUE(says(doubts, "picks that looked like outliers count"));
    ASSERT_GT(states.size(), 3U);
    for (InversionState& state : states) {
        const InversionResult rest =
            invert(line.model, picks, newton(), test::on_cpu(), {}, std::move(state));
        EXPECT_TRUE(test::same_bits(found, rest));
        EXPECT_EQ(rest.taken_back, found.taken_back);
    }
}

TEST(OutlierGroups, AShotThatIsWhollyLateStaysOutAndIsSaidByName) {
    test::KnownTruth survey = test::survey_2d(0.01);
    const InversionResult clean = invert(survey.start, survey.picks, newton(), test::on_cpu());
    survey.picks.events[4].id = "SP12";
    for (Arrival& pick : survey.picks.arrivals) {
        if (pick.event == 4) pick.time += 0.4;
    }
    const InversionResult found = invert(survey.start, survey.picks, newton(), test::on_cpu());
    EXPECT_TRUE(found.taken_back.empty());
    const auto score = [&](const InversionResult& run) {
        return recovery(survey.start, survey.truth, run.model, run.coverage, 1).correlation;
    };
    EXPECT_GT(score(found), score(clean) - 0.05);
    const auto doubts = doubts_about(survey.start, survey.picks, newton(), found);
    EXPECT_TRUE(says(doubts, "most picks of source SP12 (34 of 34 picks, late by 0."));
    const auto points =
        outlier_groups(survey.start, survey.picks, found.final_residual, found.final_use).points;
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(points[0].residual, 0.4, 0.02);
    EXPECT_FALSE(says(doubts_about(survey.start, survey.picks, newton(), clean), "source "));
}

}  // namespace
}  // namespace fermat
