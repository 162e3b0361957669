#include "io/geometry.hpp"

#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;
using GeometryTest = TempFolder;

TEST_F(GeometryTest, PointsKeepTheirOrderAndDuplicates) {
    put("p.csv", "name,x,y,z\nA,1,2,3\nB,4,5,6\nC,1,2,3\n");
    const PointList list = read_points(at("p.csv"), PointRole::receiver, notes);
    EXPECT_EQ(list.positions, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}, {1, 2, 3}}));
    EXPECT_FALSE(list.is_2d);
}

TEST_F(GeometryTest, In2DyMayBeLeftOutAndSourcesMayHaveStartTimes) {
    put("s.csv", "x,z,start_time\n1,2,0.5\n3,4,0\n");
    const auto sources = read_sources(at("s.csv"), notes);
    ASSERT_EQ(sources.size(), 2u);
    EXPECT_EQ(sources[0].position, (Vec3{1, 0, 2}));
    EXPECT_EQ(sources[0].start_time, 0.5);
    EXPECT_TRUE(read_points(at("s.csv"), PointRole::source, notes).is_2d);
}

TEST_F(GeometryTest, PicksServeAsSourcesAndReceiversWithEqualPointsOnce) {
    put("p.csv", "source_x,source_z,receiver_x,receiver_z,time\n0,0,1,0,1\n0,0,2,0,2\n5,0,1,0,3\n");
    EXPECT_EQ(read_sources(at("p.csv"), notes).size(), 2u);
    EXPECT_EQ(read_receivers(at("p.csv"), notes), (std::vector<Vec3>{{1, 0, 0}, {2, 0, 0}}));
}

TEST_F(GeometryTest, PointsWrittenReadBack) {
    const PointList list{{{0.1, 0, 3}, {1, 0, -2}}, {0, 0.25}, true};
    write_points(at("p.csv"), list);
    const PointList back = read_points(at("p.csv"), PointRole::source, notes);
    EXPECT_EQ(back.positions, list.positions);
    EXPECT_EQ(back.start_times, list.start_times);
    EXPECT_TRUE(back.is_2d);
}

TEST_F(GeometryTest, PicksMergeEqualPositionsAndReadBackAsWritten) {
    put("p.csv",
        "source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time,error\n"
        "0,0,0,1,1,0,0.5,0.01\n-0,0,0,2,2,0,0.75,0.02\n9,0,0,1,1,0,1.5,0.03\n");
    for (int round = 0; round < 2; ++round) {
        const Survey picks = read_picks(at("p.csv"), notes);
        EXPECT_EQ(picks.events.size(), 2u);
        EXPECT_EQ(picks.stations.size(), 2u);
        ASSERT_EQ(picks.arrivals.size(), 3u);
        EXPECT_EQ(picks.arrivals[1].event, 0);
        EXPECT_EQ(picks.arrivals[2].station, 0);
        EXPECT_EQ(picks.arrivals[2].error, 0.03);
        EXPECT_TRUE(picks.has_errors);
        EXPECT_FALSE(picks.is_2d);
        write_picks(at("p.csv"), picks);
    }
}

TEST_F(GeometryTest, WrongPicksAreRefused) {
    const auto error = [&](std::string_view content) {
        put("p.csv", content);
        return message_of([&] { read_picks(at("p.csv"), notes); });
    };
    EXPECT_TRUE(contains(error("source_x,source_z,receiver_x,receiver_z\n"), "no rows"));
    EXPECT_TRUE(contains(error("source_x,source_z,receiver_x,receiver_z\n1,2,3,4\n"), "'time'"));
    EXPECT_TRUE(contains(
        error("source_x,source_y,source_z,receiver_x,receiver_z,time\n1,2,3,4,5,6\n"), "sources"));
    EXPECT_TRUE(contains(error("source_x,source_z,receiver_x,receiver_z,time\n1,2,3,4,-0.5\n"),
                         "line 2: time"));
    EXPECT_TRUE(contains(message_of([&] { read_picks(put("p.txt", ""), notes); }), "has no rows"));
    EXPECT_TRUE(contains(message_of([&] { write_picks(at("p.sgt"), {}); }), ".csv"));
    EXPECT_EQ(listing().size(), 2u);
}

TEST_F(GeometryTest, ProfileDepthsMustIncrease) {
    put("v.csv", "depth,velocity\n-1,0\n0,2\n10,5.5\n");
    const auto profile = read_profile(at("v.csv"), notes);
    ASSERT_EQ(profile.size(), 3u);
    EXPECT_EQ(profile[2].velocity, 5.5);
    put("v.csv", "depth,velocity\n0,2\n0,3\n");
    EXPECT_TRUE(contains(message_of([&] { read_profile(at("v.csv"), notes); }), "line 3: depth"));
    put("v.csv", "depth,velocity\n0,-2\n");
    EXPECT_TRUE(
        contains(message_of([&] { read_profile(at("v.csv"), notes); }), "line 2: velocity"));
}

}  // namespace
}  // namespace fermat
