#include "tomography/start/axis_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random_stream.hpp"

namespace fermat {
namespace {

/// A line of 48 receivers over a hill below which straight lines run, with a shot at every sixth.
Survey over_relief(double height) {
    const auto ground = [&](double x) {
        return Vec3{x, 0, -height * std::sin(std::numbers::pi * x / 94)};
    };
    std::vector<PointSource> shots;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 48; ++n) receivers.push_back(ground(2.0 * n));
    for (int n = 0; n < 48; n += 6) shots.push_back({ground(2.0 * n), 0});
    Survey survey = survey_of(shots, receivers);
    survey.is_2d = true;
    return survey;
}

/// Times of rock at 600 below delays of receivers that differ: along straight lines, as below a
/// hill, or along the ground, as in a refractor that follows it.
Survey with_times(Survey survey, bool straight) {
    RandomStream random(7, 0);
    const std::vector<double> noise = random.normals(survey.arrivals.size());
    const std::vector<double> delays = random.normals(survey.stations.size());
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        Arrival& pick = survey.arrivals[n];
        const Vec3 a = survey.event_of(pick).position;
        const Vec3 b = survey.station_of(pick).position;
        double way = norm(b - a);
        if (!straight) {
            // Receivers stand 2 apart, shots on every sixth.
            way = 0;
            const auto first = std::lround(std::min(a.x, b.x) / 2);
            const auto last = std::lround(std::max(a.x, b.x) / 2);
            for (auto i = first; i < last; ++i) {
                way += norm(survey.stations[static_cast<std::size_t>(i + 1)].position -
                            survey.stations[static_cast<std::size_t>(i)].position);
            }
        }
        if (!(way > 0)) continue;
        pick.time = 0.012 + 0.002 * delays[static_cast<std::size_t>(pick.station)] + way / 600 +
                    1e-4 * noise[n];
        pick.error = 1e-4;
    }
    std::erase_if(survey.arrivals, [](const Arrival& pick) { return !(pick.time > 0); });
    survey.has_errors = true;
    return survey;
}

Survey upside_down(Survey survey) {
    for (Event& event : survey.events) event.position.z *= -1;
    for (Station& station : survey.stations) station.position.z *= -1;
    return survey;
}

TEST(AxisChecks, AHillGivenAsAValleyIsNamed) {
    const Survey hill = with_times(over_relief(10), true);
    EXPECT_FALSE(mirrored_relief(hill, survey_shape(hill)));
    const Survey valley = upside_down(hill);
    const auto said = mirrored_relief(valley, survey_shape(valley));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("the points make a valley"), std::string::npos) << *said;
    EXPECT_NE(said->find("`heights`"), std::string::npos) << *said;
}

TEST(AxisChecks, AValleyIsNoHill) {
    // The refractor follows the ground: nothing is saved, whichever way the ground is given.
    const Survey along = with_times(over_relief(10), false);
    EXPECT_FALSE(mirrored_relief(along, survey_shape(along)));
    const Survey valley = upside_down(along);
    EXPECT_FALSE(mirrored_relief(valley, survey_shape(valley)));
    const Survey level = with_times(over_relief(0), true);
    EXPECT_FALSE(mirrored_relief(level, survey_shape(level)));
}

TEST(AxisChecks, OneGrossPickHidesNoHill) {
    Survey valley = upside_down(with_times(over_relief(10), true));
    valley.arrivals[40].time += 0.3;
    valley.arrivals[200].time += 0.2;
    EXPECT_TRUE(mirrored_relief(valley, survey_shape(valley)));
}

Survey exchanged_axes(Survey survey) {
    for (Event& event : survey.events) std::swap(event.position.x, event.position.z);
    for (Station& station : survey.stations) std::swap(station.position.x, station.position.z);
    return survey;
}

TEST(AxisChecks, ALineThatStandsOnItsEndIsNamed) {
    const Survey line = with_times(over_relief(10), true);
    EXPECT_FALSE(swapped_axes(line, survey_shape(line)));
    const Survey standing = exchanged_axes(line);
    const auto said = swapped_axes(standing, survey_shape(standing));
    ASSERT_TRUE(said);
    EXPECT_NE(said->find("are x and z exchanged?"), std::string::npos) << *said;
}

TEST(AxisChecks, BoreholesAreNoStandingLine) {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 24; ++n) {
        sources.push_back({{0, 0, 2.0 * n}, 0});
        receivers.push_back({10, 0, 2.0 * n + 1});
    }
    Survey survey = survey_of(sources, receivers);
    survey.is_2d = true;
    for (Arrival& pick : survey.arrivals) {
        pick.time = norm(survey.event_of(pick).position - survey.station_of(pick).position) / 2;
    }
    EXPECT_FALSE(swapped_axes(survey, survey_shape(survey)));
}

}  // namespace
}  // namespace fermat
