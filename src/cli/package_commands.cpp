// Commands whose work the Python package does: pictures, files for other programs, and the headers
// of shot records. The flags are parsed here, so that help and checks are those of all commands.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/python_package.hpp"
#include "cli/unit_flags.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// The words of a command of the package, as its Python file understands them.
class Words {
  public:
    Words(const std::string& command, const Run& run) : words_{command} {
        if (run.common.quiet) words_.emplace_back("--quiet");
        if (run.common.threads > 0) give("--threads", std::to_string(run.common.threads));
    }
    /// Joined by '=', so that no value is taken for a flag.
    void give(const std::string& flag, const std::string& value) {
        words_.push_back(flag + "=" + value);
    }
    void give(const std::string& flag, const std::optional<fs::path>& file) {
        if (file) give(flag, file->string());
    }
    void give(const std::string& flag, bool set) {
        if (set) words_.push_back(flag);
    }
    [[noreturn]] void go() const { become_package_command(words_); }

  private:
    std::vector<std::string> words_;
};

struct PlotFlags {
    fs::path what;
    fs::path output;
    std::optional<fs::path> times;
    std::optional<fs::path> rays;
    std::optional<double> reduce;
    std::string kind = "auto";
    std::string title;
    UnitNames units;
    bool elevation = false;
};

void add_plot_flags(CLI::App& app, PlotFlags& flags) {
    add_path(app, "--what,what", flags.what,
             "folder of fermat invert, model (.h5, .vti, .grd, .nc, ...) or file of picks")
        ->required();
    add_output(app, "-o,--output", flags.output,
               "picture to write: .png, .pdf, .svg, .webp; .gif or .html: the iterations of a run")
        ->required();
    add_value(app, "--kind", "NAME", flags.kind,
              "of a run: overview, section, before-after, shots, curves, misfit, residuals, "
              "convergence, trade-off, trust, views, slices, animation",
              parse_text)
        ->default_str("auto");
    add_path(app, "--times", flags.times, "times to draw over a model: .h5 of fermat times");
    add_path(app, "--rays", flags.rays,
             "rays to draw over a model: .h5 of fermat rays; of fermat phases over their layered "
             "medium, with times by distance");
    add_value(app, "--reduce", "V", flags.reduce,
              "of later phases: times less distance over this velocity", parse_real);
    add_value(app, "--title", "TEXT", flags.title, "heading", parse_text);
    add_unit_flags(app, flags.units, "the run's, or by the velocities");
    app.add_flag("--elevation", flags.elevation, "an axis of heights instead of depths");
}

void plot(const PlotFlags& flags, const Run& run) {
    Words words("plot", run);
    words.give("--what", flags.what.string());
    words.give("--output", flags.output.string());
    words.give("--times", flags.times);
    words.give("--rays", flags.rays);
    if (flags.reduce) words.give("--reduce", fmt::format("{}", *flags.reduce));
    words.give("--kind", flags.kind);
    if (!flags.title.empty()) words.give("--title", flags.title);
    if (!flags.units.length.empty()) words.give("--length-unit", flags.units.length);
    if (!flags.units.time.empty()) words.give("--time-unit", flags.units.time);
    words.give("--elevation", flags.elevation);
    words.go();
}

struct ExportFlags {
    fs::path what;
    fs::path output;
    std::optional<fs::path> rays;
    std::optional<fs::path> picks;
    std::optional<fs::path> stations;
    std::optional<fs::path> s_model;
    std::optional<double> depth;
    std::string vp_vs;
    std::string table_spacing;
};

void add_export_flags(CLI::App& app, ExportFlags& flags) {
    add_path(app, "--what,what", flags.what,
             "folder of fermat invert, model in any format, or rays (.h5)")
        ->required();
    add_output_folder(
        app, "-o,--output", flags.output,
        "rays: .geojson, .vtp; model: .nc, .vti, .vtk, .csv, .xyz, .grd, .hdr, .npy, .h5; tables "
        "of "
        "times for association: .pyocto (PyOcto), .npz (GaMMA); else a folder for ParaView",
        FileRole::output_or_folder)
        ->required();
    add_path(app, "--rays", flags.rays, "rays to put into the folder for ParaView: .h5");
    add_path(
        app, "--picks", flags.picks,
        "picks whose plane gives longitudes and latitudes: to rays (.geojson) or a model (.nc, "
        ".csv)");
    add_value(app, "--depth", "V", flags.depth,
              "of a 3-D model: depth of a horizontal slice, .grd (Surfer) or .tif (GeoTIFF, by "
              "rasterio; its place on the earth is that of --picks)",
              parse_real);
    add_path(
        app, "--stations", flags.stations,
        "of tables: CSV with station,x,y,z; each gets its own (.pyocto is then a folder), which "
        "3-D models need");
    add_path(app, "--s-model", flags.s_model, "of tables: velocity model of S waves");
    add_value(app, "--vp-vs", "R", flags.vp_vs, "of tables: Vp/Vs in place of --s-model",
              parse_text);
    add_value(app, "--table-spacing", "KM", flags.table_spacing,
              "of tables, along distance and depth", parse_text)
        ->default_str("1");
}

void export_(const ExportFlags& flags, const Run& run) {
    Words words("export", run);
    words.give("--what", flags.what.string());
    words.give("--output", flags.output.string());
    words.give("--rays", flags.rays);
    words.give("--picks", flags.picks);
    if (flags.depth) words.give("--depth", fmt::format("{}", *flags.depth));
    words.give("--stations", flags.stations);
    words.give("--s-model", flags.s_model);
    if (!flags.vp_vs.empty()) words.give("--vp-vs", flags.vp_vs);
    if (!flags.table_spacing.empty()) words.give("--table-spacing", flags.table_spacing);
    words.go();
}

struct GeometryFlags {
    fs::path records;
    fs::path output;
    std::optional<fs::path> figure;
};

void add_geometry_flags(CLI::App& app, GeometryFlags& flags) {
    add_path(app, "--records,records", flags.records,
             "SEG-2 or SEG-Y file, or a folder of them, which are known by their content")
        ->required();
    add_output_folder(app, "-o,--output", flags.output,
                      "folder to write: sources.csv, receivers.csv and pairs.csv")
        ->required();
    add_output(app, "--figure", flags.figure, "picture of sources and receivers to write");
}

void geometry(const GeometryFlags& flags, const Run& run) {
    Words words("geometry", run);
    words.give("--records", flags.records.string());
    words.give("--output", flags.output.string());
    words.give("--figure", flags.figure);
    words.go();
}

struct PickFlags {
    fs::path records;
    std::optional<fs::path> output;
    std::optional<fs::path> project;
    std::optional<fs::path> shots;
    std::optional<fs::path> receivers;
    std::string delay = "auto";
    std::string frequency;  ///< empty: measured
    std::string port;       ///< empty: one that is free
    std::string rounds = "3";
    std::optional<fs::path> model;
    std::string vp_vs;
    std::string seisbench;
    bool automatic = false;
    bool no_browser = false;
};

void add_pick_flags(CLI::App& app, PickFlags& flags) {
    add_path(
        app, "--records,records", flags.records,
        "folder of shot records or of a network's, or one file: SEG-2, SEG-Y, SU, miniSEED and "
        "what ObsPy reads")
        ->required();
    app.add_flag("--auto", flags.automatic, "pick without a page and write the picks to --output");
    add_output_folder(app, "-o,--output", flags.output,
                      "with --auto: picks to write: .csv, .sgt, tx.in, a folder for PyRefra or "
                      "(segy) of SEG-Y with picks in headers; of a network: .xml (QuakeML), "
                      ".obs, phase.dat",
                      FileRole::output_or_folder);
    add_output_folder(app, "--project", flags.project,
                      "folder of the project (default: fermat-project beside the records)");
    add_path(app, "--shots", flags.shots,
             "places of shots: .geo, or .csv with number or record, x, y, z");
    add_path(
        app, "--receivers", flags.receivers,
        "places of receivers, in the same way; of a network: StationXML, or .csv with station, "
        "longitude, latitude, elevation");
    add_path(app, "--model", flags.model,
             "of a network: model of P to locate in (default: iasp91)");
    add_value(app, "--vp-vs", "RATIO", flags.vp_vs, "of a network: velocity of P over that of S",
              parse_text)
        ->default_str("1.73");
    add_value(app, "--seisbench", "MODEL", flags.seisbench,
              "of a network: pick by a model of SeisBench that is on this machine, such as "
              "PhaseNet:stead",
              parse_text);
    add_value(app, "--delay", "TIME", flags.delay,
              "time of the first sample: auto, after or before the shot as the headers have it, or "
              "seconds",
              parse_text)
        ->default_str("auto");
    add_value(app, "--frequency", "HZ", flags.frequency,
              "of the first arrivals (default: measured)", parse_text);
    add_value(app, "--rounds", "N", flags.rounds, "how often a model guides the picks", parse_text)
        ->default_str("3");
    add_value(app, "--port", "N", flags.port, "of the page (default: one that is free)",
              parse_text);
    app.add_flag("--no-browser", flags.no_browser,
                 "tell the address of the page and do not open it");
}

void pick(const PickFlags& flags, const Run& run) {
    Words words("pick", run);
    words.give("--records", flags.records.string());
    words.give("--output", flags.output);
    words.give("--project", flags.project);
    words.give("--shots", flags.shots);
    words.give("--receivers", flags.receivers);
    words.give("--delay", flags.delay);
    if (!flags.frequency.empty()) words.give("--frequency", flags.frequency);
    words.give("--rounds", flags.rounds);
    words.give("--model", flags.model);
    if (!flags.vp_vs.empty()) words.give("--vp-vs", flags.vp_vs);
    if (!flags.seisbench.empty()) words.give("--seisbench", flags.seisbench);
    if (!flags.port.empty()) words.give("--port", flags.port);
    words.give("--auto", flags.automatic);
    words.give("--no-browser", flags.no_browser);
    words.go();
}

}  // namespace

void add_package_commands(Program& program) {
    program.add_command<PlotFlags>(
        program.root(), "plot", "Draw a run, a model or picks (by the Python package)",
        "fermat model gradient --shape 101,41 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n"
        "fermat times --model model.h5 --source 1,0.5 -o times.h5\n"
        "fermat plot model.h5 --times times.h5 -o model.png",
        &add_plot_flags, &plot);
    program.add_command<ExportFlags>(
        program.root(), "export",
        "Write runs, models and rays for other programs (by the Python package)",
        "fermat model gradient --shape 21,21,11 --spacing 1 --v0 4 --gradient 0.1 -o model.h5\n"
        "printf 'x,y,z\\n10,10,5\\n' > sources.csv\n"
        "printf 'x,y,z\\n0,0,0\\n20,20,0\\n' > receivers.csv\n"
        "fermat rays --model model.h5 --sources sources.csv --receivers receivers.csv -o rays.h5\n"
        "fermat export rays.h5 -o rays.vtp\n"
        "fermat export model.h5 --rays rays.h5 -o view",
        &add_export_flags, &export_);
    program.add_command<GeometryFlags>(
        program.root(), "geometry",
        "Read where shots and receivers were from SEG-2 or SEG-Y records (by the Python package)",
        // One trace of SEG-Y, source at 0 and receiver at 10.
        "python3 -c \"open('shot.sgy', 'wb').write(bytes(3220) + bytes([0, 1, 0, 1, 0, 5])"
        " + bytes(374 + 83) + bytes([10]) + bytes(156 + 4))\"\n"
        "fermat geometry shot.sgy -o survey",
        &add_geometry_flags, &geometry);
    program.add_command<PickFlags>(
        program.root(), "pick",
        "Pick records of shots or earthquakes, in the browser or by itself (by the Python package)",
        "${FERMAT_PYTHON:-python3} -c \"from fermat.picking import synthetic_line; "
        "synthetic_line('line')\"\n"
        "fermat pick line --auto -o picks.csv",
        &add_pick_flags, &pick);
}

}  // namespace fermat::cli
