#include "tomography/start/ground_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tomography/start/survey_points.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {
namespace {

double hill(double x) { return -4 * std::exp(-std::pow((x - 50) / 20, 2)); }

struct Line {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;

    /// All pairs, at 1000 lengths per time.
    SurveyShape shape() const {
        Survey picks = survey_of(sources, receivers);
        for (Arrival& pick : picks.arrivals) {
            pick.time =
                norm(picks.event_of(pick).position - picks.station_of(pick).position) / 1000;
        }
        return survey_shape(picks);
    }
};

/// 41 receivers over a hill, sources every 10 at a depth below the ground.
Line over_a_hill(double depth) {
    Line line;
    for (int n = 0; n <= 40; ++n) line.receivers.push_back({2.5 * n, 0, hill(2.5 * n)});
    for (int n = 0; n <= 10; ++n) line.sources.push_back({{10.0 * n, 0, hill(10.0 * n) + depth}});
    return line;
}

TEST(GroundPoints, SourcesOnTheGroundAreOnIt) {
    const SurveyShape shape = over_a_hill(0).shape();
    EXPECT_TRUE(shape.along_surface);
    EXPECT_EQ(shape.ground.buried, 0U);
    ASSERT_TRUE(ground_of(shape));
    EXPECT_NEAR(ground_of(shape)->at(50), -4, 1e-9);
}

TEST(GroundPoints, ShotsInHolesStayASurveyAlongTheGround) {
    for (const double depth : {0.5, 1.0, 4.0, 8.0}) {
        Line line = over_a_hill(depth);
        line.sources.push_back({{-30, 0, hill(-30) + depth}});  // beyond the receivers
        const SurveyShape shape = line.shape();
        EXPECT_TRUE(shape.along_surface) << depth;
        EXPECT_EQ(shape.ground.buried, 12U) << depth;
        ASSERT_TRUE(ground_of(shape));
        EXPECT_NEAR(ground_of(shape)->at(50), -4, 1e-9) << depth;
        EXPECT_NEAR(ground_of(shape)->at(-30), 0, 1e-6) << depth;
    }
}

TEST(GroundPoints, ABoreholeBelowAHillLeavesTheGround) {
    Line line = over_a_hill(0);
    for (int n = 1; n <= 12; ++n) line.sources.push_back({{30, 0, 2.5 * n}});
    const SurveyShape shape = line.shape();
    EXPECT_FALSE(shape.along_surface);
    EXPECT_FALSE(shape.crosses);
    EXPECT_EQ(shape.ground.buried, 12U);
    EXPECT_TRUE(shape.ground.dives);
    ASSERT_TRUE(ground_of(shape));
    EXPECT_NEAR(ground_of(shape)->at(50), -4, 1e-9);
}

TEST(GroundPoints, BoreholesHaveNoGroundAndAreCrossed) {
    Line line;
    for (int n = 0; n < 13; ++n) {
        line.sources.push_back({{0.02 * n, 0, 1 + 1.5 * n}});  // not quite upright
        line.receivers.push_back({8, 0, 1 + 1.5 * n});
    }
    const SurveyShape shape = line.shape();
    EXPECT_FALSE(shape.along_surface);
    EXPECT_TRUE(shape.crosses);
    EXPECT_FALSE(ground_of(shape));
}

TEST(GroundPoints, FewEarthquakesAreNoGround) {
    std::mt19937 engine(4);
    std::uniform_real_distribution<double> one;
    for (const int events : {5, 20, 60}) {
        Line line;
        for (int n = 0; n < events; ++n) {
            line.sources.push_back({{80 * one(engine), 80 * one(engine), 2 + 18 * one(engine)}});
        }
        for (int n = 0; n < 15; ++n) {
            line.receivers.push_back({80 * one(engine), 80 * one(engine), -0.5 * one(engine)});
        }
        const SurveyShape shape = line.shape();
        EXPECT_FALSE(shape.along_surface) << events;
        EXPECT_FALSE(ground_of(shape)) << events;
    }
}

TEST(SurveyShape, ATenthOfWildPicksDoesNotMakeTheGroundFast) {
    Line line = over_a_hill(0);
    Survey picks = survey_of(line.sources, line.receivers);
    int number = 0;
    for (Arrival& pick : picks.arrivals) {
        const double far = norm(picks.event_of(pick).position - picks.station_of(pick).position);
        pick.time = far / (number++ % 12 == 0 ? 1e6 : 1000);
    }
    EXPECT_LE(survey_shape(picks).fastest, 2001);
}

TEST(SurveyPoints, OnAStraightLineAreToldInAnyDirectionAndOnlyThere) {
    const Line line = over_a_hill(0);
    const auto turned = [&](double angle, double aside) {
        const auto turn = [&](Vec3 p, double off) {
            return Vec3{std::cos(angle) * p.x - std::sin(angle) * off,
                        std::sin(angle) * p.x + std::cos(angle) * off, p.z};
        };
        Line out;
        for (const PointSource& source : line.sources)
            out.sources.push_back({turn(source.position, 0)});
        for (const Vec3 point : line.receivers) out.receivers.push_back(turn(point, 0));
        out.receivers[20] = turn(line.receivers[20], aside);
        return survey_of(out.sources, out.receivers);
    };
    for (const double angle : {0.0, 0.7, 1.5707963267948966}) {
        EXPECT_TRUE(points_on_line(turned(angle, 0.9)));
        EXPECT_FALSE(points_on_line(turned(angle, 1.2)));
    }
    const std::vector<PointSource> at_one_place{{{1, 2, 3}}};
    EXPECT_TRUE(points_on_line(survey_of(at_one_place, std::vector{Vec3{1, 2, 3}, Vec3{4, 2, 3}})));
    EXPECT_FALSE(points_on_line(survey_of(at_one_place, std::vector{Vec3{1, 2, 9}})));
}

TEST(CommonDelay, IsSaidWhereTimesDoNotComeToZeroAtTheShots) {
    std::vector<PointSource> shots;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 24; ++n) receivers.push_back({2.0 * n, 0, 0});
    for (int n = 0; n < 5; ++n) shots.push_back({{10.0 * n + 1, 0, 0}, 0});
    // A gradient below the surface (Slotnick 1959), 300 at the top.
    const auto late_by = [&](double delay) {
        Survey picks = survey_of(shots, receivers);
        for (Arrival& pick : picks.arrivals) {
            const double x = norm(picks.event_of(pick).position - picks.station_of(pick).position);
            constexpr double gradient = 40;
            pick.time = delay + 2 / gradient * std::asinh(gradient * x / (2 * 300));
        }
        return picks;
    };
    EXPECT_FALSE(common_delay(late_by(0)));
    EXPECT_FALSE(common_delay(late_by(0.001)));
    const auto early = common_delay(late_by(-0.003));
    ASSERT_TRUE(early);
    EXPECT_NE(early->find("trigger that is late"), std::string::npos) << *early;
    const auto said = common_delay(late_by(0.02));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("5 shots say about 0.0"), std::string::npos) << *said;
    EXPECT_NE(said->find("delay common to all picks"), std::string::npos) << *said;
}

TEST(CommonDelay, IsSaidBetweenBoreholesWhereItIsMuchOfTheTimes) {
    std::vector<PointSource> shots;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 12; ++n) shots.push_back({{0, 0, 1.5 * n}, 0});
    for (int n = 0; n < 12; ++n) receivers.push_back({10, 0, 1.5 * n});
    // Layers of 1.9 and 2.1: the mean along a straight way.
    const auto late_by = [&](double delay) {
        Survey picks = survey_of(shots, receivers);
        for (Arrival& pick : picks.arrivals) {
            const Vec3 from = picks.event_of(pick).position;
            const Vec3 to = picks.station_of(pick).position;
            const double middle = (from.z + to.z) / 2;
            pick.time = delay + norm(to - from) / (middle < 8 ? 1.9 : 2.1);
        }
        return picks;
    };
    EXPECT_FALSE(delay_between_boreholes(late_by(0)));
    EXPECT_FALSE(delay_between_boreholes(late_by(0.1)));
    for (const double delay : {1.5, -1.5}) {
        const auto said = delay_between_boreholes(late_by(delay));
        ASSERT_TRUE(said) << delay;
        EXPECT_NE(said->find("`terms=common`"), std::string::npos) << *said;
    }
}

}  // namespace
}  // namespace fermat
