#include "tomography/start/pick_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random_stream.hpp"

namespace fermat {
namespace {

/// A line of 24 receivers with a shot at every fourth, over a gradient below the surface (Slotnick
/// 1959), 300 at the top, with noise.
struct CheckedLine {
    std::vector<PointSource> shots;
    std::vector<Vec3> receivers;

    CheckedLine() {
        for (int n = 0; n < 24; ++n) receivers.push_back({2.0 * n, 0, 0});
        for (int n = 0; n < 24; n += 4) shots.push_back({{2.0 * n, 0, 0}, 0});
    }
    Survey picks(double noise, double scale = 1) const {
        Survey survey = survey_of(shots, receivers);
        survey.is_2d = true;
        RandomStream random(7, 0);
        const std::vector<double> normals = random.normals(survey.arrivals.size());
        for (std::size_t n = 0; n < normals.size(); ++n) {
            Arrival& pick = survey.arrivals[n];
            const double x =
                norm(survey.event_of(pick).position - survey.station_of(pick).position);
            constexpr double gradient = 40;
            pick.time =
                scale * 2 / gradient * std::asinh(gradient * x / (2 * 300)) + noise * normals[n];
            pick.error = 0.001;
        }
        survey.has_errors = true;
        return survey;
    }
};

TEST(PickChecks, PathsPickedBothWaysTellTheErrorsOfThePicks) {
    const Survey picks = CheckedLine().picks(0.004);
    const RepeatedPaths found = reciprocal_pairs(picks, 2);
    EXPECT_EQ(found.pairs, 15u);  // of 6 shots
    EXPECT_NEAR(found.error, 0.004, 0.002);
    const auto said = say_reciprocals(picks, found);
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("times too small: 15 paths"), std::string::npos) << *said;
    EXPECT_NE(said->find("`error=0.00"), std::string::npos) << *said;
    const Survey right = CheckedLine().picks(0.001);
    EXPECT_FALSE(say_reciprocals(right, reciprocal_pairs(right, 2)));
}

TEST(PickChecks, AShotTenMetresOffIsNamed) {
    CheckedLine line;
    const Survey good = line.picks(0.0005);
    const SurveyShape shape = survey_shape(good);
    EXPECT_FALSE(misplaced_shots(good, shape));
    Survey moved = good;
    moved.events[3].position.x += 10;
    const auto said = misplaced_shots(moved, survey_shape(moved));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("1 of 6 shots is not where its first arrivals are: 3 (10 from"),
              std::string::npos)
        << *said;
}

TEST(PickChecks, PicksThatComeAgainAreCounted) {
    Survey picks = CheckedLine().picks(0.0005);
    EXPECT_FALSE(say_duplicates(duplicates(picks)));
    for (int n = 0; n < 3; ++n) {
        picks.arrivals.push_back(picks.arrivals[static_cast<std::size_t>(n)]);
        picks.arrivals.back().time += 0.01;
    }
    const auto said = say_duplicates(duplicates(picks));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("3 picks come again"), std::string::npos) << *said;
    EXPECT_NE(said->find("differ by 0.01"), std::string::npos) << *said;
}

TEST(PickChecks, AShotAtThePlaceOfAnotherIsNamed) {
    const Survey good = CheckedLine().picks(0.0005);
    EXPECT_FALSE(double_shots(good, 2));
    Survey moved = good;
    moved.events[4].position = moved.events[1].position;
    const auto said = double_shots(moved, 2);
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("shot 1 and 4 (24 receivers"), std::string::npos) << *said;
    // Files without names of shots make one of two at one place.
    for (Arrival& pick : moved.arrivals) {
        if (pick.event == 4) pick.event = 1;
    }
    const auto one = double_shots(moved, 2);
    ASSERT_TRUE(one);
    EXPECT_NE(one->find("shot 1 (24 receivers"), std::string::npos) << *one;
    // A shot that was fired twice.
    Survey again = good;
    for (const Arrival& pick : good.arrivals) {
        if (pick.event == 1) again.arrivals.push_back(pick);
    }
    EXPECT_FALSE(double_shots(again, 2));
}

TEST(PickChecks, AGeometryThatCannotTellIsNamed) {
    CheckedLine line;
    EXPECT_FALSE(weak_geometry(line.picks(0), survey_shape(line.picks(0))));
    line.shots.resize(1);
    const Survey one = line.picks(0);
    const auto said = weak_geometry(one, survey_shape(one));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("all picks are of one shot"), std::string::npos) << *said;
    CheckedLine two;
    two.receivers.resize(2);
    const auto few = weak_geometry(two.picks(0), survey_shape(two.picks(0)));
    ASSERT_TRUE(few);
    EXPECT_NE(few->find("more receivers along the line would tell"), std::string::npos) << *few;
    Survey forth = CheckedLine().picks(0);
    std::erase_if(forth.arrivals, [&](const Arrival& pick) {
        return forth.station_of(pick).position.x < forth.event_of(pick).position.x;
    });
    const auto one_way = weak_geometry(forth, survey_shape(forth));
    ASSERT_TRUE(one_way);
    EXPECT_NE(one_way->find("one side of their shots"), std::string::npos) << *one_way;
}

/// 12 points in each of two boreholes of 24, 10 apart.
Survey between_boreholes(int shots, double apart) {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 12; ++n) receivers.push_back({apart, 0, 2.0 * n + 1});
    for (int n = 0; n < shots; ++n) sources.push_back({{0, 0, 2.0 * n}, 0});
    Survey survey = survey_of(sources, receivers);
    survey.is_2d = true;
    for (Arrival& pick : survey.arrivals) {
        pick.time = norm(survey.event_of(pick).position - survey.station_of(pick).position) / 2;
    }
    return survey;
}

TEST(PickChecks, BoreholesThatCannotTellAreNamed) {
    const Survey many = between_boreholes(12, 10);
    EXPECT_FALSE(weak_geometry(many, survey_shape(many)));
    const Survey one = between_boreholes(1, 10);
    const auto said = weak_geometry(one, survey_shape(one));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("all picks are of one shot (this geometry cannot tell where on its rays"),
              std::string::npos)
        << *said;
    const Survey swapped = between_boreholes(12, 0);
    const auto above = weak_geometry(swapped, survey_shape(swapped));
    ASSERT_TRUE(above);
    EXPECT_NE(above->find("are distances and depths swapped?"), std::string::npos) << *above;
}

TEST(PickChecks, NoRockIsAsFastAsFeetInMetres) {
    EXPECT_FALSE(impossible_velocities(survey_shape(CheckedLine().picks(0))));
    const auto said = impossible_velocities(survey_shape(CheckedLine().picks(0, 0.05)));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("feet"), std::string::npos) << *said;
}

}  // namespace
}  // namespace fermat
