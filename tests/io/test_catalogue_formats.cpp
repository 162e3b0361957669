// What is written in the formats of others is read back as it was, to the precision of each format,
// and has the columns of their descriptions; what they cannot hold is told or refused.
#include "io/catalogue_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "expect_error.hpp"
#include "io/clock.hpp"
#include "io/phase_picks.hpp"
#include "io/survey_file.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using test::expect_error;

/// A plane in the south-west, so that no sign is right by chance.
const LocalPlane plane{{-70.5, -33.25}, 1000};

/// Two events of the last centuries, three stations, P and S.
SurveyFile sample() {
    SurveyFile out;
    out.plane = plane;
    Survey& survey = out.picks;
    survey.has_errors = true;
    survey.events = {{{3.2, -4.1, 8.25}, *parse_clock("1999-12-31T23:59:59.996"), "11"},
                     {{-7.7, 2.4, 12.5}, *parse_clock("2021-03-04T05:06:07.12"), "12"}};
    survey.stations = {{{10, 5, -1.234}, "ABC"}, {{-12, 8, 0.02}, "DEFG"}, {{0.5, -9, -0.5}, "X1"}};
    const auto add = [&](int event, int station, double travel, double error, Phase phase) {
        survey.arrivals.push_back(
            {event, station, survey.events[static_cast<std::size_t>(event)].origin_time + travel,
             error, phase});
    };
    add(0, 0, 2.31, 0.05, Phase::P);
    add(0, 0, 4.02, 0.1, Phase::S);
    add(0, 1, 3.5, 0.05, Phase::P);
    add(1, 1, 2.75, 0.2, Phase::P);
    add(1, 2, 3.125, 0.4, Phase::P);
    add(1, 2, 5.5, 0.05, Phase::S);
    return out;
}

class CatalogueFormats : public test::TempFolder {
  protected:
    void write(const SurveyFile& file, const std::string& name, WriteOptions options = {},
               const Catalogue* found = nullptr) {
        notes_ = {};
        write_picks_as(at(name), {file, {}, found}, options, notes_);
    }
    SurveyFile again(const std::string& name, const std::string& stations) {
        Notes ignored;
        std::optional<test::fs::path> places;
        if (!stations.empty()) places = at(stations);
        return read_phase_picks({at(name), places, {}, plane.centre}, ignored);
    }
    /// All that a format keeps: order, phases, travel times, errors and places.
    void expect_same(const Survey& survey, const Survey& read, double time, double length,
                     double error) {
        ASSERT_EQ(read.arrivals.size(), survey.arrivals.size());
        ASSERT_EQ(read.events.size(), survey.events.size());
        for (std::size_t n = 0; n < read.arrivals.size(); ++n) {
            const Arrival& a = survey.arrivals[n];
            const Arrival& b = read.arrivals[n];
            EXPECT_EQ(a.phase, b.phase) << n;
            EXPECT_NEAR(a.time - survey.event_of(a).origin_time,
                        b.time - read.event_of(b).origin_time, time)
                << n;
            expect_near(survey.station_of(a).position, read.station_of(b).position, length);
            expect_near(survey.event_of(a).position, read.event_of(b).position, length);
            if (error > 0) {
                EXPECT_NEAR(a.error, b.error, error * a.error) << n;
            }
        }
    }
    void expect_near(Vec3 a, Vec3 b, double length) {
        EXPECT_NEAR(a.x, b.x, length);
        EXPECT_NEAR(a.y, b.y, length);
        EXPECT_NEAR(a.z, b.z, length);
    }
    bool told(const std::string& part) const {
        return std::any_of(
            notes_.sentences().begin(), notes_.sentences().end(),
            [&](const std::string& one) { return one.find(part) != std::string::npos; });
    }
    std::string all_told() const {
        std::string text;
        for (const std::string& one : notes_.sentences()) text += one + "\n";
        return text;
    }
    std::string line(const std::string& name, std::size_t number) const {
        const std::string whole = content(at(name));
        std::size_t begin = 0;
        for (; number > 1; --number) begin = whole.find('\n', begin) + 1;
        return whole.substr(begin, whole.find('\n', begin) - begin);
    }
    WriteOptions with_stations(const std::string& name, WrittenFormat format) const {
        return {format, at(name)};
    }
    Notes notes_;
};

TEST_F(CatalogueFormats, VelestComesBackToItsDecimalsAndHasItsColumns) {
    write(sample(), "e.cnv", with_stations("e.sta", WrittenFormat::automatic));
    // (3i2,1x,2i2,1x,f5.2,1x,f7.4,a1,1x,f8.4,a1,2f7.2) and (6(a4,a1,i1,f6.2)); the origin second
    // 59.996 is rounded before the date is taken apart.
    EXPECT_EQ(line("e.cnv", 1).substr(0, 18), "000101 0000 00.00 ");
    EXPECT_EQ(line("e.cnv", 1).substr(25, 2), "S ");
    EXPECT_EQ(line("e.cnv", 1)[35], 'W');
    EXPECT_EQ(line("e.cnv", 1).substr(36), "   8.25   0.00");
    EXPECT_EQ(line("e.cnv", 2), "ABC P0  2.31ABC S1  4.02DEFGP0  3.50");
    EXPECT_EQ(line("e.cnv", 3), "");
    EXPECT_EQ(line("e.sta", 1), "(a4,f7.4,a1,1x,f8.4,a1,1x,i4,1x,i1,1x,i3,1x,f5.2,2x,f5.2)");
    EXPECT_EQ(line("e.sta", 2).substr(0, 4) + line("e.sta", 2).substr(22),
              "ABC  1234 1   1  0.00   0.00");
    const SurveyFile read = again("e.cnv", "e.sta");
    expect_same(sample().picks, read.picks, 0.0051, 0.012, 1e-9);
    EXPECT_TRUE(told("times are held to 0.01 s")) << all_told();
    EXPECT_TRUE(told("magnitudes of 2 of 2 events are not known")) << all_told();
    EXPECT_TRUE(told("names of 2 events are not kept")) << all_told();
}

TEST_F(CatalogueFormats, SimulpsComesBackWithSMinusP) {
    write(sample(), "eqks", with_stations("stns", WrittenFormat::simulps));
    EXPECT_EQ(line("eqks", 1).substr(0, 17), "000101 0000 00.00");
    EXPECT_EQ(line("eqks", 2), "ABC  P 0  2.31ABC  SP1  1.71DEFG P 0  3.50");
    EXPECT_EQ(line("eqks", 3), "0");
    EXPECT_EQ(line("stns", 2), "3");
    EXPECT_EQ(line("stns", 3).substr(0, 6), "  ABC ");
    EXPECT_EQ(line("stns", 3).substr(24, 5), " 1234");
    // The minutes of places are to a hundredth: 9 m of latitude at most, as rounded.
    expect_same(sample().picks, again("eqks", "stns").picks, 0.0101, 0.012, 1e-9);
    SurveyFile lonely = sample();
    lonely.picks.arrivals.erase(lonely.picks.arrivals.begin());
    write(lonely, "eqks", with_stations("stns", WrittenFormat::simulps));
    EXPECT_TRUE(told("1 of 5 picks are left out: S without P")) << all_told();
}

TEST_F(CatalogueFormats, HypoDdKeepsIdsWeightsAndMilliseconds) {
    write(sample(), "phase.dat", with_stations("station.dat", WrittenFormat::automatic));
    EXPECT_EQ(line("phase.dat", 1).substr(0, 27), "# 1999 12 31 23 59 59.996 -")
        << line("phase.dat", 1);
    const SurveyFile read = again("phase.dat", "station.dat");
    expect_same(sample().picks, read.picks, 1e-6, 2e-4, 1e-5);
    EXPECT_EQ(read.picks.events[1].id, "12");
    EXPECT_NEAR(read.picks.events[0].origin_time, sample().picks.events[0].origin_time, 1e-6);
    EXPECT_NEAR(read.picks.events[1].origin_time, sample().picks.events[1].origin_time, 1e-6);
    SurveyFile named = sample();
    named.picks.events[0].id = "first";
    write(named, "phase.dat");
    EXPECT_TRUE(told("2 names are not kept and become numbers")) << all_told();
    EXPECT_TRUE(told("names stations without their places")) << all_told();
}

TEST_F(CatalogueFormats, NonLinLocKeepsNamesErrorsAndTenthsOfMilliseconds) {
    write(sample(), "e.obs", with_stations("g.txt", WrittenFormat::automatic));
    EXPECT_EQ(line("e.obs", 2),
              "ABC    ?    ?    ? P      ? 20000101 0000    2.3060 GAU  5.00e-02 -1.00e+00 "
              "-1.00e+00 -1.00e+00");
    const SurveyFile read = again("e.obs", "g.txt");
    const Survey& survey = read.picks;
    ASSERT_EQ(survey.arrivals.size(), 6U);
    EXPECT_EQ(survey.events[0].id, "11");
    for (std::size_t n = 0; n < 6; ++n) {
        EXPECT_NEAR(survey.arrivals[n].time, sample().picks.arrivals[n].time, 0.000051);
        EXPECT_NEAR(survey.arrivals[n].error, sample().picks.arrivals[n].error, 1e-9);
    }
    EXPECT_TRUE(told("places and origin times of 2 events are not kept")) << all_told();
    SurveyFile flat = sample();
    flat.plane.reset();
    flat.picks.has_errors = false;
    write(flat, "e.obs", with_stations("g.txt", WrittenFormat::automatic));
    EXPECT_EQ(line("g.txt", 1), "GTSRCE ABC XYZ 10 5 -1.234 0.0");
    EXPECT_TRUE(told("6 picks have no errors and get 0.05 s")) << all_told();
}

TEST_F(CatalogueFormats, TomoAttComesBackWithoutErrors) {
    const SurveyFile file = sample();
    write(file, "src_rec.dat");
    EXPECT_EQ(line("src_rec.dat", 1).substr(0, 23), "0 1999 12 31 23 59 59.9");
    Notes ignored;
    const SurveyFile read = read_survey_file(at("src_rec.dat"), {}, ignored);
    ASSERT_EQ(read.picks.arrivals.size(), 6U);
    for (std::size_t n = 0; n < 6; ++n) {
        const Arrival& a = read.picks.arrivals[n];
        const Arrival& b = file.picks.arrivals[n];
        EXPECT_NEAR(a.time - read.picks.event_of(a).origin_time,
                    b.time - file.picks.event_of(b).origin_time, 2e-6);
        EXPECT_EQ(a.phase, b.phase);
        EXPECT_EQ(read.picks.station_of(a).id, file.picks.station_of(b).id);
    }
    EXPECT_EQ(clock_text(read.picks.events[0].origin_time), "1999-12-31T23:59:59.996000Z");
    EXPECT_EQ(read.magnitudes.size(), 2U);
    EXPECT_TRUE(told("the errors of 6 picks are not kept")) << all_told();
}

TEST_F(CatalogueFormats, LotosComesBackByNumbersAndNeedsItsStations) {
    expect_error<InputError>([&] { write(sample(), "rays.dat"); }, "`output_stations`");
    write(sample(), "rays.dat", with_stations("stat_ft.dat", WrittenFormat::automatic));
    EXPECT_EQ(line("rays.dat", 2), "1 1 2.3100");
    EXPECT_EQ(line("rays.dat", 3), "2 1 4.0200");
    expect_same(sample().picks, again("rays.dat", "stat_ft.dat").picks, 0.000051, 2e-4, 0);
    EXPECT_TRUE(told("origin times of 2 events are not kept")) << all_told();
}

TEST_F(CatalogueFormats, QuakeMlHasOriginsErrorsAndArrivals) {
    const SurveyFile file = sample();
    Catalogue found;
    for (const Event& event : file.picks.events) {
        Hypocentre one;
        one.status = LocationStatus::located;
        one.position = event.position;
        one.origin_time = event.origin_time;
        one.covariance = {{{0.04, 0, 0}, {0, 0.01, 0}, {0, 0, 0.09}}};
        one.time_error = 0.02;
        one.gap = 123;
        found.events.push_back(one);
    }
    PickFit fit;
    fit.residual = -0.031;
    fit.weight = 0.01;  // gross: QuakeML says so, other formats leave it out
    fit.azimuth = 45;
    fit.take_off = 110.5;
    found.fits.assign(6, fit);
    write(file, "e.xml", with_stations("s.xml", WrittenFormat::automatic), &found);
    const std::string text = content(at("e.xml"));
    for (const char* part :
         {"<value>1999-12-31T23:59:59.996000Z</value>", "<uncertainty>300.00</uncertainty>",
          "<timeResidual>-0.031000</timeResidual>", "<timeWeight>0.0100</timeWeight>",
          "<azimuth>45.00</azimuth>", "<value>110.50</value>", "<azimuthalGap>123.0</azimuthalGap>",
          "networkCode=\"XX\" stationCode=\"ABC\"", "<value>8250.00</value>",
          "<azimuthMaxHorizontalUncertainty>90.0<"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part;
    }
    EXPECT_NE(content(at("s.xml")).find("<Elevation>1234.00</Elevation>"), std::string::npos);
    EXPECT_TRUE(told("3 of 3 stations have no network")) << all_told();
    expect_error<InputError>([&] { write(file, "e.cnv", {}, &found); }, "none of 2 events");
    SurveyFile named = sample();
    named.picks.stations[0].id = "CI_NJQ_--";
    named.picks.stations[1].id = "VERYLONGNAME";
    write(named, "e.xml");
    EXPECT_NE(content(at("e.xml")).find("networkCode=\"CI\" stationCode=\"NJQ_--\""),
              std::string::npos);
    EXPECT_TRUE(told("1 of 3 stations have their networks before '_'")) << all_told();
    EXPECT_TRUE(told("1 of 3 stations have more than the 8 letters")) << all_told();
    named.picks.stations[1].id = "CI.NJQ_--";
    expect_error<InputError>([&] { write(named, "e.xml"); }, "would both be 'CI.NJQ_--'");
}

TEST_F(CatalogueFormats, WhatCannotComeBackIsRefused) {
    SurveyFile file = sample();
    file.picks.stations[0].id = "LONGER_STATION1";
    file.picks.stations[1].id = "LONGER_STATION2";
    expect_error<InputError>([&] { write(file, "e.cnv"); },
                             "'LONGER_STATION1' and 'LONGER_STATION2' would both be 'STATIO'");
    EXPECT_FALSE(test::fs::exists(at("e.cnv")));
    file.picks.stations[0].id = "CI.ABC";
    file.picks.stations[1].id = "NC.LONGERN";
    write(file, "e.cnv");
    EXPECT_TRUE(told("names of 1 of 3 stations are shortened to 6")) << all_told();
    file = sample();
    file.plane.reset();
    expect_error<InputError>([&] { write(file, "e.xml"); }, "without a plane");
    file = sample();
    file.picks.events[0].origin_time -= 60.0 * 365 * 86400;
    expect_error<InputError>([&] { write(file, "e.cnv"); }, "year 1940");
    file = sample();
    file.picks.stations[0].position.z = -15;
    expect_error<InputError>([&] { write(file, "e.cnv"); }, "does not fit into 4 columns");
    file = sample();
    file.picks.arrivals[0].time += 2000;
    expect_error<InputError>([&] { write(file, "e.cnv"); }, "does not fit into 6 columns");
    file = sample();
    file.picks.is_2d = true;
    expect_error<InputError>([&] { write(file, "phase.dat"); }, "2-D");
    file = sample();
    file.picks.stations[0].id = "A B";
    expect_error<InputError>([&] { write(file, "e.obs"); }, "has a blank");
    expect_error<InputError>([&] { write(sample(), "e.txt"); }, "`output_format`");
    expect_error<InputError>(
        [&] {
            write(sample(), "src_rec", {WrittenFormat::src_rec, at("s")});
        },
        "`output_stations`");
}

TEST_F(CatalogueFormats, EventsWithoutPlaceOrTimeAreToldAndNeverWrittenAsSomething) {
    SurveyFile file = sample();
    file.picks.events[0].position = {NAN, NAN, NAN};
    write(file, "phase.dat");
    EXPECT_TRUE(told("1 of 2 events are left out: they have no place")) << all_told();
    file = sample();
    file.picks.events[1].origin_time = file.picks.arrivals[3].time;  // as read without one
    write(file, "phase.dat");
    EXPECT_TRUE(told("1 of 2 events are left out: they have a place and no origin time"))
        << all_told();
    file.picks.arrivals[0].time -= 100;
    write(file, "phase.dat");
    EXPECT_TRUE(told("1 of 6 picks are left out: they are before their event")) << all_told();
    file = sample();
    for (Event& event : file.picks.events) event.position = {NAN, NAN, NAN};
    expect_error<InputError>([&] { write(file, "e.cnv"); }, "locate them first");
    write(file, "e.xml");
    EXPECT_TRUE(told("2 of 2 events have no place or no origin time")) << all_told();
    EXPECT_EQ(content(at("e.xml")).find("<origin "), std::string::npos);
    for (Arrival& arrival : file.picks.arrivals) arrival.time = 10;
    write(file, "e.obs");
    EXPECT_TRUE(told("times of the picks are no dates")) << all_told();
}

}  // namespace
}  // namespace fermat
