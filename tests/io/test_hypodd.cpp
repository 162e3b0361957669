// Files of hypoDD and NonLinLoc as their documentation describes them, in and out.
#include "io/hypodd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "io/clock.hpp"
#include "io/phase_picks.hpp"
#include "io/place_table.hpp"
#include "temp_folder.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class CatalogueFormats : public test::TempFolder {
  protected:
    fs::path write(const std::string& name, const std::string& text) { return put(name, text); }
    std::string told() const {
        std::string out;
        for (const std::string& sentence : notes_.sentences()) out += sentence + "\n";
        return out;
    }
    void expect_told(const std::string& part) {
        EXPECT_NE(told().find(part), std::string::npos) << part << "\n" << told();
    }
    Notes notes_;

    const std::string stations = "NCABC  37.50 -121.75 120\nNCXYZ 37:15.0 -121:30.0\n";
    const std::string phases =
        "# 2000  1 12 20 15 39.17 37.3600 -121.6900  4.500 1.2 0.1 0.2 0.03      7\n"
        "NCABC 3.10 1.000 P\nNCXYZ 3.90 0.250 P\nNCXYZ 6.80 0.000 S\nNCNIL 2.0 1.0 P\n"
        "#  2000  1 12 23 59 60.50 37.3700 -121.6800  5.000 0.0 0.1 0.2 0.03      8\n"
        "NCABC 3.00 1.000 P\nNCXYZ 3.95 1.000 PmP\n";
};

TEST_F(CatalogueFormats, PhasesOfHypoddAreOnThePlaneWithTheirOriginTimes) {
    const SurveyFile picks = read_phase_picks(
        {write("phase.dat", phases), write("station.dat", stations), {}, {}}, notes_);
    const Survey& survey = picks.picks;
    ASSERT_EQ(survey.arrivals.size(), 3U);
    ASSERT_TRUE(picks.plane && picks.has_dates);
    EXPECT_EQ(clock_text(survey.events[0].origin_time), "2000-01-12T20:15:39.170000Z");
    EXPECT_EQ(clock_text(survey.events[1].origin_time), "2000-01-13T00:00:00.500000Z");
    EXPECT_NEAR(survey.arrivals[0].time - survey.events[0].origin_time, 3.1, 1e-6);
    EXPECT_NEAR(survey.arrivals[1].error, 4 * survey.arrivals[0].error, 1e-12);
    EXPECT_EQ(survey.stations[0].position.z, -0.12);
    const GeoPoint back =
        picks.plane->to_geographic({survey.stations[1].position.x, survey.stations[1].position.y});
    EXPECT_NEAR(back.longitude, -121.5, 1e-9);
    EXPECT_NEAR(back.latitude, 37.25, 1e-9);
    expect_told("1 of 6 picks are left out: stations that are not in the stations' file ('NCNIL')");
    expect_told("1 of 6 picks are left out: phases other than first P and S ('PmP')");
    expect_told("1 of 6 picks are left out: the file gives them no weight ('NCXYZ')");
    expect_told("local plane");
}

TEST_F(CatalogueFormats, AMagnitudeThatIsNotKnownRefusesNoCatalogue) {
    const fs::path phase =
        write("phase.dat",
              "# 2000  1 12 20 15 39.17 37.3600 -121.6900  4.500 NaN 0.1 0.2 0.03      7\n"
              "NCABC 3.10 1.000 P\n");
    const SurveyFile picks =
        read_phase_picks({phase, write("station.dat", stations), {}, {}}, notes_);
    ASSERT_EQ(picks.magnitudes.size(), 1U);
    EXPECT_TRUE(std::isnan(picks.magnitudes[0]));
    const PlaceTable table = read_event_table(
        write("events.csv", "event,x,y,z,magnitude\na,1,2,3,nan\nb,1,2,3,\nc,1,2,3,1.5\n"), notes_);
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_TRUE(std::isnan(table.rows[0].magnitude) && std::isnan(table.rows[1].magnitude));
    EXPECT_EQ(table.rows[2].magnitude, 1.5);
}

TEST_F(CatalogueFormats, OurOwnColumnsAreNotWarnedOf) {
    notes_ = {};
    read_event_table(write("events.csv",
                           "event,x,y,z,origin_time,shift_x,shift_y,shift_z,shift_time,use\n"
                           "a,1,2,3,0,0,0,0,0,moved\n"),
                     notes_);
    EXPECT_TRUE(notes_.sentences().empty());
}

TEST_F(CatalogueFormats, NegativeWeightsOfHypoddKeepThePick) {
    const SurveyFile picks = read_phase_picks(
        {write("phase.dat",
               "# 2000  1 12 20 15 39.17 37.3600 -121.6900  4.500 1.2 0.1 0.2 0.03      7\n"
               "NCABC 3.10 1.000 P\nNCXYZ 3.90 -0.250 P\nNCXYZ 6.80 -0.000 S\n"),
         write("station.dat", stations),
         {},
         {}},
        notes_);
    ASSERT_EQ(picks.picks.arrivals.size(), 2U);
    EXPECT_NEAR(picks.picks.arrivals[1].error, 4 * picks.picks.arrivals[0].error, 1e-12);
    expect_told("1 picks have a negative weight, which says that they are kept");
    expect_told("1 of 3 picks are left out: the file gives them no weight ('NCXYZ')");
}

TEST_F(CatalogueFormats, AnOriginTimeAfterTheFirstPickIsReplacedAndTold) {
    const SurveyFile picks = read_phase_picks(
        {write("phase.dat",
               "# 2000  1 12 20 15 39.17 37.3600 -121.6900  4.500 1.2 0.1 0.2 0.03      7\n"
               "NCABC -0.20 1.000 P\nNCXYZ 3.90 1.000 P\n"),
         write("station.dat", stations),
         {},
         {}},
        notes_);
    ASSERT_EQ(picks.picks.arrivals.size(), 2U);
    EXPECT_EQ(picks.picks.events[0].origin_time, picks.picks.arrivals[0].time);
    expect_told("1 of 1 events have picks before their origin time");
}

TEST_F(CatalogueFormats, DifferencesOfBothKindsNameEventsAndStations) {
    const fs::path events =
        write("event.dat",
              "20000112  20153917 37.3600 -121.6900 4.500 1.2 0.1 0.2 0.03 7\n"
              "20000112   9153917 37.3700 -121.6800 5.000 0.9 0.1 0.2 0.03 8\n");
    const SurveyFile read =
        read_hypocentres({{}, write("station.dat", stations), events, {}}, notes_);
    EXPECT_EQ(clock_text(read.picks.events[1].origin_time), "2000-01-12T09:15:39.170000Z");
    EXPECT_EQ(read.magnitudes, (std::vector<double>{1.2, 0.9}));
    const auto ct = read_hypodd_differences(
        write("dt.ct",
              "#    7    8\nNCABC  3.10  3.00 1.0 P\nNCXYZ 6.80 6.95 0.5 S\n"
              "NCNIL 1 2 1 P\n#  7  99\nNCABC  3.10  3.00 1.0 P\n"),
        read.picks, notes_);
    ASSERT_EQ(ct.size(), 2U);
    EXPECT_NEAR(ct[0].time, 0.1, 1e-12);
    EXPECT_NEAR(ct[1].time, -0.15, 1e-12);
    EXPECT_EQ(ct[1].phase, Phase::S);
    const auto cc = read_hypodd_differences(
        write("dt.cc", "# 8 7 0.02\nNCABC -0.080 0.9 P\n# 8 7 -999\nNCXYZ 0.1 1 P\n"), read.picks,
        notes_);
    ASSERT_EQ(cc.size(), 1U);
    EXPECT_NEAR(cc[0].time, -0.1, 1e-12);
    EXPECT_EQ(cc[0].kind, DifferenceKind::correlation);
    expect_told("1 of 4 differences are left out: events that are not known ('99')");
    expect_told("1 of 4 differences are left out: stations that are not known");
    expect_told("1 of 2 differences are left out: the correction of origin times is not known");

    // What is written is read back.
    for (const auto& kind : {ct, cc}) {
        write_hypodd_differences(at("out"), read.picks, kind);
        const auto again = read_hypodd_differences(at("out"), read.picks, notes_);
        ASSERT_EQ(again.size(), kind.size());
        for (std::size_t n = 0; n < kind.size(); ++n) {
            EXPECT_NEAR(again[n].time, kind[n].time, 1e-4);
            EXPECT_EQ(again[n].station, kind[n].station);
            EXPECT_EQ(again[n].kind, kind[n].kind);
        }
    }
}

TEST_F(CatalogueFormats, RelocHasTwentyFourColumnsAndRelocatedEventsAlone) {
    Survey survey;
    survey.events = {
        {{0, 0, 5}, 947708139.17, "7"}, {{1, 0, 6}, 947708140, "8"}, {{9, 9, 9}, 947708141, "9"}};
    Relocation found;
    found.cluster_sizes = {2};
    for (const Event& event : survey.events) {
        RelocatedEvent one;
        one.position = event.position;
        one.origin_time = event.origin_time;
        one.cluster = event.id == "9" ? -1 : 0;
        found.events.push_back(one);
    }
    write_reloc(at("hypoDD.reloc"), survey, {1.5, not_known, 2}, found, {{-121.7, 37.3}, 1000});
    std::ifstream file(at("hypoDD.reloc"));
    std::string line;
    std::vector<std::vector<std::string>> rows;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        rows.emplace_back();
        for (std::string word; words >> word;) rows.back().push_back(word);
    }
    ASSERT_EQ(rows.size(), 2U);
    ASSERT_EQ(rows[0].size(), 24U);
    EXPECT_EQ(rows[0][0], "7");
    EXPECT_NEAR(std::stod(rows[0][1]), 37.3, 1e-6);
    EXPECT_NEAR(std::stod(rows[0][2]), -121.7, 1e-6);
    EXPECT_EQ(rows[0][4], "-500.0");
    EXPECT_EQ(rows[1][6], "500.0");
    EXPECT_EQ(rows[0][10], "2000");
    EXPECT_EQ(rows[0][15], "39.170");
    const PlaceTable again = read_event_table(at("hypoDD.reloc"), notes_);
    ASSERT_EQ(again.rows.size(), 2U);
    EXPECT_EQ(again.rows[0].id, "7");
    EXPECT_NEAR(again.rows[0].time, 947708139.17, 1e-6);
    EXPECT_NEAR(again.rows[0].place.y, 37.3, 1e-6);
    EXPECT_EQ(again.rows[0].magnitude, 1.5);
    EXPECT_TRUE(again.geographic && again.has_dates);
    EXPECT_EQ(rows[0][23], "1");
}

TEST_F(CatalogueFormats, ControlFilesOfNonLinLocIncludeOthers) {
    write("more.txt", "GTSRCE BBB LATLON 61.5 -150.1 0 0.2\n");
    const fs::path control = write("nll.in",
                                   "CONTROL 1 54321\nINCLUDE more.txt\n"
                                   "GTSRCE AAA LATLON 61.2 -149.9 0 0.5\n");
    const PlaceTable table = read_station_table(control, notes_);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].id, "BBB");
    EXPECT_EQ(table.rows[0].place.y, 61.5);
    const fs::path only = write("only.in", "INCLUDE more.txt\n");
    EXPECT_EQ(read_station_table(only, notes_).rows.size(), 1U);
    write("empty.txt", "# nothing\n");
    const auto refuse = [&](const std::string& text, const std::string& part) {
        const fs::path file = write("bad.in", text);
        expect_error<InputError>([&] { read_station_table(file, notes_); }, part);
    };
    refuse("INCLUDE bad.in\n", "does a file include itself?");
    refuse("INCLUDE none.in\n", "cannot read 'none.in'");
    refuse("GTSRCE A LATLON 1 2 0\nINCLUDE\n", "INCLUDE has no name");
    refuse("INCLUDE empty.txt\n", "have no line GTSRCE");
}

TEST_F(CatalogueFormats, PhasesOfNonLinLocAreNamedByTheirFirstPick) {
    const fs::path sources = write("gtsrce.txt",
                                   "#GTSRCE label type lat lon z elev\n"
                                   "GTSRCE AAA LATLON 61.2 -149.9 0 0.5\n"
                                   "GTSRCE BBB LATLONDM 61 30.0 N 150 6.0 W 0.1 0.0\n");
    const std::string first =
        "AAA ? BHZ ? P ? 20181130 1729 35.1095 GAU 2.00e-02 0 1 0.1 1 > 6.7 -0.1\n"
        "BBB ? BHZ ? ? ? 20181130 1729 36.0 GAU 2.00e-02 0 1 0.1\n"
        "BBB ? BHZ ? Sg ? 20181130 1729 61.5 GAU 0 0 1 0.1\n";
    const std::string second =
        "AAA ? BHZ ? P ? 20181130 1729 35.9 GAU 4.0e-02 -1 -1 -1 0\n"
        "BBB ? BHZ ? P ? 20181130 1729 35.2 BOX 4.0e-02 -1 -1 -1 1\n";
    const SurveyFile picks =
        read_phase_picks({write("events.obs", first + "\n\n" + second), sources, {}, {}}, notes_);
    const Survey& survey = picks.picks;
    ASSERT_EQ(survey.arrivals.size(), 3U);
    EXPECT_EQ(survey.events[0].id, "20181130.172935");
    EXPECT_EQ(survey.events[1].id, "20181130.172935_2");
    EXPECT_TRUE(std::isnan(survey.events[0].position.x));
    EXPECT_EQ(survey.arrivals[1].phase, Phase::S);
    EXPECT_EQ(clock_text(survey.arrivals[1].time), "2018-11-30T17:30:01.500000Z");
    EXPECT_EQ(survey.stations[0].position.z, -0.5);
    EXPECT_NEAR(
        picks.plane->to_geographic({survey.stations[1].position.x, survey.stations[1].position.y})
            .longitude,
        -150.1, 1e-9);
    expect_told("1 of 5 picks are left out: without a phase");
    expect_told("1 of 5 picks are left out: the file gives them no weight ('AAA')");
    expect_told("errors are missing");

    const SurveyFile located = read_phase_picks(
        {write("one.hyp",
               "NLLOC \"./loc/a\" \"LOCATED\" \"x\"\n"
               "HYPOCENTER  x 2.5 y 37.5 z 45.0  OT 29.0  ix -1 iy -1 iz -1\n"
               "GEOGRAPHIC  OT 2018 11 30  17 29 29.0  Lat 61.3 Long -149.9 Depth 45\n"
               "PHASE ID Ins Cmp On Pha ...\n" +
                   first + "END_PHASE\nEND_NLLOC\n"),
         sources,
         {},
         GeoPoint{-150, 61}},
        notes_);
    EXPECT_NEAR(located.picks.events[0].position.z, 45, 1e-12);
    EXPECT_EQ(clock_text(located.picks.events[0].origin_time), "2018-11-30T17:29:29.000000Z");
    EXPECT_GT(located.picks.events[0].position.y, 30);
}

TEST_F(CatalogueFormats, WrongLinesAreNamed) {
    const fs::path good = write("station.dat", stations);
    const auto reading = [&](const std::string& text) {
        const fs::path file = write("wrong.dat", text);
        return [this, file, good] { read_phase_picks({file, good, {}, {}}, notes_); };
    };
    const std::string event = phases.substr(0, phases.find('\n') + 1);
    expect_error<InputError>(reading(event + "NCABC x 1 P\n"), "line 2", "time of travel");
    expect_error<InputError>(reading(event + "NCABC 1\n"), "line 2", "2 words");
    expect_error<InputError>(reading("# 2000 13 12 20 15 39 37 -121 4 1 0 0 0 7\nNCABC 1 1 P\n"),
                             "no such date");
    expect_error<InputError>(reading("AAA ? ? ? P ? 20181130 x 1 GAU 1\n"), "hhmm");
    expect_error<InputError>(reading("AAA ? ? ? P ? 20181130 10 1 GAU 1\nnonsense\n"), "line 2",
                             "no phase");
    expect_error<InputError>([&] { read_station_table(write("s", "A 95:99 1\n"), notes_); },
                             "degrees:minutes");
    expect_error<InputError>(
        [&] { read_event_table(write("e", "20001301 1 2 3 4 5 6 7 8 9\n"), notes_); }, "yyyymmdd");
    Survey none;
    expect_error<InputError>(
        [&] { read_hypodd_differences(write("d", "A 1 2 1 P\n"), none, notes_); }, "first pair");
    expect_error<InputError>(
        [&] { read_hypodd_differences(write("d", "# 1 2\nA 1\n"), none, notes_); }, "2 words");
    expect_error<InputError>(
        [&] { read_hypodd_differences(write("d", "# 1 2\nA 1 2 1 P\n"), none, notes_); },
        "no difference that can be used");
}

}  // namespace
}  // namespace fermat
