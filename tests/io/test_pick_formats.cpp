#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "io/gzip.hpp"
#include "io/local_plane.hpp"
#include "io/pick_units.hpp"
#include "io/survey_file.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;

class PickFormats : public TempFolder {
  protected:
    SurveyFile read(const std::string& name, const PickReadOptions& options = {}) {
        notes = {};
        return read_survey_file(at(name), options, notes);
    }
    bool noted(const std::string& part) const {
        for (const std::string& sentence : notes.sentences()) {
            if (sentence.find(part) != std::string::npos) return true;
        }
        return false;
    }
    std::string error(const std::string& name, const PickReadOptions& options = {}) {
        return message_of([&] { read(name, options); });
    }
    static Vec3 source(const SurveyFile& survey, std::size_t n) {
        return survey.picks.event_of(survey.picks.arrivals[n]).position;
    }
    static Vec3 receiver(const SurveyFile& survey, std::size_t n) {
        return survey.picks.station_of(survey.picks.arrivals[n]).position;
    }
};

TEST_F(PickFormats, AFolderOfPyRefraHasErrorsOfHalfTheIntervalAndNoNegativeTimes) {
    put("shots.geo", "1\t0.0\t0\t5\n2 10 0 6\n");
    put("receivers.geo", "1 0 0 5 Z\n2 4 0 5.5 Z\n3 8 0 6\n");
    put("picks.dat",
        "1 1 -0.00017 -0.001 0.0004\n1 2 0.006 0.005 0.007\n2 3 0.004 0.0035 0.0045\n"
        "7 1 0.1 0.09 0.11\n");
    const SurveyFile survey = read("");
    ASSERT_EQ(survey.picks.arrivals.size(), 2u);
    EXPECT_TRUE(survey.picks.is_2d);
    EXPECT_EQ(source(survey, 1), (Vec3{10, 0, -6}));
    EXPECT_EQ(receiver(survey, 0), (Vec3{4, 0, -5.5}));
    EXPECT_NEAR(survey.picks.arrivals[0].error, 0.001, 1e-15);
    EXPECT_EQ(survey.points.size(), 5u);
    EXPECT_TRUE(
        noted("2 of 4 picks were left out: 1 has a negative time; 1 has a shot that is not"));
    EXPECT_EQ(read("picks.dat", {.depths = true}).picks.events[0].position.z, 5);
    put("receivers.geo", "1 0 0\n");
    EXPECT_TRUE(contains(error("picks.dat"), "z is missing"));
}

TEST_F(PickFormats, SeisImagerHasMillisecondsAndACountPerShot) {
    put("a.vs",
        "1996 0 3.0\n0 2 4.0\n0.0 2 0.0\n4.0 12.5 1 \n8.0 20 1\n8.0 1 0.0\n0 21 1\n0 0 \n 0 \n"
        " 0 0 \n");
    const SurveyFile survey = read("a.vs");
    ASSERT_EQ(survey.picks.arrivals.size(), 3u);
    EXPECT_NEAR(survey.picks.arrivals[0].time, 0.0125, 1e-15);
    EXPECT_EQ(source(survey, 2), (Vec3{8, 0, 0}));
    EXPECT_TRUE(noted("no heights"));
    EXPECT_NEAR(read("a.vs", {.units = {.to_time = "ms"}}).picks.arrivals[0].time, 12.5, 1e-12);
    put("b.txt", content(at("a.vs")));
    EXPECT_EQ(pick_format_of(at("b.txt")), PickFormat::seisimager);
    put("a.vs", "1996 0 3.0\n0 2 4.0\n0.0 2 0.0\n4.0 12.5 1\n");
    EXPECT_TRUE(contains(error("a.vs"), "truncated"));
}

TEST_F(PickFormats, RayinvrKeepsTheEarliestArrivalOfAPairAndTellsCodes) {
    put("tx.in",
        "     0.000     1.000     0.000         0\n     0.500     0.400     0.010         1\n"
        "     0.500     0.300     0.020         2\n     1.000     0.500     0.010         1\n"
        "     0.000     0.000     0.000        -1\n");
    const SurveyFile survey = read("tx.in");
    ASSERT_EQ(survey.picks.arrivals.size(), 2u);
    EXPECT_EQ(survey.picks.arrivals[0].time, 0.3);
    EXPECT_EQ(survey.picks.arrivals[0].error, 0.02);
    EXPECT_TRUE(noted("1 has an earlier arrival of the same pair"));
    EXPECT_TRUE(noted("codes 1 (2), 2 (1)"));
    EXPECT_EQ(read("tx.in", {.phase = "1"}).picks.arrivals[0].time, 0.4);
    EXPECT_EQ(read("tx.in", {.units = {.to_length = "m"}}).picks.stations[0].position.x, 500);
    put("tx.in", "0.5 0.4 0.01 1\n");
    EXPECT_TRUE(contains(error("tx.in"), "before the first shot"));
}

TEST_F(PickFormats, Tomo2dTakesRefractions) {
    put("data.txt",
        "2\ns 0 0.01 2\nr 5 0.1 0 1.5 0.05\nr 5 0.1 1 2.5 0.05\ns 9 0 1\nr 1 0.2 0 2 0\n");
    EXPECT_EQ(pick_format_of(at("data.txt")), PickFormat::tomo2d);
    const SurveyFile survey = read("data.txt");
    ASSERT_EQ(survey.picks.arrivals.size(), 2u);
    EXPECT_EQ(source(survey, 0), (Vec3{0, 0, 0.01}));
    EXPECT_TRUE(noted("1 has another code than 0"));
    EXPECT_TRUE(noted("1 of 2 errors are not > 0"));
    EXPECT_EQ(survey.picks.arrivals[1].error, 0.05);
}

TEST_F(PickFormats, GttIsBigEndianAndAZeroTimeIsNoPick) {
    std::string bytes(100 + 24 + 2 * 24, '\0');
    const auto put_bits = [&](std::size_t offset, std::uint32_t bits) {
        for (int i = 0; i < 4; ++i)
            bytes[offset + static_cast<std::size_t>(i)] = static_cast<char>(bits >> (24 - 8 * i));
    };
    const auto put_float = [&](std::size_t at, float value) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, 4);
        put_bits(at, bits);
    };
    put_bits(0, 1);
    put_bits(100, 1);
    put_bits(104, 2);
    put_float(108, 3);
    put_float(116, 7);
    put_float(124 + 4, 9);
    put_float(124 + 20, 0.25F);
    put("a.gtt", bytes);
    const SurveyFile survey = read("a.gtt");
    ASSERT_EQ(survey.picks.arrivals.size(), 1u);
    EXPECT_EQ(source(survey, 0), (Vec3{3, 0, -7}));
    EXPECT_EQ(receiver(survey, 0), (Vec3{9, 0, 0}));
    EXPECT_TRUE(noted("1 has time 0"));
    put("a.gtt", bytes.substr(0, 130));
    EXPECT_TRUE(contains(error("a.gtt"), "truncated"));
}

TEST_F(PickFormats, SurveysMayNameUnitsAndPyGimliPutsHeightsIntoY) {
    put("a.sgt", "3\n# x y z\n0 1 0\n5 2 0\n9 1.5 0\n2\n# s g t/ms err/us\n1 2 4 100\n1 3 8 200\n");
    const SurveyFile survey = read("a.sgt");
    EXPECT_TRUE(survey.picks.is_2d);
    EXPECT_EQ(receiver(survey, 0), (Vec3{5, 0, -2}));
    EXPECT_NEAR(survey.picks.arrivals[0].time, 0.004, 1e-15);
    EXPECT_NEAR(survey.picks.arrivals[1].error, 0.0002, 1e-15);
    EXPECT_TRUE(noted("y is taken for the height"));
    put("b.sgt", "2\n#x y\n0 0\n9 0\n1\n#s g t err\n1 2 0.02 0.05\n");
    EXPECT_NEAR(read("b.sgt", {.relative_errors = true}).picks.arrivals[0].error, 0.001, 1e-15);
    read("b.sgt");
    EXPECT_TRUE(noted("larger than their times"));
    write_survey_file(at("c.sgt"), survey);
    const SurveyFile again = read("c.sgt");
    EXPECT_EQ(again.picks.stations, survey.picks.stations);
    EXPECT_EQ(again.picks.arrivals[1].error, survey.picks.arrivals[1].error);
}

TEST_F(PickFormats, TablesAreReadByMappingByNameAndByNumber) {
    put("a.txt", "sx;sz;gx;gz;t [ms];note\n0;0;5;0,5;4,5;x\n0;0;9;0;-1;y\n");
    PickReadOptions options;
    EXPECT_TRUE(contains(error("a.txt"), "negative"));
    options.leave_out_bad = true;
    SurveyFile survey = read("a.txt", options);
    EXPECT_NEAR(survey.picks.arrivals[0].time, 0.0045, 1e-15);
    EXPECT_EQ(receiver(survey, 0), (Vec3{5, 0, 0.5}));
    EXPECT_TRUE(noted("'t [ms]' for time in ms"));
    EXPECT_TRUE(noted("1 of 2 picks were left out: 1 has a negative time"));

    put("b.dat", "# made by hand\n0 0 1.5 2 30\n0 0 3 2 50\n");
    options = {};
    options.columns = {{"source_x", "1"},
                       {"source_height", "2"},
                       {"receiver_x", "3"},
                       {"receiver_height", "4"},
                       {"time", "5"}};
    options.units = {"km", "ms", "", ""};
    survey = read("b.dat", options);
    EXPECT_EQ(receiver(survey, 1), (Vec3{3000, 0, -2000}));
    EXPECT_NEAR(survey.picks.arrivals[1].time, 0.05, 1e-15);
    options.columns[4] = {"time", "7"};
    EXPECT_TRUE(contains(error("b.dat", options), "has no column '7' for time"));
    options.columns[4] = {"tiem", "5"};
    EXPECT_TRUE(contains(error("b.dat", options), "must be one of source_x"));
    put("c.csv", "sx,gx,t,time\n0,1,2,3\n");
    EXPECT_TRUE(contains(error("c.csv"), "either could be time"));
    put("c.csv", "sx,gx\n0,1\n");
    EXPECT_TRUE(contains(error("c.csv"), "no column for time"));
}

TEST_F(PickFormats, PositionsCanBeLaidAlongALine) {
    put("a.csv", "sx,sy,gx,gy,t\n0,0,3,4,1\n0,0,6,8,2\n");
    PickReadOptions options;
    options.on_line = true;
    const SurveyFile survey = read("a.csv", options);
    EXPECT_TRUE(survey.picks.is_2d);
    EXPECT_NEAR(source(survey, 0).x, 0, 1e-12);
    EXPECT_NEAR(receiver(survey, 1).x, 10, 1e-12);
    EXPECT_TRUE(noted("straight line"));
}

TEST_F(PickFormats, LongitudesAndLatitudesComeBackThroughThePlaneThatTheTableKeeps) {
    put("a.csv",
        "source_longitude,source_latitude,source_depth,station_longitude,station_latitude,"
        "station_elevation,time\n12,47,10,12.5,47.25,1500,3\n12.1,47,5,13,48,0,20\n");
    PickReadOptions options;
    options.column_units = {{"receiver_height", "m"}};
    const SurveyFile survey = read("a.csv", options);
    ASSERT_TRUE(survey.plane);
    EXPECT_FALSE(survey.picks.is_2d);
    EXPECT_EQ(receiver(survey, 0).z, -1.5);
    // A degree of latitude at 47.5 degrees is 111.18 km.
    EXPECT_NEAR(receiver(survey, 1).y - source(survey, 1).y, 111.2, 0.3);
    write_survey_file(at("b.csv"), survey);
    Notes quiet;
    const SurveyFile again = read_pick_survey(at("b.csv"), {}, quiet);
    ASSERT_TRUE(again.plane);
    EXPECT_EQ(*again.plane, *survey.plane);
    write_survey_file(at("c.csv"), again, true);
    const SurveyFile back = read("c.csv");
    EXPECT_NEAR(back.plane->centre.longitude, survey.plane->centre.longitude, 1e-9);
    EXPECT_NEAR(receiver(back, 1).x, receiver(survey, 1).x, 1e-6);
    EXPECT_TRUE(contains(message_of([&] {
                             write_survey_file(at("d.csv"), {{}, survey.picks, {}}, true);
                         }),
                         "no plane"));
}

TEST_F(PickFormats, FirstMotionsStayWithTheirPicks) {
    put("a.csv",
        "source_longitude,source_latitude,source_z,receiver_longitude,receiver_latitude,receiver_z,"
        "time,valid,polarity\n12,47,10,12.5,47.25,0,3,1,U\n12,47,10,13,48,0,20,0,U\n"
        "12.1,47,5,13,48,0,20,1,D\n12.1,47,5,12.5,47.25,0,9,1,\n");
    const SurveyFile survey = read("a.csv");
    EXPECT_EQ(survey.polarities, (std::vector<Polarity>{1, -1, 0}));
    EXPECT_FALSE(noted("'polarity' is not used"));
}

TEST_F(PickFormats, ALineOfLongitudesAndLatitudesComesBackToItsPlaces) {
    // Four points 30 degrees from north to east, written from a plane in m.
    const LocalPlane truth{{12, 47.5}, 1};
    std::string rows = "slon,slat,sz,glon,glat,gz,t\n";
    for (const double far : {20.0, 40.0, 70.0}) {
        const GeoPoint shot = truth.to_geographic({0, 0});
        const GeoPoint phone = truth.to_geographic({far * 0.5, far * std::sqrt(0.75)});
        rows += fmt::format("{},{},0,{},{},0,{}\n", shot.longitude, shot.latitude, phone.longitude,
                            phone.latitude, far / 1000);
    }
    put("a.csv", rows);
    PickReadOptions options;
    options.on_line = true;
    options.columns = {{"source_longitude", "slon"},
                       {"source_latitude", "slat"},
                       {"source_z", "sz"},
                       {"receiver_longitude", "glon"},
                       {"receiver_latitude", "glat"},
                       {"receiver_z", "gz"},
                       {"time", "t"}};
    set_unit(options, "length", "m");
    set_wanted_unit(options, "length", "m");
    const SurveyFile survey = read("a.csv", options);
    ASSERT_TRUE(survey.plane && survey.picks.is_2d);
    EXPECT_TRUE(noted("30.0 degrees from north to east"));
    EXPECT_NEAR(receiver(survey, 2).x - source(survey, 0).x, 70, 1e-3);
    const GeoPoint back = survey.plane->to_geographic({receiver(survey, 2).x, 0});
    const GeoPoint wanted = truth.to_geographic({35, 70 * std::sqrt(0.75)});
    EXPECT_NEAR(back.longitude, wanted.longitude, 1e-9);
    EXPECT_NEAR(back.latitude, wanted.latitude, 1e-9);
    // The table keeps it, and gives degrees back.
    write_survey_file(at("b.csv"), survey);
    Notes quiet;
    EXPECT_EQ(*read_pick_survey(at("b.csv"), {}, quiet).plane, *survey.plane);
    write_survey_file(at("c.csv"), survey, true);
    EXPECT_NEAR(read("c.csv").plane->centre.latitude, 47.5, 1e-3);
}

TEST_F(PickFormats, AProjectionOfPythonsIsPassedOnAndDroppedAloud) {
    put("a.csv",
        "# proj: EPSG:32633\nsource_x,source_y,source_z,receiver_x,receiver_y,receiver_z,"
        "time\n0,0,0,3,4,0,1\n0,0,0,6,8,0,2\n");
    Notes quiet;
    const SurveyFile survey = read_pick_survey(at("a.csv"), {}, quiet);
    EXPECT_EQ(survey.projection, "proj: EPSG:32633");
    write_survey_file(at("b.csv"), survey);
    EXPECT_EQ(read_projection(at("b.csv")), "proj: EPSG:32633");
    EXPECT_TRUE(contains(message_of([&] { write_survey_file(at("c.csv"), survey, true); }),
                         "the Python package knows"));
    PickReadOptions options;
    options.on_line = true;
    EXPECT_TRUE(read("b.csv", options).projection.empty());
    EXPECT_TRUE(noted("its plane 'proj: EPSG:32633' is not kept"));
}

TEST_F(PickFormats, SrcRecHasKilometresAndMetresOfElevation) {
    put("src_rec.txt",
        " 0 2013 10 6 9 20 53.00 -1.0 -0.6 9.5 2.66 3 494990 2.0\n"
        " 0 0 CI_NJQ -1.5 -0.3 219.0 P 14.786\n 0 1 CI_X -0.5 -0.5 590 S 16.7\n"
        " 0 2 CI_Y -0.5 -0.5 590 P -3\n");
    const SurveyFile survey = read("src_rec.txt");
    ASSERT_EQ(survey.picks.arrivals.size(), 2u);
    EXPECT_EQ(source(survey, 0).z, 9.5);
    EXPECT_EQ(receiver(survey, 0).z, -0.219);
    EXPECT_EQ(survey.picks.stations[0].id, "CI_NJQ");
    EXPECT_EQ(survey.picks.arrivals[1].phase, Phase::S);
    EXPECT_TRUE(noted("1 of 3 picks were left out: 1 has a negative time"));
    EXPECT_EQ(read("src_rec.txt", {.phase = "P"}).picks.arrivals.size(), 1u);
    EXPECT_TRUE(noted("1 has another phase than 'P'"));
}

TEST_F(PickFormats, SrcRecIsKnownByItsLinesUnderAnyName) {
    const std::string event = "7 2013 10 6 9 20 53.00 -1.0 -0.6 9.5 2.66 1";
    const std::string arrival = "7 0 CI_NJQ -1.5 -0.3 219.0 P 14.786";
    // PyTomoATT adds a name and weights to the lines; differences name two stations.
    put("plain.dat", event + "\n" + arrival + "\n");
    put("named.txt", event + " 494990\n" + arrival + "\n");
    put("weighted.txt", event + " 494990 1.0\n" + arrival + " 1.0\n");
    put("pairs.txt", event + " x 1.0\n7 0 A -1.5 -0.3 219.0 1 B -1.4 -0.3 219.0 P,cs 1.5 1.0\n");
    for (const char* name : {"plain.dat", "named.txt", "weighted.txt", "pairs.txt"}) {
        EXPECT_EQ(pick_format_of(at(name)), PickFormat::src_rec) << name;
    }
    EXPECT_EQ(read("weighted.txt").picks.arrivals.size(), 1u);
    // Twelve columns of a table, the second row shorter or of another event, are none.
    put("table.txt", event + "\n" + event + "\n");
    put("other.txt", event + "\n8 0 CI_NJQ -1.5 -0.3 219.0 P 14.786\n");
    put("numbers.txt", event + "\n7 0 1 -1.5 -0.3 219.0 3 14.786\n");
    for (const char* name : {"table.txt", "other.txt", "numbers.txt"}) {
        EXPECT_EQ(pick_format_of(at(name)), PickFormat::table) << name;
    }
}

TEST_F(PickFormats, AFileOfGzipIsReadAsWhatItPacks) {
    // printf 'sx gx t\n0 5 4\n0 9 6\n' | gzip -n
    const std::string packed = std::string(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\xae\x50\x48\xaf\x50"
        "\x28\xe1\x32\x50\x30\x55\x30\x01\x92\x96\x0a\x66\x5c\x00\xc5\x3b"
        "\xb9\xdf\x14\x00\x00\x00",
        38);
    put("picks.txt.gz", packed);
    const SurveyFile survey = read("picks.txt.gz");
    ASSERT_EQ(survey.picks.arrivals.size(), 2u);
    EXPECT_EQ(receiver(survey, 1).x, 9);
    // Parts one after another are one file; zeros at its end fill a block.
    EXPECT_EQ(unpack_gzip(packed + packed + std::string(9, '\0'), "a.gz", 100).size(), 40u);
    EXPECT_NE(message_of([&] {
                  unpack_gzip(packed, "a.gz", 19);
              }).find("'a.gz' unpacks to more than 19 bytes"),
              std::string::npos);
    for (std::size_t size = 3; size < packed.size(); ++size) {
        EXPECT_NE(message_of([&] {
                      unpack_gzip(packed.substr(0, size), "a.gz", 100);
                  }).find("(it is truncated)"),
                  std::string::npos)
            << size;
    }
    for (std::size_t n = 10; n < packed.size(); ++n) {  // behind the header, every byte counts
        std::string damaged = packed;
        damaged[n] = static_cast<char>(damaged[n] ^ 0x41);
        EXPECT_THROW(unpack_gzip(damaged, "a.gz", 100), InputError) << n;
    }
}

TEST(LocalPlaneTest, IsTheTransverseMercatorProjection) {
    // UTM zone 33 is the plane about 15 E, 0 N with scale 0.9996 and 500 km added to x. These
    // coordinates of 12 E, 47.5 N were computed with PROJ.
    const LocalPlane plane{{15, 0}, 1};
    const PlanePoint p = plane.to_plane({12, 47.5});
    EXPECT_NEAR(0.9996 * p.x + 500000, 274068.60796, 1e-3);
    EXPECT_NEAR(0.9996 * p.y, 5265092.54908, 1e-3);
    for (const GeoPoint place : {GeoPoint{11, -80}, GeoPoint{-179.5, 66}, GeoPoint{179.5, 66}}) {
        const LocalPlane here =
            plane_round({{place.longitude + 1, place.latitude - 0.5}, place}, 1000);
        const GeoPoint back = here.to_geographic(here.to_plane(place));
        EXPECT_NEAR(std::remainder(back.longitude - place.longitude, 360), 0, 1e-9);
        EXPECT_NEAR(back.latitude, place.latitude, 1e-9);
    }
    EXPECT_EQ(plane_from(to_text(plane)), plane);
    EXPECT_FALSE(plane_from("local plane: longitude=1 latitude=91 metres=1"));
    EXPECT_FALSE(plane_from("local plane: longitude=1 latitude=9 metres=1 azimuth=x"));
    // Turned, moved, and in another unit: the same places.
    const LocalPlane line = plane.along({100, -50}, {3, 4});
    EXPECT_EQ(plane_from(to_text(line)), line);
    const GeoPoint there = line.to_geographic({5, 0});
    EXPECT_NEAR(plane.to_plane(there).x, 103, 1e-6);
    EXPECT_NEAR(plane.to_plane(there).y, -46, 1e-6);
    EXPECT_NEAR(line.along({5, 2}, {0, 1}).to_plane(there).x, -2, 1e-6);
    EXPECT_NEAR(line.scaled(0.001).to_plane(there).x, 0.005, 1e-9);
    EXPECT_TRUE(contains(message_of([&] { plane.to_plane({0, 95}); }), "no place"));
}

}  // namespace
}  // namespace fermat
