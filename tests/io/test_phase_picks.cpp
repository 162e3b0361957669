// Phase picks as catalogues have them: ids, dates, phases; what is left out is told with counts.
#include "io/phase_picks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "io/clock.hpp"
#include "temp_folder.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class PhasePicksTest : public test::TempFolder {
  protected:
    fs::path write(const char* name, const char* text) { return put(name, text); }
    Notes notes_;
};

TEST_F(PhasePicksTest, JoinStationsByIdAndTellWhatIsLeftOut) {
    const PhaseFiles files{write("picks.csv",
                                 "event,station,phase,time,error\n"
                                 "a,S1,Pg,2018-11-30T17:29:35.25,0.1\n"
                                 "a,S2,s,2018-11-30 17:29:39.5Z,\n"
                                 "a,S2,PmP,2018-11-30T17:29:40,0.1\n"
                                 "b,S1,,2018-11-30T17:31:00,0.1\n"
                                 "b,S9,P,2018-11-30T17:31:01,0.1\n"
                                 "a,S1,Pn,2018-11-30T17:29:36,0.2\n"
                                 "b,S1,P,2018-11-30T17:31:02,0.3\n"),
                           write("stations.csv", "station,x,y,z\nS1,1,2,0\nS2,3,4,-0.5\n"),
                           write("events.csv", "event,x,y,z\nb,7,8,9\n")};
    const SurveyFile picks = read_phase_picks(files, notes_);
    const Survey& survey = picks.picks;
    EXPECT_TRUE(picks.has_dates);
    ASSERT_EQ(survey.arrivals.size(), 3U);
    EXPECT_EQ(survey.arrivals[1].phase, Phase::S);
    EXPECT_EQ(survey.arrivals[1].time - survey.arrivals[0].time, 4.25);
    EXPECT_EQ(survey.arrivals[1].error, 0.2);  // the median of those given
    EXPECT_TRUE(std::isnan(survey.events[0].position.x));
    EXPECT_EQ(survey.events[1].position, (Vec3{7, 8, 9}));
    EXPECT_EQ(survey.stations[1].position, (Vec3{3, 4, -0.5}));
    std::string told;
    for (const std::string& sentence : notes_.sentences()) told += sentence + "\n";
    for (const char* part :
         {"1 of 7 picks are left out: without a phase",
          "1 of 7 picks are left out: phases other than first P and S ('PmP')",
          "1 of 7 picks are left out: stations that are not in the stations' file ('S9')",
          "1 of 7 picks are left out: they repeat", "1 of 3 errors are missing"}) {
        EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
    }
}

TEST_F(PhasePicksTest, TablesOfPicksAreAcceptedToo) {
    const PhaseFiles files{write("table.csv",
                                 "source_x,source_z,receiver_x,receiver_z,time\n"
                                 "1,2,3,0,-0.5\n1,2,4,0,0.7\n"),
                           std::nullopt, std::nullopt};
    const SurveyFile picks = read_phase_picks(files, notes_);
    EXPECT_TRUE(picks.picks.is_2d);
    EXPECT_FALSE(picks.has_dates);
    EXPECT_EQ(picks.picks.events.size(), 1U);
    EXPECT_EQ(picks.picks.arrivals[0].time, -0.5);
    EXPECT_EQ(picks.picks.events[0].position, (Vec3{1, 0, 2}));
}

TEST_F(PhasePicksTest, BadFilesAreNamedWithTheirLine) {
    const fs::path stations = write("stations.csv", "station,x,y,z\nS1,1,2,0\n");
    const auto reading = [&](const char* text, bool with_stations = true) {
        const PhaseFiles files{write("bad.csv", text),
                               with_stations ? std::optional(stations) : std::nullopt,
                               std::nullopt};
        return [this, files] { read_phase_picks(files, notes_); };
    };
    expect_error<InputError>(reading("event,station,time\na,S1,2018-13-30T00:00:00\n"), "line 2",
                             "must be a number");
    expect_error<InputError>(reading("event,station,time\na,S1,2018-11-30T00:00:00\nb,S1,17\n"),
                             "line 3", "must be a date");
    expect_error<InputError>(reading("event,station,time\na,S1,3\n", false),
                             "give the stations: CSV with station,x,y,z");
    expect_error<InputError>(reading("station,time\nS1,3\n"), "no column 'event'");
    expect_error<InputError>(reading("event,station,time\na,S7,3\n"), "no pick that can be used");
    expect_error<InputError>(reading("event,station,time\n"), "has a header and no rows");
    expect_error<InputError>(reading("event,station,time,error\na,S1,3,0\n"), "error is 0");
}

TEST(Clock, DatesAreSecondsSince1970AndBack) {
    EXPECT_EQ(parse_clock("1970-01-02T00:00:01.5Z"), 86401.5);
    EXPECT_EQ(parse_clock("2018-11-30T17:29"), 1543598940.0);
    for (const char* wrong : {"", "2018-02-30T00:00:00", "2018-11-30", "2018-11-30T24:00:00",
                              "2018-11-30T12:60:00", "2018-11-30T12:00:-1", "nan", "12.5",
                              "2018-11-30T12:00:00 and more text of no use at all"}) {
        EXPECT_FALSE(parse_clock(wrong)) << wrong;
    }
    EXPECT_EQ(clock_text(1543598975.1095), "2018-11-30T17:29:35.109500Z");
    EXPECT_EQ(clock_text(-0.25), "1969-12-31T23:59:59.750000Z");
    EXPECT_EQ(clock_text(1e300), "9999-12-31T23:59:59.000000Z");
    EXPECT_EQ(clock_text(-1e300), "0000-01-01T00:00:00.000000Z");
}

}  // namespace
}  // namespace fermat
