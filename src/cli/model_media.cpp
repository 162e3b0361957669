#include "cli/model_media.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/python_package.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/model_io.hpp"
#include "model/metric_makers.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct MediaFlags {
    fs::path base;
    fs::path output;
};

void add_files(CLI::App& app, MediaFlags& flags) {
    add_path(app, "--base", flags.base, "model to start from")->required();
    add_output(app, "-o,--output", flags.output, "model to write: .h5, or .vts for ParaView")
        ->required();
}

struct SphereFlags : MediaFlags {
    double radius = 6371;
    bool geodetic = false;

    void add(CLI::App& app) {
        add_files(app, *this);
        add_real(app, "--radius", radius, "of depth 0, in the unit of depths")->default_str("6371");
        app.add_flag("--geodetic", geodetic,
                     "latitudes of points are geodetic (WGS84); those of the grid stay geocentric");
    }
    Model make(Notes& notes) const {
        return spherical_model(read_model(base, notes), radius, geodetic);
    }
};

struct GradedFlags : MediaFlags {
    AxisNumbers growth;
    std::optional<Shape> shape;

    void add(CLI::App& app) {
        add_files(app, *this);
        add_value(app, "--growth", "X,Y,Z", growth,
                  "last step over the first along each axis, x,z in 2-D; 1 keeps steps equal",
                  parse_axes)
            ->required();
        add_value(app, "--shape", "NX,NY,NZ", shape, "nodes along each axis (default: the base's)",
                  parse_shape);
    }
    Model make(Notes& notes) const {
        const Model model = read_model(base, notes);
        return graded_model(model, to_axes(growth, model.grid().is_2d(), 1),
                            shape.value_or(model.grid().shape));
    }
};

struct TerrainFlags : MediaFlags {
    fs::path surface;
    bool draped = false;

    void add(CLI::App& app) {
        add_files(app, *this);
        add_path(app, "--surface", surface,
                 "points of the ground: CSV with columns x,z or x,y,z (z is depth), or .sgt")
            ->required();
        app.add_flag("--drape", draped,
                     "depth of the base counts from the ground (default: the velocity of a node is "
                     "that of the base where it lies)");
    }
    Model make(Notes& notes) const {
        return terrain_model(read_model(base, notes), read_surface(surface, notes),
                             draped ? Draping::draped : Draping::sampled);
    }
};

std::vector<double> parse_tensor(std::string_view flag, std::string_view text) {
    std::vector<double> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        numbers.push_back(parse_real(flag, text.substr(begin, end - begin)));
        begin = end + 1;
    }
    if (numbers.size() != 6) {
        throw InputError(flag_message(flag, text, "must be xx,yy,zz,xy,xz,yz"));
    }
    return numbers;
}

struct AnisotropyFlags : MediaFlags {
    std::optional<double> epsilon;
    std::optional<double> delta;
    std::optional<double> vs;
    std::optional<double> strength;
    std::optional<std::vector<double>> tensor;
    double tilt = 0;
    double azimuth = 0;
    double fast = 0;

    void add(CLI::App& app) {
        add_files(app, *this);
        add_value(app, "--epsilon", "V", epsilon, "Thomsen's; velocity is along the axis",
                  parse_real);
        add_value(app, "--delta", "V", delta, "Thomsen's", parse_real);
        add_real(app, "--tilt", tilt, "of Thomsen's axis from the vertical, degrees")
            ->default_str("0");
        add_real(app, "--azimuth", azimuth, "of Thomsen's axis from x to y, degrees")
            ->default_str("0");
        add_value(
            app, "--vs", "V", vs,
            "shear velocity along Thomsen's axis: times of elastic qP waves; without it those "
            "of the acoustic approximation",
            parse_real);
        add_value(
            app, "--strength", "V", strength,
            "azimuthal: velocity grows by this share along the fast direction and falls by it "
            "across",
            parse_real);
        add_real(
            app, "--fast", fast,
            "fast direction of --strength: degrees from x to y, on a sphere from north to east")
            ->default_str("0");
        add_value(app, "--tensor", "XX,YY,ZZ,XY,XZ,YZ", tensor,
                  "squared velocity over that of the model, as a tensor", parse_tensor);
    }
    Model make(Notes& notes) const {
        const int kinds =
            int{epsilon || delta} + int{strength.has_value()} + int{tensor.has_value()};
        if (kinds != 1) {
            throw InputError(
                "anisotropy is given by --epsilon and --delta, by --strength and --fast, or by "
                "--tensor (must be one of these)");
        }
        if (vs && !(epsilon || delta)) {
            throw InputError("--vs is given without --epsilon or --delta (it belongs to these)");
        }
        const Model model = read_model(base, notes);
        if (epsilon || delta) {
            return thomsen_model(
                model, {epsilon.value_or(0), delta.value_or(0), tilted_axis(tilt, azimuth)},
                vs.value_or(0));
        }
        if (strength) return elliptical_model(model, azimuthal());
        const std::vector<double>& t = *tensor;
        return elliptical_model(model,
                                {{{{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}}});
    }

  private:
    Mat3 azimuthal() const {
        if (!(std::abs(*strength) < 1)) {
            throw InputError(flag_message("--strength", fmt::format("{}", *strength),
                                          "must be between -1 and 1"));
        }
        const double along = (1 + *strength) * (1 + *strength);
        const double across = (1 - *strength) * (1 - *strength);
        const double angle = fast * std::numbers::pi / 180;
        const Vec3 to{std::cos(angle), std::sin(angle), 0};
        return Mat3::diagonal(across, across, 1) + (along - across) * outer(to);
    }
};

struct EarthFlags {
    std::string name;
    AxisNumbers latitude;
    AxisNumbers longitude;
    double depth = 0;
    AxisNumbers spacing;
    std::string phase = "P";
    std::optional<double> top;
    bool geodetic = false;
    bool layered = false;
    fs::path output;
};

void add_earth_flags(CLI::App& app, EarthFlags& flags) {
    add_value(app, "--name,name", "NAME", flags.name,
              "ak135, iasp91, prem (without its ocean), prem-ocean, or a file of TauP (.nd, .tvel)",
              parse_text)
        ->required();
    add_value(app, "--latitude", "LOW,HIGH", flags.latitude, "range in degrees", parse_axes)
        ->required();
    add_value(app, "--longitude", "LOW,HIGH", flags.longitude, "range in degrees", parse_axes)
        ->required();
    add_real(app, "--depth", flags.depth, "lowest depth in km")->required();
    add_value(app, "--spacing", "LAT,LON,KM", flags.spacing,
              "degrees of latitude and longitude, and km of depth", parse_axes)
        ->required();
    add_value(app, "--top", "KM", flags.top,
              "depth of the highest row, negative above sea level (default: 5 km above it or more, "
              "for stations on mountains)",
              parse_real);
    add_value(app, "--phase", "P|S", flags.phase, "whose velocity", parse_text)->default_str("P");
    app.add_flag("--geodetic", flags.geodetic, "latitudes of points are geodetic (WGS84)");
    app.add_flag("--layered", flags.layered,
                 "P and S in layers between the discontinuities, from sea level down, for later "
                 "phases: PcP, pP, PP, P410P");
    add_output(app, "-o,--output", flags.output, "model to write: .h5, or .vts")->required();
}

void make_earth(const EarthFlags& flags, const Run& run) {
    std::vector<std::string> words = {"earth"};
    if (run.common.quiet) words.emplace_back("--quiet");
    const auto give = [&](const char* flag, const std::string& value) {
        words.push_back(fmt::format("{}={}", flag, value));
    };
    give("--name", flags.name);
    give("--latitude", flags.latitude.text);
    give("--longitude", flags.longitude.text);
    give("--depth", fmt::format("{}", flags.depth));
    give("--spacing", flags.spacing.text);
    give("--phase", flags.phase);
    if (flags.top) give("--top", fmt::format("{}", *flags.top));
    give("--output", flags.output.string());
    if (flags.geodetic) words.emplace_back("--geodetic");
    if (flags.layered) words.emplace_back("--layered");
    become_package_command(words);
}

template <class Flags>
void add_medium_flags(CLI::App& app, Flags& flags) {
    flags.add(app);
}

template <class Flags>
void make_and_write_medium(const Flags& flags, const Run& run) {
    check_model_output(flags.output);
    Notes notes;
    const Model model = flags.make(notes);
    tell(notes);
    run.monitor.check();
    write_model(flags.output, model);
    spdlog::info("wrote '{}' with {} nodes and {}", flags.output.string(),
                 to_string(model.grid().shape), model.medium_name());
}

template <class Flags>
void add_medium(Program& program, CLI::App& group, const std::string& name,
                const std::string& description, const std::string& example) {
    program.add_command<Flags>(group, name, description, example, &add_medium_flags<Flags>,
                               &make_and_write_medium<Flags>);
}

}  // namespace

void add_model_media(Program& program, CLI::App& group) {
    const std::string base =
        "fermat model gradient --shape 41,21 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n";
    add_medium<SphereFlags>(
        program, group, "spherical", "Take x, y, z as latitude, longitude and depth",
        "fermat model gradient --shape 21,21,11 --origin 42,10,0 --spacing 0.2,0.2,5 --v0 6 "
        "--gradient 0.02 -o flat.h5\n"
        "fermat model spherical --base flat.h5 --geodetic -o crust.h5");
    add_medium<GradedFlags>(program, group, "graded",
                            "Let steps grow along the axes: a grid that is fine at the top",
                            base +
                                "fermat model graded --base model.h5 --growth 1,4 --shape 41,13 -o "
                                "graded.h5");
    add_medium<TerrainFlags>(program, group, "terrain",
                             "Let the rows of a grid follow the ground, without air",
                             base +
                                 "printf 'x,z\\n0,0.4\\n2,-0.3\\n4,0.5\\n' > ground.csv\n"
                                 "fermat model terrain --base model.h5 --surface ground.csv -o "
                                 "hill.h5");
    add_medium<AnisotropyFlags>(
        program, group, "anisotropy", "Make a model anisotropic: Thomsen, azimuthal or a tensor",
        base +
            "fermat model anisotropy --base model.h5 --epsilon 0.2 --delta 0.1 --tilt 30 -o "
            "shale.h5");
    program.add_command<EarthFlags>(
        group, "earth",
        "A region of ak135, iasp91, prem, prem-ocean or a file of TauP (by the Python package)",
        "fermat model earth ak135 --latitude 40,44 --longitude 10,15 --depth 100 --spacing "
        "0.2,0.2,5 -o crust.h5",
        &add_earth_flags, &make_earth);
}

}  // namespace fermat::cli
