// The survey that bending is measured on: its numbers, and the same bits from the same seed.
#include "bench/costa_rica.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat::bench {
namespace {

/// FNV-1a over the bytes of values.
template <class T>
std::uint64_t hash(const T* values, std::size_t count, std::uint64_t h = 14695981039346656037ULL) {
    for (std::size_t n = 0; n < count; ++n) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &values[n], sizeof(T));
        for (const unsigned char byte : bytes) h = (h ^ byte) * 1099511628211ULL;
    }
    return h;
}

TEST(CostaRica, IsTheSetOfPaper3) {
    const LocalSurvey local = costa_rica_survey();
    const Survey& survey = local.survey;
    EXPECT_EQ(survey.events.size(), 1079U);
    EXPECT_EQ(survey.stations.size(), 129U);
    EXPECT_EQ(survey.arrivals.size(), 24285U);
    const Grid& grid = local.model.grid();
    EXPECT_EQ(grid.far_corner(), (Vec3{300, 250, 120}));
    EXPECT_EQ(grid.spacing, (Vec3{5, 5, 5}));
    for (const Event& e : survey.events) EXPECT_TRUE(grid.contains(e.position));
    for (const Station& s : survey.stations) EXPECT_TRUE(grid.contains(s.position));
    const auto deep = std::count_if(survey.events.begin(), survey.events.end(),
                                    [](const Event& e) { return e.position.z > 60; });
    EXPECT_GT(deep, 0);
    EXPECT_LT(deep, 200);
    std::set<std::pair<int, int>> pairs;
    std::set<int> sources;
    std::set<int> stations;
    for (const Arrival& pair : survey.arrivals) {
        pairs.emplace(pair.event, pair.station);
        sources.insert(pair.event);
        stations.insert(pair.station);
    }
    EXPECT_EQ(pairs.size(), 24285U);
    EXPECT_GT(sources.size(), 1000U);
    EXPECT_EQ(stations.size(), 129U);
}

TEST(CostaRica, ColumnsAlternateByTenPercent) {
    const LocalSurvey local = costa_rica_survey();
    const auto v = local.model.velocity();
    for (int k = 0; k < local.model.grid().shape.z; ++k) {
        EXPECT_NEAR(v(0, 0, k) / v(4, 0, k), 1.1 / 0.9, 1e-6);
        EXPECT_EQ(v(0, 0, k), v(3, 3, k));
        EXPECT_EQ(v(0, 0, k), v(4, 4, k));
        if (k > 0) {
            EXPECT_GT(v(0, 0, k), v(0, 0, k - 1));
        }
    }
}

// A number written down: another machine, compiler or option that changes a bit is seen.
TEST(CostaRica, SameBitsEverywhere) {
    const LocalSurvey local = costa_rica_survey();
    const Survey& survey = local.survey;
    std::vector<Vec3> sources;
    std::vector<Vec3> stations;
    std::vector<RayPair> pairs;
    for (const Event& e : survey.events) sources.push_back(e.position);
    for (const Station& s : survey.stations) stations.push_back(s.position);
    for (const Arrival& a : survey.arrivals) pairs.push_back({a.event, a.station});
    EXPECT_EQ(hash(sources.data(), sources.size()), 8721311975009334601ULL);
    EXPECT_EQ(hash(stations.data(), stations.size()), 1811881623606331473ULL);
    EXPECT_EQ(hash(pairs.data(), pairs.size()), 16234593718620121241ULL);
    EXPECT_EQ(hash(local.model.velocity().data(), local.model.velocity().size()),
              15830930443422982739ULL);
    EXPECT_NE(costa_rica_survey({1079, 129, 24285, 2}).survey.events, survey.events);
}

TEST(CostaRica, CountsThatCannotBeHad) {
    test::expect_error<InputError>(
        [] {
            costa_rica_survey({0, 129, 1, 1});
        },
        "sources of the survey is 0");
    test::expect_error<InputError>(
        [] {
            costa_rica_survey({5, 0, 1, 1});
        },
        "stations of the survey is 0");
    test::expect_error<InputError>(
        [] {
            costa_rica_survey({2, 3, 7, 1});
        },
        "pairs of the survey is 7 (must be from 1 to 6");
    EXPECT_EQ(costa_rica_survey({2, 3, 6, 1}).survey.arrivals.size(), 6U);
}

}  // namespace
}  // namespace fermat::bench
