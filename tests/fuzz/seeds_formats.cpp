#include <array>
#include <cstring>
#include <fstream>

#include "fuzz/seeds.hpp"
#include "io/catalogue_formats.hpp"
#include "io/format_table.hpp"
#include "io/hypodd.hpp"
#include "io/interface_file.hpp"
#include "io/joint_io.hpp"
#include "io/known_io.hpp"
#include "io/layer_run_io.hpp"
#include "io/layered_io.hpp"
#include "io/lotos.hpp"
#include "io/model_formats.hpp"
#include "io/nonlinloc_phases.hpp"
#include "io/phase_cards.hpp"
#include "io/phase_picks.hpp"
#include "io/raw_grid.hpp"
#include "io/surfer.hpp"
#include "io/survey_file.hpp"
#include "io/term_table.hpp"

namespace fermat::fuzz {
namespace {

namespace fs = std::filesystem;

template <class Number, std::size_t N>
std::string bytes_of(const std::array<Number, N>& numbers) {
    std::string bytes(N * sizeof(Number), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

/// A shot with one channel: counts at 0, 100 and 104, positions, and the time of 0.25 s at 144.
std::string gtt_seed() {
    std::string bytes(148, '\0');
    bytes[3] = 1;
    bytes[103] = 1;
    bytes[107] = 1;
    bytes[144] = 0x3e;
    bytes[145] = static_cast<char>(0x80);
    return bytes;
}

/// Events of a catalogue, and picks where the file has them.
void read_catalogue(const fs::path& file, Notes& notes) {
    PhaseRows rows("phases");
    rows.place_station("A", {0, 0, 0});
    rows.place_station("B", {1, 0, 0});
    if (is_hypodd_reloc(file)) rows.set_events(read_hypodd_reloc(file));
    rows.set_events(read_event_table(file, notes));
    if (read_hypodd_headers(file).rows.empty()) return;
    read_hypodd_phases(file, rows, notes);
    rows.finish(true, false, notes);
}

/// A classic NetCDF file of z(y, x): 2 x 2 doubles.
std::string netcdf_seed() {
    std::string bytes("CDF\x01", 4);
    const auto put = [&](std::uint32_t value) {
        for (const unsigned shift : {24U, 16U, 8U, 0U}) {
            bytes += static_cast<char>(value >> shift & 0xffU);
        }
    };
    const auto name = [&](char letter) {
        put(1);
        bytes += letter;
        bytes.append(3, '\0');
    };
    put(0);
    put(0x0A);
    put(2);
    for (const char letter : {'x', 'y'}) {
        name(letter);
        put(2);
    }
    put(0);
    put(0);
    put(0x0B);
    put(3);
    const std::uint32_t begin = static_cast<std::uint32_t>(bytes.size()) + 2 * 36 + 40;
    for (const std::uint32_t n : {0U, 1U, 2U}) {
        name("xyz"[n]);
        put(n < 2 ? 1 : 2);
        put(n < 2 ? n : 1);
        if (n == 2) put(0);
        put(0);
        put(0);
        put(6);
        put(n < 2 ? 16 : 32);
        put(begin + 16 * n);
    }
    for (const std::uint32_t high :
         {0U, 0x40340000U, 0U, 0x40340000U, 0x40080000U, 0x40080000U, 0x40100000U, 0x40100000U}) {
        put(high);  // 0, 20, 3 and 4 as doubles
        put(0);
    }
    return bytes;
}

/// A small SEG-Y of two traces, big-endian IEEE floats.
std::string segy_seed() {
    std::string bytes(3600 + 2 * 248, '\0');
    bytes[3216] = 16;
    bytes[3221] = 2;
    bytes[3225] = 5;
    for (const std::size_t trace : {3600U, 3848U}) {
        bytes[trace + 183] = trace == 3600 ? 1 : 11;
        for (const std::size_t sample : {240U, 244U}) bytes[trace + sample] = 0x40;
    }
    return bytes;
}

/// Any catalogue beside two stations.
void read_any_catalogue(const fs::path& file, Notes& notes) {
    PhaseRows rows("catalogue");
    rows.place_station("A", {0, 0, 0});
    rows.place_station("NC.B", {1, 0, 0});
    const CatalogueReader* const reader = catalogue_reader(file);
    if (reader == nullptr) return;
    if (const auto events = reader->events(file, false, notes)) rows.set_events(*events);
    reader->picks(file, rows, notes);
    rows.finish(true, false, notes);
}

std::function<void(const fs::path&)> reads_model() {
    return noting([](const fs::path& file, Notes& notes) { read_model_file(file, notes, {}); });
}

/// What was read must be writable again.
std::function<void(const fs::path&)> reads(PickFormat format, const PickReadOptions& options = {}) {
    return noting([format, options](const fs::path& file, Notes& notes) {
        const SurveyFile survey = pick_reader(format).read(file, options, notes);
        write_survey_file(fs::path(file).replace_extension(".out.csv"), survey);
    });
}

/// What was read is written in every format, or refused in words.
void read_and_write(const fs::path& file, Notes& notes) {
    const SurveyFile survey = pick_reader(PickFormat::src_rec).read(file, {}, notes);
    for (const auto& [name, format] : choices<WrittenFormat>.entries) {
        if (!is_catalogue_format(format)) continue;
        WriteOptions options;
        options.format = format;
        if (format != WrittenFormat::src_rec) {
            options.stations = fs::path(file).replace_extension(".stations");
        }
        try {
            write_picks_as(fs::path(file).replace_extension(".out"), {survey, survey.magnitudes},
                           options, notes);
        } catch (const InputError&) {
            continue;
        }
    }
}

/// The format is found by the content.
void read_whatever(const fs::path& file, Notes& notes) {
    read_plane(file);
    read_projection(file);
    read_units(file);
    read_pick_survey(file, {}, notes);
}

void read_section(const fs::path& file, Notes& notes) {
    read_surfer(file, true, Placement::nodes, notes);
    read_model_file(file, notes, {});
}

}  // namespace

std::vector<Target> format_targets(const fs::path& folder) {
    std::ofstream(folder / "shots.geo") << "1 0 0 5\n2 10 0 6\n";
    std::ofstream(folder / "receivers.geo") << "1 0 0 5 Z\n2 4 0 5.5\n";
    const std::string vs =
        "1996 0 3.0\n0 1 4.0\n0.0 2 0.0\n4.0 12.5 1 \n8.0 20 1\n0 0 \n 0 \n 0 0 \n";
    const std::string tx =
        "0.0 1.0 0.0 0\n0.5 0.4 0.01 1\n0.5 0.3 0.02 2\n1.0 0.5 0.01 1\n0.0 0.0 0.0 -1\n";
    const std::string tomo =
        "2\ns 0 0.01 2\nr 5 0.1 0 1.5 0.05\nr 5 0.1 1 2.5 0.05\ns 9 0 1\nr 1 0.2 0 2 0\n";
    const std::string src_rec =
        " 0 2013 10 6 9 20 53.00 -1.0 -0.6 9.5 2.66 2 494990 2.0\n"
        " 0 0 CI_NJQ -1.5 -0.3 219.0 P 14.786\n 0 1 CI_X -0.5 -0.5 590 S 16.7\n";
    const std::string phase_dat =
        "# 2000  1 12 20 15 39.17 37.36 -121.69 4.5 1.2 0.1 0.2 0.03 7\nA 3.1 1.0 P\nB 3 0 S\n";
    const std::string geo =
        "# local plane: longitude=12 latitude=47 metres=1000\n"
        "source_longitude,source_latitude,station_longitude,station_latitude,t_ms,err\n"
        "12,47,12.5,47.25,3,0.1\n12.1,47,13,48,20,\n";
    const std::string sgt =
        "3\n# x y z\n0 1 0\n5 2 0\n9 1.5 0\n2\n# s g t/ms err/us\n1 2 4 100\n1 3 8 200\n";
    PickReadOptions lenient;
    lenient.leave_out_bad = true;
    lenient.on_line = true;
    lenient.relative_errors = true;
    RawLayout layout;
    layout.shape = Shape{2, 1, 3};
    const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
    const std::array<double, 6> doubles = {1, 2, 3, 4, 5, 1.8e38};
    const std::string six = "DSBB" + bytes_of(std::array<std::int16_t, 2>{3, 2}) +
                            bytes_of(std::array<double, 6>{0, 2, -1, 4, 1, 6}) + bytes_of(values);
    const std::string seven = "DSRB" + bytes_of(std::array<std::int32_t, 2>{4, 1}) + "GRID" +
                              bytes_of(std::array<std::int32_t, 3>{72, 2, 3}) +
                              bytes_of(std::array<double, 8>{0, -1, 1, 5, 1, 6, 0, 1.70141e38}) +
                              "DATA" + bytes_of(std::array<std::int32_t, 1>{48}) +
                              bytes_of(doubles);
    std::string vgrids = "1 1\n4 4 4\n10 0.01 0.02\n6331 -0.01 0.5\n";
    for (int n = 0; n < 64; ++n) vgrids += "5.5\n";
    std::string faces = "2\n4 4\n0.01 0.02\n-0.01 0.5\n";
    for (int n = 0; n < 32; ++n) faces += n < 16 ? "6351\n" : "6341\n";
    return {
        {"pyrefra", ".dat", {"1 2 0.006 0.005 0.007\n2 1 -0.1 0 1\n"}, reads(PickFormat::pyrefra)},
        {"vs", ".vs", {vs}, reads(PickFormat::seisimager)},
        {"tx", ".in", {tx}, reads(PickFormat::rayinvr)},
        {"tomo2d", ".dat", {tomo}, reads(PickFormat::tomo2d)},
        {"src_rec", ".dat", {src_rec}, noting(read_and_write)},
        {"phasedat",
         ".dat",
         {phase_dat, "20000112  20153917 37.36 -121.69 4.5 1.2 0.1 0.2 0.03 7\n",
          "event,longitude,latitude,depth,origin_time\n7,1,2,3,2000-01-12T20:15:39\n",
          "7 37.36 -121.69 4.5 1 2 3 9 9 9 2000 1 12 20 15 39.17 1.2 0 0 3 1 0 0.03 1\n",
          "NLLOC \"a\"\nGEOGRAPHIC  OT 2018 11 30  17 29 29.0  Lat 61.3 Long -149.9 Depth 45\n"
          "PHASE ID\nA ? BHZ ? P ? 20181130 1729 35.1 GAU 2e-2 0 1 0.1 1\nEND_PHASE\n"},
         noting(read_catalogue)},
        {"obs",
         ".obs",
         {"A ? BHZ ? P ? 20181130 1729 35.1 GAU 2e-2 0 1 0.1 1\n\nB ? ? ? S ? 20181130 1730 1.5 "
          "GAU 1 0 1 1\n",
          "NLLOC\nGEOGRAPHIC  OT 2018 11 30  17 29 29.0  Lat 61.3 Long -149.9 Depth 45\nPHASE ID\n"
          "A ? BHZ ? P ? 20181130 1729 35.1 GAU 2e-2 0 1 0.1 1\nEND_PHASE\n"},
         noting([](const fs::path& file, Notes& notes) {
             PhaseRows rows("obs");
             rows.place_station("A", {0, 0, 0});
             rows.place_station("B", {1, 0, 0});
             rows.set_events(read_nonlinloc_hypocentres(file, false));
             read_nonlinloc_phases(file, rows);
             rows.finish(true, false, notes);
         })},
        {"stationdat",
         ".dat",
         {"A 37.5 -121:45.5 120\nB 37 -121\n", "GTSRCE A LATLON 61.2 -149.9 0 0.5\n",
          "GTSRCE B LATLONDM 61 30.0 N 150 6.0 W 0.1 0.0\n",
          "station,longitude,latitude,elevation\nA,1,2,3\n"},
         noting([](const fs::path& file, Notes& notes) {
             PlaceTable table = read_station_table(file, notes);
             if (const auto plane = plane_of({&table}, {})) put_on_plane(table, *plane);
         })},
        {"cnv",
         ".cnv",
         {"90 1 1 1349 10.36 36.6745N 121.3038W   6.08   2.10\nA   P0  1.51B   S1  2.50\n\n",
          "900101 1349 10.36 36.6745N 121.3038W   6.08   2.10\nA     P0  1.51B     S1  2.50\n",
          "900101 1349 10.36 36 40.47 121 18.23   6.08   2.10\nA   IP 0  1.51A    S 1  1.00\n0\n",
          "900101 1349 10.36 36 40.47 121E18.23   6.08   2.10\nA   IP 0 1.5100A    S 1 1.0000\n"},
         noting([](const fs::path& file, Notes& notes) {
             const auto kind = phase_cards_of(file).value_or(PhaseCards::velest);
             PhaseRows rows("cards");
             rows.place_station("A", {0, 0, 0});
             rows.place_station("B", {1, 0, 0});
             rows.set_events(read_card_events(file, kind, notes));
             read_card_phases(file, kind, rows, notes);
             rows.finish(true, false, notes);
         })},
        {"cardstations",
         ".sta",
         {"(a4,f7.4,a1,1x,f8.4,a1,1x,i4,1x,i1)\nA   36.6745N 121.3038W  120 1\n"
          "BBBB36.6745S 021.3038E  -12 1\n",
          "36 40.0 121 18.0 0.0\n2\n  A   36 40.47 121 18.23  120 0.0 0.0  0\n"
          "  B   36S40.47 121E18.23  120\n"},
         noting([](const fs::path& file, Notes&) {
             if (is_velest_stations(file)) {
                 read_velest_stations(file);
             } else if (is_simulps_stations(file)) {
                 read_simulps_stations(file);
             }
         })},
        {"lotos",
         ".dat",
         {"-121.3 36.7 6.1 2\n1 1 1.51\n2 2 2.5\n-121.2 36.8 3 1\n1 2 0.7\n",
          "-121.3 36.7 -0.12 AAA\n-121.2 36.8 0.01\n"},
         noting([](const fs::path& file, Notes& notes) {
             read_lotos_stations(file);
             if (!is_lotos_rays(file)) return;
             PhaseRows rows("rays");
             rows.place_station("1", {0, 0, 0});
             rows.place_station("2", {1, 0, 0});
             rows.set_events(read_lotos_events(file));
             read_lotos_rays(file, rows);
             rows.finish(false, false, notes);
         })},
        {"hypocentres",
         ".csv",
         {"station,event,longitude,latitude,depth,origin_time\nA,7,1,2,3,2000-01-12T20:15:39\n",
          "station,event,x,y,z,origin_time\nA,7,1,2,3,5\nB,8,1,2,4,5.5\n"},
         noting([](const fs::path& file, Notes& notes) {
             read_hypocentres({{}, file, file, {}}, notes);
         })},
        {"known",
         ".csv",
         {"event,known\n7,place\n8,both\n", "event,known\n8,time\n"},
         noting([](const fs::path& file, Notes& notes) {
             Survey survey;
             survey.events = {{{}, 0, "7"}, {{}, 0, "8"}};
             read_known_events(file, survey, notes);
         })},
        {"dtct",
         ".ct",
         {"# 7 8\nA 3.1 3.0 1.0 P\n# 8 7 0.02\nA -0.08 0.9 S\n"},
         noting([](const fs::path& file, Notes& notes) {
             Survey survey;
             survey.events = {{{}, 0, "7"}, {{}, 0, "8"}};
             survey.stations = {{{}, "A"}};
             read_hypodd_differences(file, survey, notes);
         })},
        {"station_terms",
         ".csv",
         {"station,phase,term\nA,P,0.1\nA,S,-0.2\n",
          "station,phase,x,y,z,term,weight,radius\nA,P,1,2,3,0.1,0.5,4\nA,P,2,2,3,0.2,1,4\n"},
         noting([](const fs::path& file, Notes& notes) {
             Survey survey;
             survey.events = {{{}, 0, "7"}};
             survey.stations = {{{}, "A"}};
             read_station_terms(TextFile(file), survey, nullptr, false, notes);
         })},
        {"quakeml",
         ".xml",
         {"<q:quakeml><eventParameters><event publicID=\"a/7\"><pick publicID=\"p\"><time><value>"
          "2019-07-06T03:19:55Z</value><uncertainty>0.1</uncertainty></time><waveformID "
          "stationCode=\"A\"/><phaseHint>P</phaseHint></pick><origin publicID=\"o\"><time><value>"
          "2019-07-06T03:19:50Z</value></time><latitude><value>1</value></latitude><longitude>"
          "<value>2</value></longitude><arrival><pickID>p</pickID><phase>S</phase></arrival>"
          "</origin></event></eventParameters></q:quakeml>",
          "<seiscomp><EventParameters><pick "
          "publicID=\"p\"><time><value>2019-07-06T03:19:55Z</value>"
          "</time><waveformID networkCode=\"NC\" stationCode=\"B\"/></pick><origin publicID=\"o\">"
          "<time><value>2019-07-06T03:19:50Z</value></time><arrival><pickID>p</pickID><phase>P"
          "</phase></arrival></origin><event publicID=\"e\"><preferredOriginID>o"
          "</preferredOriginID></event></EventParameters></seiscomp>"},
         noting(read_any_catalogue)},
        {"stationxml",
         ".xml",
         {"<FDSNStationXML><Network code=\"A\"><Station "
          "code=\"B\"><Latitude>1</Latitude><Longitude>2"
          "</Longitude></Station></Network></FDSNStationXML>",
          "<seiscomp><Inventory><network code=\"A\"><station code=\"B\"><latitude>1</latitude>"
          "<longitude>2</longitude></station></network></Inventory></seiscomp>"},
         noting([](const fs::path& file, Notes& notes) { read_station_table(file, notes); })},
        {"hypo71",
         ".prt",
         {"A   IPU0 6912010304 10.36       12.10ES 1\n                 10\n",
          "A    NC  VVHZ IPU0199205282054 4062\n\n"},
         noting(read_any_catalogue)},
        {"gp", ".gp", {"2.0 5.5\n4.0 9.0\n/ 0.0\n2.0 8.0\n/ 6.0\n"}, reads(PickFormat::refrapick)},
        {"tom",
         ".tom",
         {"5.5 1 0 0 2 0.5\n9 1 0 0 4 1\n", "5.5 1 0 1 0 2 2 0\n-1 1 4 1 0 2\n"},
         reads(PickFormat::reflexw)},
        {"segy", ".sgy", {segy_seed()}, reads_model()},
        {"rsf",
         ".rsf",
         {"n1=2 n2=3 d1=0.5 data_format=\"native_float\" in=\"stdin\"\n\x0c\x0c\x04" +
          bytes_of(values)},
         reads_model()},
        {"vo",
         ".vo",
         {"GOCAD Voxet 1\nAXIS_O 0 0 0\nAXIS_U 2 0 0\nAXIS_V 0 1 0\nAXIS_W 0 0 3\nAXIS_N 3 1 2\n"
          "PROPERTY 1 vp\nPROP_FILE 1 fuzz-vo.raw\n"},
         reads_model(),
         ".raw",
         bytes_of(values)},
        {"vgrids", ".in", {vgrids}, noting([](const fs::path& file, Notes& notes) {
             fmtomo_model.read(file, {}, notes);
         })},
        {"vin",
         ".in",
         {" 1 0.0 10.0\n 0 0.0 0.0\n 0 0\n 1 10.0\n 0 2.0\n 0\n 1 10.0\n 0 3.0\n 0\n 2 0.0 10.0\n"
          " 0 5.0 5.0\n"},
         noting([](const fs::path& file, Notes& notes) { zelt_model.read(file, {}, notes); })},
        {"layers",
         ".smesh",
         {"2 3 1.5 0.33\n0 10\n-1 1\n0 2 4\n4 5 6\n4 5 6\n"},
         noting([](const fs::path& file, Notes& notes) {
             LayeredReadOptions options;
             options.spacing = Vec3{1, 1, 1};
             options.interfaces = fs::path(file).replace_extension(".refl");
             read_layered(file, notes, options);
             read_smesh_layers(TextFile(file), options, notes);
         }),
         ".refl",
         "0 2\n10 3\n"},
        {"interface",
         ".grd",
         {"DSAA\n3 3\n0 20\n0 20\n2 4\n2 2 2\n3 3 1.70141e38\n4 4 4\n", netcdf_seed(),
          "x,y,depth\n0,0,3\n0,20,3\n20,0,3\n20,20,4\n", "0 3\n20 4\n"},
         noting([](const fs::path& file, Notes& notes) {
             const Grid grid{{5, 4, 6}, {0, 0, 0}, {5, 5, 2}};
             interface_from_file(file, "moho", Place(grid), {}, notes);
         })},
        {"depth_data",
         ".csv",
         {"x,depth,error\n1,30,0.5\n20,31,0.5\n", "x,y,depth,error\n1,2,30,0.5\n"},
         noting([](const fs::path& file, Notes& notes) { read_depth_data(file, "moho", notes); })},
        {"rayinvr_codes",
         ".in",
         {" &pltpar  iplot=1, &end\n &trapar  ray=1.2,2.2,2.3, ivray=1,2,3, &end\n"},
         noting([](const fs::path& file, Notes& notes) { read_rayinvr_codes(file, notes); })},
        {"known_log",
         ".csv",
         {"x,z,velocity,error\n1,2,3,0.1\n1,3,3.5,0.1\n"},
         noting([](const fs::path& file, Notes& notes) { read_log(file, notes); })},
        {"known_regions",
         ".csv",
         {"region,x,z,velocity,error\na,0,0,2,0.1\na,1,0,2,0.1\na,1,1,2,0.1\n"},
         noting([](const fs::path& file, Notes& notes) { read_regions(file, notes); })},
        {"known_interfaces",
         ".csv",
         {"interface,x,z\na,0,1\na,2,1.5\n", "x,y,z\n0,0,1\n2,0,1.5\n0,2,1\n"},
         noting([](const fs::path& file, Notes& notes) { read_interfaces(file, notes); })},
        {"fmtomo_layers",
         ".in",
         {vgrids},
         noting([](const fs::path& file, Notes& notes) {
             LayeredReadOptions options;
             options.interfaces = fs::path(file).replace_extension(".faces");
             read_fmtomo_layers(TextFile(file), options, notes);
         }),
         ".faces",
         faces},
        {"zelt_layers",
         ".in",
         {" 1    0.00   50.00\n 0    0.00    0.00\n            0       0\n 1   50.00\n 0    4.00\n"
          "            0\n 1   50.00\n 0    6.00\n            0\n 2    0.00   50.00\n 0   10.00   "
          "12.00\n"},
         noting([](const fs::path& file, Notes& notes) {
             LayeredReadOptions options;
             options.spacing = Vec3{5, 1, 1};
             read_zelt_layers(TextFile(file), options, notes);
         })},
        {"smesh", ".smesh", {"2 3 1.5 0.33\n0 10\n-1 1\n0 2 4\n4 5 6\n4 5 6\n"}, reads_model()},
        {"gtt", ".gtt", {gtt_seed()}, reads(PickFormat::gtt)},
        {"geo", ".csv", {geo, "sx;gx;t [ms]\n0;5,5;4\n0;9;8\n"}, reads(PickFormat::table, lenient)},
        {"sgtline", ".sgt", {sgt}, reads(PickFormat::sgt, lenient)},
        {"sniff",
         ".txt",
         {vs, tx, tomo, src_rec, "sx gx t\n0 5 4\n",
          "# proj: EPSG:32611 metres=1\nsx gx t\n0 5 4\n"},
         noting(read_whatever)},
        {"grd",
         ".grd",
         {"DSAA\n3 2\n0 2\n-1 4\n1 6\n1 2 3\n4 5 1.70141e+38\n", six, seven},
         noting(read_section)},
        {"raw", ".bin", {bytes_of(values)}, noting([layout](const fs::path& file, Notes&) {
             read_raw(file, layout);
         })},
        {"eas",
         ".eas",
         {"grid (2x1x3)\n2\nfacies\nvelocity\n0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n"},
         noting([](const fs::path& file, Notes& notes) { read_gslib(file, {}, notes); })},
    };
}

}  // namespace fermat::fuzz
