#include "io/sgt.hpp"

#include <cstdlib>

#include "io/geometry.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;
using SgtTest = TempFolder;

TEST_F(SgtTest, HeightBecomesNegativeDepthAndIndicesCountFromOne) {
    put("a.sgt",
        "3 # points\n#x\ty\n0\t0\n1\t2.5\n4\t-1\n2 # measurements\n#s\tg\tt\n1\t3\t0.5\n"
        "2\t1\t0.25\n");
    const SgtSurvey survey = read_sgt(at("a.sgt"), notes);
    EXPECT_EQ(survey.points, (std::vector<Vec3>{{0, 0, 0}, {1, 0, -2.5}, {4, 0, 1}}));
    const Survey& picks = survey.picks;
    EXPECT_TRUE(picks.is_2d);
    EXPECT_FALSE(picks.has_errors);
    ASSERT_EQ(picks.arrivals.size(), 2u);
    EXPECT_EQ(picks.events[static_cast<std::size_t>(picks.arrivals[1].event)].position,
              (Vec3{1, 0, -2.5}));
    EXPECT_EQ(picks.stations[static_cast<std::size_t>(picks.arrivals[0].station)].position,
              (Vec3{4, 0, 1}));
    EXPECT_EQ(read_sources(at("a.sgt"), notes).size(), 2u);
}

TEST_F(SgtTest, ColumnsFollowTheirNamesIn3DWithErrors) {
    put("a.sgt", "2\r\n#x y z\r\n0 1 5\r\n3 4 6\r\n1\r\n#g s err t\r\n2 1 0.1 0.75 # remark\r\n");
    const SgtSurvey survey = read_sgt(at("a.sgt"), notes);
    EXPECT_EQ(survey.points, (std::vector<Vec3>{{0, 1, -5}, {3, 4, -6}}));
    EXPECT_FALSE(survey.picks.is_2d);
    EXPECT_TRUE(survey.picks.has_errors);
    EXPECT_EQ(survey.picks.events[0].position, survey.points[0]);
    EXPECT_EQ(survey.picks.arrivals[0].time, 0.75);
    EXPECT_EQ(survey.picks.arrivals[0].error, 0.1);
}

TEST_F(SgtTest, DamageIsToldWithItsLine) {
    const auto error = [&](std::string_view content) {
        put("a.sgt", content);
        return message_of([&] { read_sgt(at("a.sgt"), notes); });
    };
    EXPECT_TRUE(contains(error(""), "truncated"));
    EXPECT_TRUE(contains(error("x\n"), "line 1"));
    EXPECT_TRUE(contains(error("99999999999\n0 0\n"), "fits the file"));
    EXPECT_TRUE(contains(error("-3\n0 0\n"), "'-3'"));
    EXPECT_TRUE(contains(error("2\n0 0\n"), "truncated"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 nan\n"), "line 3"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n1\n#s g t\n1 3 0.5\n"), "from 1 to 2"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n1\n#s g t\n0 1 0.5\n"), "shot"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n1\n#s g t\n1 2\n"), "time is missing"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n1\n#s g t\n1 2 -1\n"), "negative"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n1\n#s g\n1 2 1\n"), "lack"));
    EXPECT_TRUE(contains(error("2\n0 0\n1 0\n2\n#s g t\n1 2 1\n"), "truncated"));
}

TEST_F(SgtTest, TheKoenigseeLineHas63PointsAnd714Picks) {
    const char* data = std::getenv("FERMAT_DATA");
    const fs::path folder = data ? fs::path(data) : fs::path(FERMAT_SOURCE_DIR) / "../shared/data";
    const fs::path file = folder / "koenigsee.sgt";
    if (!fs::exists(file)) GTEST_SKIP() << "koenigsee.sgt is not here (set FERMAT_DATA)";
    const SgtSurvey survey = read_sgt(file, notes);
    EXPECT_EQ(survey.points.size(), 63u);
    EXPECT_EQ(survey.picks.arrivals.size(), 714u);
    EXPECT_EQ(survey.points.front(), (Vec3{-4.5, 0, -0.9}));
    EXPECT_EQ(survey.points.back(), (Vec3{51.5, 0, -1.55}));
    EXPECT_TRUE(survey.picks.is_2d);
}

}  // namespace
}  // namespace fermat
