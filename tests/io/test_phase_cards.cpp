// Files of VELEST, SIMULPS and LOTOS as their documentation describes them.
#include "io/phase_cards.hpp"

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "io/clock.hpp"
#include "io/lotos.hpp"
#include "io/phase_picks.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using test::expect_error;

class PhaseCardFiles : public test::TempFolder {
  protected:
    void expect_told(const std::string& part) {
        std::string told;
        for (const std::string& sentence : notes_.sentences()) told += sentence + "\n";
        EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
    }
    Notes notes_;

    const std::string velest_stations =
        "(a4,f7.4,a1,1x,f8.4,a1,1x,i4,1x,i1,1x,i3,1x,f5.2,2x,f5.2)\n"
        "BLRM36.6667N 121.2730W  230 1   1  0.00   0.00\n"
        "BCG 36.7093N 121.3437W  305 1   2  0.01   0.00\n";
    const std::string cnv =
        "90 1 1 1349 10.36 36.6745N 121.3038W   6.08   2.10  0\n"
        "BLRMP0  1.51BCG P1  1.59BLRMS2  2.61BCG S4  2.90\n"
        "\n"
        " 8 1 2  310  7.67 36.6922N 121.3207W   4.32   3.20  0\n"
        "BCG P0  1.11NONEP0  1.58\n"
        "\n9999\n";
    const std::string simulps_stations =
        "36 40.00 121 18.00   0.00\n  2\n"
        "  BLRM36 40.00 121 16.38  230 0.00 0.00  0\n"
        "  BCG 36N42.56 121 20.62  305 0.00 0.00  0\n";
    const std::string simulps =
        "900101 1349 10.36 36 40.47 121 18.23   6.08   2.10\n"
        "BLRMIPU0  1.51BCG  P 1  1.59BLRM S 2  1.10BCG  S 4  1.30\n"
        "0   \n"
        "080102  310  7.67 36 41.53 121 19.24   4.32   3.20\n"
        "BCG IP 0  1.11BLRM S 0  0.80\n"
        "\n";
};

TEST_F(PhaseCardFiles, VelestsPhaseMinusIsSMinusP) {
    const auto picks =
        read_phase_picks({put("e.cnv",
                              "90 1 1 1349 10.36 36.6745N 121.3038W   6.08   2.10\n"
                              "BLRMP0  1.51BLRM-1  1.10BCG -0  1.00BCG M0  9.00\n\n"),
                          put("e.sta", velest_stations),
                          {},
                          {}},
                         notes_);
    ASSERT_EQ(picks.picks.arrivals.size(), 2U);
    const Arrival& s = picks.picks.arrivals[1];
    EXPECT_EQ(s.phase, Phase::S);
    EXPECT_NEAR(s.time - picks.picks.event_of(s).origin_time, 2.61, 1e-6);
    expect_told("1 times S minus P have no P at their station");
    expect_told("phases other than first P and S ('M')");
}

TEST_F(PhaseCardFiles, VelestHasTimesOfTravelOfPAndSAndWeightsFrom0To4) {
    const auto picks =
        read_phase_picks({put("e.cnv", cnv), put("e.sta", velest_stations), {}, {}}, notes_);
    const Survey& survey = picks.picks;
    ASSERT_EQ(survey.events.size(), 2U);
    ASSERT_EQ(survey.arrivals.size(), 4U);
    EXPECT_EQ(clock_text(survey.events[0].origin_time), "1990-01-01T13:49:10.360000Z");
    EXPECT_EQ(clock_text(survey.events[1].origin_time), "2008-01-02T03:10:07.670000Z");
    EXPECT_EQ(survey.events[0].position.z, 6.08);
    EXPECT_EQ(survey.stations[0].id, "BLRM");
    EXPECT_EQ(survey.stations[0].position.z, -0.23);
    EXPECT_NEAR(survey.arrivals[2].time - survey.events[0].origin_time, 2.61, 1e-6);
    EXPECT_EQ(survey.arrivals[2].phase, Phase::S);
    EXPECT_EQ(survey.arrivals[2].error, 0.2);
    ASSERT_TRUE(picks.plane && picks.has_dates);
    const GeoPoint back =
        picks.plane->to_geographic({survey.events[0].position.x, survey.events[0].position.y});
    EXPECT_NEAR(back.longitude, -121.3038, 1e-9);
    EXPECT_NEAR(back.latitude, 36.6745, 1e-9);
    expect_told("1 of 6 picks are left out: stations that are not in the stations' file ('NONE')");
    expect_told("1 of 6 picks are left out: the file gives them no weight ('BCG')");
    expect_told("years have two digits");
}

TEST_F(PhaseCardFiles, VelestWithNamesOfSixLettersIsTheSame) {
    const std::string six =
        "90 1 1 1349 10.36 36.6745N 121.3038W   6.08   2.10\nBLRM  P0  1.51BCG   P1  1.59\n";
    const auto picks =
        read_phase_picks({put("e.cnv", six), put("e.sta", velest_stations), {}, {}}, notes_);
    ASSERT_EQ(picks.picks.arrivals.size(), 2U);
    EXPECT_NEAR(picks.picks.arrivals[1].time - picks.picks.events[0].origin_time, 1.59, 1e-6);
}

TEST_F(PhaseCardFiles, SimulpsHasSMinusPAndWestPositive) {
    const auto picks =
        read_phase_picks({put("e.dat", simulps), put("s.dat", simulps_stations), {}, {}}, notes_);
    const Survey& survey = picks.picks;
    ASSERT_EQ(survey.events.size(), 2U);
    ASSERT_EQ(survey.arrivals.size(), 4U);
    EXPECT_EQ(survey.arrivals[2].phase, Phase::S);
    EXPECT_NEAR(survey.arrivals[2].time - survey.events[0].origin_time, 1.51 + 1.10, 1e-6);
    const GeoPoint back =
        picks.plane->to_geographic({survey.events[0].position.x, survey.events[0].position.y});
    EXPECT_NEAR(back.longitude, -(121 + 18.23 / 60), 1e-9);
    EXPECT_NEAR(survey.stations[1].position.z, -0.305, 1e-12);
    expect_told("1 times S minus P have no P at their station and are left out");
    // The format of Michelini, with times of seven columns.
    const std::string fine =
        "900101 1349 10.36 36 40.47 121E18.23   6.08   2.10\nBLRMIPU0 1.5123BCG  P 1 1.5900\n";
    const auto again =
        read_phase_picks({put("f.dat", fine), put("s.dat", simulps_stations), {}, {}}, notes_);
    EXPECT_NEAR(again.picks.arrivals[0].time - again.picks.events[0].origin_time, 1.5123, 1e-6);
}

TEST_F(PhaseCardFiles, LotosNumbersItsStationsAndHasNoDates) {
    const auto picks = read_phase_picks(
        {put("rays.dat",
             "-121.30 36.67 6.08 3\n1 1 1.51\n2 1 2.61\n1 3 9\n-121.32 36.69 4 1\n1 2 1.1\n"),
         put("stat_ft.dat", "-121.273 36.6667 -0.23 BLRM\n-121.3437 36.7093 -0.305\n"),
         {},
         {}},
        notes_);
    const Survey& survey = picks.picks;
    ASSERT_EQ(survey.arrivals.size(), 3U);
    EXPECT_FALSE(picks.has_dates || survey.has_errors);
    EXPECT_EQ(survey.events[1].origin_time, 0);
    EXPECT_EQ(survey.arrivals[1].phase, Phase::S);
    EXPECT_EQ(survey.arrivals[1].time, 2.61);
    EXPECT_EQ(survey.stations[1].position.z, -0.305);
    expect_told("1 of 4 picks are left out: stations that are not in the stations' file ('3')");
}

TEST_F(PhaseCardFiles, WhatIsWrongIsSaidWithItsLine) {
    const auto sta = put("e.sta", velest_stations);
    const auto read = [&](const std::string& text) {
        read_phase_picks({put("w.cnv", text), sta, {}, {}}, notes_);
    };
    const std::string head = "90 1 1 1349 10.36 36.6745N 121.3038W   6.08   2.10\n";
    expect_error<InputError>([&] { read(head + "BLRMX?  1.51\n"); },
                             "line 2: no readings are here");
    expect_error<InputError>([&] { read(head + "BLRMP0  1.51\n\nBLRMP0  1.51\n"); },
                             "line 4: an event's card");
    expect_error<InputError>([&] { read("901301 1349 10.36 36.6745N 121.3038W   6.08   2.10\n"); },
                             "line 1: there is no such date");
    expect_error<InputError>(
        [&] {
            read_phase_picks({put("n.cnv", cnv), {}, {}, {}}, notes_);
        },
        "has no places of stations");
    expect_error<InputError>([&] { read_velest_stations(put("b.sta", "(x4)\n")); },
                             "the format is '(x4)'");
    expect_error<InputError>([&] { read_velest_stations(put("c.sta", "(a4)\nABCD36.1 121.0\n")); },
                             "the latitude is");
    PhaseRows rows("rays");
    expect_error<InputError>([&] { read_lotos_rays(put("r.dat", "1 2 3 2\n1 1 1\n"), rows); },
                             "the file ends here");
}

}  // namespace
}  // namespace fermat
