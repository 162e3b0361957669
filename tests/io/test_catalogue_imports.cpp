// Catalogues and picks as the programs of others write them, made small.
#include "expect_error.hpp"
#include "io/clock.hpp"
#include "io/phase_picks.hpp"
#include "io/survey_file.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using test::expect_error;
namespace fs = std::filesystem;

class CatalogueImports : public test::TempFolder {
  protected:
    bool noted(const std::string& part) const {
        for (const std::string& sentence : notes.sentences()) {
            if (sentence.find(part) != std::string::npos) return true;
        }
        return false;
    }
    SurveyFile read(const fs::path& picks, const fs::path& stations) const {
        return read_phase_picks({picks, stations, {}, {}}, notes);
    }
    static double travel(const SurveyFile& file, std::size_t n) {
        const Arrival& arrival = file.picks.arrivals[n];
        return arrival.time - file.picks.event_of(arrival).origin_time;
    }
    /// A card with texts that start in columns, from 1.
    static std::string card(std::initializer_list<std::pair<std::size_t, std::string>> parts) {
        std::string out;
        for (const auto& [column, text] : parts) {
            out.resize(std::max(out.size(), column - 1 + text.size()), ' ');
            out.replace(column - 1, text.size(), text);
        }
        return out + "\n";
    }

    const std::string station_xml =
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<FDSNStationXML xmlns=\"http://www.fdsn.org/xml/station/1\" schemaVersion=\"1.1\">\n"
        "<Source>x</Source><Network code=\"CI\"><Description>a &amp; b</Description>\n"
        "<Station code=\"NJQ\" startDate=\"2000-01-01T00:00:00\"><Latitude unit=\"DEGREES\">34.5"
        "</Latitude><Longitude>-118.5</Longitude><Elevation>250</Elevation><Channel code=\"BHZ\" "
        "locationCode=\"\"><Latitude>1</Latitude></Channel></Station>\n"
        "<Station code=\"LRL\"><Latitude>35.0</Latitude><Longitude>-118.0</Longitude>"
        "<Elevation>1000</Elevation></Station></Network></FDSNStationXML>\n";
    const std::string quakeml =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- from a datacentre -->\n"
        "<q:quakeml xmlns=\"http://quakeml.org/xmlns/bed/1.2\" "
        "xmlns:q=\"http://quakeml.org/xmlns/quakeml/1.2\">\n<eventParameters "
        "publicID=\"smi:x/y\">\n"
        "<event publicID=\"smi:ci.anss.org/Event/CI/38457511\">\n"
        "<preferredOriginID>smi:o/2</preferredOriginID>"
        "<preferredMagnitudeID>smi:m/1</preferredMagnitudeID>\n"
        "<pick publicID=\"smi:p/1\"><time><value>2019-07-06T03:19:55.10Z</value><uncertainty>0.02"
        "</uncertainty></time><waveformID networkCode=\"CI\" stationCode=\"NJQ\" "
        "channelCode=\"BHZ\"/><phaseHint>P</phaseHint><polarity>positive</polarity></pick>\n"
        "<pick publicID=\"smi:p/2\"><time><value>2019-07-06T03:19:58.00Z</value></time>"
        "<waveformID networkCode=\"CI\" stationCode=\"NJQ\"/></pick>\n"
        "<pick publicID=\"smi:p/3\"><time><value>2019-07-06T03:19:57.00Z</value></time>"
        "<waveformID networkCode=\"CI\" stationCode=\"XXX\"/><phaseHint>P</phaseHint></pick>\n"
        "<origin publicID=\"smi:o/1\"><time><value>2019-07-06T03:19:50Z</value></time><latitude>"
        "<value>1</value></latitude><longitude><value>1</value></longitude></origin>\n"
        "<origin publicID=\"smi:o/2\"><time><value>2019-07-06T03:19:53.04Z</value></time><latitude>"
        "<value>35.77</value></latitude><longitude><value>-117.599</value></longitude><depth>"
        "<value>8000</value></depth><arrival publicID=\"a\"><pickID>smi:p/2</pickID><phase>Sg"
        "</phase></arrival></origin>\n"
        "<magnitude publicID=\"smi:m/1\"><mag><value>7.1</value></mag></magnitude>\n"
        "</event></eventParameters></q:quakeml>\n";
};

TEST_F(CatalogueImports, QuakemlAndStationxmlAreACatalogue) {
    const SurveyFile file = read(put("c.xml", quakeml), put("s.xml", station_xml));
    ASSERT_EQ(file.picks.arrivals.size(), 2U);
    EXPECT_EQ(file.picks.events[0].id, "38457511");
    EXPECT_EQ(file.magnitudes[0], 7.1);
    EXPECT_NEAR(file.picks.events[0].position.z, 8, 1e-12);
    EXPECT_EQ(file.picks.stations[0].id, "CI.NJQ");
    EXPECT_NEAR(file.picks.stations[0].position.z, -0.25, 1e-12);
    EXPECT_NEAR(travel(file, 0), 2.06, 1e-5);
    EXPECT_EQ(file.picks.arrivals[0].error, 0.02);
    EXPECT_EQ(file.picks.arrivals[1].phase, Phase::S);
    EXPECT_TRUE(file.has_dates);
    EXPECT_TRUE(noted("stations that are not in the stations' file ('CI.XXX')"));
    // A list that names stations without their networks serves as well, and so do its events.
    const auto plain = put("s.csv", "station,longitude,latitude,z\nNJQ,-118.5,34.5,0\n");
    EXPECT_EQ(read(at("c.xml"), plain).picks.stations[0].id, "NJQ");
    const PlaceTable events = read_event_table(at("c.xml"), notes);
    ASSERT_EQ(events.rows.size(), 1U);
    EXPECT_EQ(clock_text(events.rows[0].time), "2019-07-06T03:19:53.040000Z");
    EXPECT_TRUE(needs_stations(at("c.xml")));
}

TEST_F(CatalogueImports, ScmlHasItsPicksBesideItsEventsAndDepthsInKm) {
    const std::string scml =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<seiscomp "
        "xmlns=\"http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.11\" version=\"0.11\">\n"
        "<EventParameters>\n<pick publicID=\"P1\"><time><value>2020-01-01T00:00:05.5Z</value>"
        "<uncertainty>0.1</uncertainty></time><waveformID networkCode=\"GE\" stationCode=\"A\"/>"
        "<phaseHint>P</phaseHint></pick>\n"
        "<origin publicID=\"O1\"><time><value>2020-01-01T00:00:02Z</value></time><latitude><value>"
        "1</value></latitude><longitude><value>2</value></longitude><depth><value>12.5</value>"
        "</depth><arrival><pickID>P1</pickID><phase>P</phase></arrival><arrival><pickID>P9</pickID>"
        "<phase>S</phase></arrival><magnitude publicID=\"M1\"><magnitude><value>3.5</value>"
        "</magnitude></magnitude></origin>\n<event publicID=\"gfz2020abcd\"><preferredOriginID>O1"
        "</preferredOriginID><preferredMagnitudeID>M1</preferredMagnitudeID><originReference>O1"
        "</originReference></event></EventParameters></seiscomp>\n";
    const std::string inventory =
        "<?xml version=\"1.0\"?><seiscomp version=\"0.11\"><Inventory><network publicID=\"n\" "
        "code=\"GE\"><station publicID=\"s\" code=\"A\"><latitude>1.1</latitude><longitude>2.1"
        "</longitude><elevation>100</elevation></station><station code=\"A\"><latitude>1.2"
        "</latitude><longitude>2.1</longitude></station></network></Inventory></seiscomp>\n";
    const SurveyFile file = read(put("e.scml", scml), put("i.xml", inventory));
    ASSERT_EQ(file.picks.arrivals.size(), 1U);
    EXPECT_EQ(file.picks.events[0].id, "gfz2020abcd");
    EXPECT_NEAR(file.picks.events[0].position.z, 12.5, 1e-12);
    EXPECT_EQ(file.magnitudes[0], 3.5);
    EXPECT_NEAR(travel(file, 0), 3.5, 1e-5);
    EXPECT_TRUE(noted("1 arrivals name picks that are not in it"));
    EXPECT_TRUE(noted("1 stations stood elsewhere"));
}

TEST_F(CatalogueImports, DamagedXmlIsToldInASentence) {
    const auto stations = put("s.xml", station_xml);
    const auto refuses = [&](const std::string& text, const std::string& part) {
        const auto file = put("bad.xml", text);
        expect_error<InputError>([&] { read(file, stations); }, part);
    };
    refuses(quakeml.substr(0, quakeml.size() / 2), "not XML that can be read");
    std::string bad = quakeml;
    bad.replace(bad.find("2019-07-06T03:19:55.10Z"), 4, "year");
    refuses(bad, "a time is 'year-07-06T03:19:55.10Z'");
    bad = quakeml;
    bad.replace(bad.find("35.77"), 5, "north");
    refuses(bad, "latitude is 'north' (must be a number)");
    expect_error<InputError>(
        [&] {
            read_station_table(put("n.xml",
                                   "<FDSNStationXML><Network code=\"A\"><Station "
                                   "code=\"B\"/></Network></FDSNStationXML>"),
                               notes);
        },
        "station 'A.B' has no latitude or longitude");
}

TEST_F(CatalogueImports, HypoinversesArchiveHasItsEventsAndBothWaves) {
    const std::string archive =
        card({{1, "199205282054"},
              {13, "3833"},
              {17, "37"},
              {20, "2130"},
              {24, "122"},
              {28, "1340"},
              {32, "  850"},
              {137, "    123456"},
              {148, "210"}}) +
        "$1 shadow\n" +
        card({{1, "CDV"},
              {6, "NC"},
              {9, "V"},
              {10, "VHZ"},
              {14, "IP"},
              {16, "U"},
              {17, "0"},
              {18, "199205282054"},
              {30, " 4062"},
              {42, " 4250"},
              {47, "ES"},
              {50, "2"}}) +
        card({{1, "CMO"}, {6, "NC"}, {14, " P"}, {17, "4"}, {18, "199205282054"}, {30, " 4100"}}) +
        card({{63, "    123456"}});
    const std::string stations = card({{1, "CDV"},
                                       {7, "NC"},
                                       {10, "V"},
                                       {11, "VHZ"},
                                       {16, "37"},
                                       {19, "33.9800"},
                                       {26, "N"},
                                       {27, "121"},
                                       {31, "40.8100"},
                                       {38, "W"},
                                       {39, " 270"}}) +
                                 card({{1, "CMO"},
                                       {7, "NC"},
                                       {16, "37"},
                                       {19, "48.6900"},
                                       {26, " "},
                                       {27, "121"},
                                       {31, "48.1500"},
                                       {38, " "},
                                       {39, " 792"}});
    const SurveyFile file = read(put("a.arc", archive), put("a.sta", stations));
    ASSERT_EQ(file.picks.arrivals.size(), 2U);
    EXPECT_EQ(file.picks.events[0].id, "123456");
    EXPECT_NEAR(file.picks.events[0].position.z, 8.5, 1e-12);
    EXPECT_NEAR(file.magnitudes[0], 2.1, 1e-12);
    EXPECT_EQ(clock_text(file.picks.events[0].origin_time), "1992-05-28T20:54:38.330000Z");
    EXPECT_NEAR(travel(file, 0), 2.29, 1e-5);
    EXPECT_NEAR(travel(file, 1), 4.17, 1e-5);
    EXPECT_EQ(file.picks.arrivals[1].phase, Phase::S);
    EXPECT_NEAR(file.picks.arrivals[1].error, 0.2, 1e-12);
    EXPECT_NEAR(file.picks.stations[0].position.z, -0.27, 1e-12);
    EXPECT_TRUE(noted("the file gives them no weight ('CMO')"));
    EXPECT_TRUE(noted("the weights 0, 1, 2, 3 became errors"));
}

TEST_F(CatalogueImports, Hypo71sCardsHaveNoPlaces) {
    const std::string phases = card({{1, "SR01"},
                                     {5, "IPU0"},
                                     {10, "6912010304"},
                                     {20, "10.36"},
                                     {32, "12.10"},
                                     {37, "ES 1"}}) +
                               card({{1, "SR02"}, {5, "EP 2"}, {10, "691201 3 4"}, {20, "11.00"}}) +
                               card({{18, "10"}}) +
                               card({{1, "SR01"}, {5, "IPD1"}, {10, "6912010510"}, {20, "50.00"}});
    const auto stations = put("s.dat", "SR01 37.1 -121.1\nSR02 37.2 -121.2\n");
    const SurveyFile file = read(put("p.prt", phases), stations);
    ASSERT_EQ(file.picks.arrivals.size(), 4U);
    ASSERT_EQ(file.picks.events.size(), 2U);
    EXPECT_FALSE(is_finite(file.picks.events[0].position));
    EXPECT_NEAR(travel(file, 1), 1.74, 1e-5);
    EXPECT_NEAR(travel(file, 2), 0.64, 1e-5);
    EXPECT_NEAR(file.picks.arrivals[2].error, 0.2, 1e-12);
    EXPECT_TRUE(noted("years have two digits"));
    const auto bad = put("bad.prt", phases + "SR01IPU0 nothing\n");
    expect_error<InputError>([&] { read(bad, stations); }, "line 5: 'SR01IPU0 nothing' is no card");
}

TEST_F(CatalogueImports, RefrapicksShotsStandBehindTheirPicks) {
    const SurveyFile file = read_survey_file(
        put("line.gp", "2.0 5.5\n4.0 9.0\n/ 0.0\n2.0 8.0\n4.0 -1\n/ 6.0\n"), {}, notes);
    ASSERT_EQ(file.picks.arrivals.size(), 3U);
    EXPECT_TRUE(file.picks.is_2d);
    EXPECT_NEAR(file.picks.arrivals[0].time, 0.0055, 1e-12);
    EXPECT_EQ(file.picks.event_of(file.picks.arrivals[2]).position.x, 6);
    EXPECT_TRUE(noted("1 has a negative time"));
    expect_error<InputError>(
        [&] { read_survey_file(put("cut.gp", "2.0 5.5\n/ 0.0\n4.0 9.0\n"), {}, notes); },
        "a line '/' with the shot of 1 picks expected");
}

TEST_F(CatalogueImports, ReflexWsTimesAreInMillisecondsWithDepths) {
    const fs::path line = put("line.tom", "5.5 1 0 0 2 0.5\n9 1 0 0 4 1 7\n-1 1 6 0 2 0.5\n");
    const SurveyFile file = read_survey_file(line, {}, notes);
    ASSERT_EQ(file.picks.arrivals.size(), 2U);
    EXPECT_TRUE(file.picks.is_2d);
    EXPECT_NEAR(file.picks.arrivals[1].time, 0.009, 1e-12);
    EXPECT_EQ(file.picks.station_of(file.picks.arrivals[1]).position.z, 1);
    EXPECT_TRUE(noted("z downward; further columns were not read"));
    EXPECT_TRUE(noted("1 has a negative time"));
    PickReadOptions upward;
    upward.heights = true;
    const SurveyFile hill = read_survey_file(line, upward, notes);
    EXPECT_EQ(hill.picks.station_of(hill.picks.arrivals[1]).position.z, -1);
    expect_error<InputError>([&] { read_survey_file(put("cut.tom", "5 1 0 0 2\n"), {}, notes); },
                             "the line has 5 columns");
}

TEST_F(CatalogueImports, OnePickBeforeItsSourceInAHundredRefusesNoSet) {
    for (const std::string header :
         {"source_x,source_z,receiver_x,receiver_z,time\n", "sx,sz,gx,gz,t\n"}) {
        std::string table = header;
        for (int n = 1; n < 200; ++n) table += "0,0," + std::to_string(n) + ",0,1\n";
        const auto file = put("p.csv", table + "0,0,5,0,-0.01\n");
        EXPECT_EQ(read_pick_survey(file, {}, notes).picks.arrivals.size(), 199U);
        EXPECT_TRUE(noted("1 of 200 picks"));
        EXPECT_TRUE(noted("negative time"));
        const auto bad = put("q.csv", header + "0,0,5,0,-0.01\n0,0,6,0,1\n");
        expect_error<InputError>([&] { read_pick_survey(bad, {}, notes); }, "must not be negative");
        notes = {};
    }
}

}  // namespace
}  // namespace fermat
