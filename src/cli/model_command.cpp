#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/grid_flags.hpp"
#include "cli/model_layers.hpp"
#include "cli/model_media.hpp"
#include "cli/outputs.hpp"
#include "cli/python_package.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/model_files.hpp"
#include "model/makers.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct OutputFlag {
    fs::path output;
};

void add_model_output(CLI::App& app, OutputFlag& flag) {
    add_output(
        app, "-o,--output", flag.output,
        "model to write: .vtkhdf or .h5; .vti, .vts, .vtk, .hdr (NonLinLoc), .grd (Surfer), .segy, "
        ".csv, .xyz; .npy for values only")
        ->required();
}

/// Writes the model, unless the user asked to stop in the meantime.
void write(const OutputFlag& flag, const Model& model, const Run& run) {
    run.monitor.check();
    write_model(flag.output, model);
    spdlog::info("wrote '{}' with {} {}", flag.output.string(), to_string(model.given().shape()),
                 model.cells() ? "cells" : "nodes");
}

/// The options of a maker in addition to its grid, and the model that they make.
struct ConstantFlags : OutputFlag, GridFlags {
    double velocity = 0;

    void add(CLI::App& app) {
        add_real(app, "--velocity", velocity, "velocity everywhere")->required();
    }
    Model make(Notes&) const { return constant_model(grid(), velocity, placement()); }
};

struct GradientFlags : OutputFlag, GridFlags {
    double v0 = 0;
    double gradient = 0;

    void add(CLI::App& app) {
        add_real(app, "--v0", v0, "velocity at the model's top")->required();
        add_real(app, "--gradient", gradient, "growth of velocity per length downwards")
            ->required();
    }
    Model make(Notes&) const { return gradient_model(grid(), v0, gradient, placement()); }
};

struct ProfileFlags : OutputFlag, GridFlags {
    fs::path profile;

    void add(CLI::App& app) {
        add_path(app, "--profile", profile, "CSV with columns depth,velocity; linear between rows")
            ->required();
    }
    Model make(Notes& notes) const {
        return profile_model(grid(), read_profile(profile, notes), placement());
    }
};

struct RandomFlags : OutputFlag, GridFlags {
    RandomSmoothOptions options;

    void add(CLI::App& app) {
        add_real(app, "--velocity", options.velocity, "mean velocity")->required();
        add_real(app, "--amplitude", options.amplitude, "largest relative deviation")
            ->default_str("0.1");
        add_real(app, "--correlation", options.correlation, "correlation length")->required();
        add_value(app, "--seed", "N", options.seed, "another seed makes another medium", parse_seed)
            ->default_str("1");
    }
    Model make(Notes&) const { return random_smooth_model(grid(), options, placement()); }
};

struct BlocksFlags : OutputFlag, GridFlags {
    RandomBlocksOptions options;
    AxisNumbers block{"--block", "8", {8.0}};

    void add(CLI::App& app) {
        add_real(app, "--min", options.v_min, "least velocity")->required();
        add_real(app, "--max", options.v_max, "greatest velocity")->required();
        add_value(app, "--block", "N", block,
                  "nodes, or cells, along a block; or NX,NY,NZ; NX,NZ in 2-D", parse_axes)
            ->default_str("8");
        add_value(app, "--seed", "N", options.seed, "another seed makes another medium", parse_seed)
            ->default_str("1");
    }
    Model make(Notes&) const {
        RandomBlocksOptions all = options;
        all.block = to_block(block, shape.y == 1);
        return random_blocks_model(grid(), all, placement());
    }
};

struct CheckerboardFlags : OutputFlag {
    fs::path base;
    AxisNumbers size;
    double amplitude = CheckerboardOptions{}.amplitude;

    void add(CLI::App& app) {
        add_path(app, "--base", base, "model to start from")->required();
        add_value(app, "--size", "LX,LY,LZ", size,
                  "lengths of a box; LX,LZ in 2-D; inf: no alternation along that axis",
                  parse_lengths)
            ->required();
        add_real(app, "--amplitude", amplitude, "relative; negative starts with the slow box")
            ->default_str("0.1");
    }
    Model make(Notes& notes) const {
        const Model model = read_model(base, notes);
        return checkerboard_model(model, {to_axes(size, model.grid().is_2d(), 1), amplitude});
    }
};

struct TopographyFlags : OutputFlag {
    fs::path base;
    fs::path surface;

    void add(CLI::App& app) {
        add_path(app, "--base", base, "model to cut")->required();
        add_path(app, "--surface", surface,
                 "points of the ground: CSV with columns x,z or x,y,z (z is depth), or .sgt")
            ->required();
    }
    Model make(Notes& notes) const {
        return cut_by_surface(read_model(base, notes), read_surface(surface, notes));
    }
};

struct ConvertFlags : OutputFlag {
    fs::path in;
    AxisNumbers spacing;
    AxisNumbers origin;
    bool cells = false;
    bool nodes = false;
    bool to_nodes = false;
    RawLayout raw;
    bool depths = false;

    void add(CLI::App& app) {
        add_path(app, "--in,input", in,
                 "model to read: .h5, .npy, .csv, .vti, .vtr, .hdr, .grd, .eas, .segy, .rsf, .vo, "
                 "FMTOMO's "
                 "vgrids.in, rayinvr's v.in, tomo2d's smesh, or raw numbers")
            ->required();
        add_value(app, "--spacing", "H", spacing,
                  "distance of nodes, for .npy, .eas and raw numbers, or where a file lacks it; or "
                  "one per "
                  "axis",
                  parse_axes);
        add_value(app, "--origin", "X,Y,Z", origin,
                  "first node, for .npy, .eas and raw numbers; X,Z in 2-D", parse_axes);
        add_value(app, "--shape", "NX,NY,NZ", raw.shape,
                  "of raw numbers: values along each axis; NX,NZ in 2-D", parse_shape);
        add_value(app, "--dtype", "TYPE", raw.type,
                  "of raw numbers: float32, float64, int16, int32, uint8 or uint16",
                  [](std::string_view, std::string_view text) { return std::string(text); })
            ->default_str("float32");
        add_value(
            app, "--order", "AXES", raw.order,
            "of raw numbers: axes from the slowest to the fastest, as zyx or zx (default: xyz, "
            "with depth fastest)",
            [](std::string_view, std::string_view text) { return std::string(text); });
        app.add_flag("--big-endian", raw.big_endian,
                     "of raw numbers: the first byte is the highest");
        app.add_flag("--upward", raw.upward, "of raw numbers: z starts at the bottom");
        app.add_flag("--depths", depths, "of .grd: y is depth (default: height)");
        app.add_flag("--cells", cells,
                     "of .npy, .csv and .hdr: velocity is that of cells, the rows of .csv their "
                     "middles");
        app.add_flag(
            "--nodes", nodes,
            "of .npy, .csv and .hdr: velocity is that of nodes (default, but of .hdr, which "
            "has cells)");
        app.add_flag("--to-nodes", to_nodes,
                     "put velocity of cells on nodes, which have the mean slowness of those round "
                     "them");
    }
    Model make(Notes& notes) const {
        if (cells && nodes) {
            throw InputError("--cells and --nodes are both given (must be one of them)");
        }
        ModelFileOptions options;
        if (spacing.given()) options.spacing = to_axes(spacing, spacing.numbers.size() == 2, 1);
        if (origin.given()) options.origin = to_axes(origin, origin.numbers.size() == 2, 0);
        if (cells || nodes) options.placement = cells ? Placement::cells : Placement::nodes;
        options.raw = raw;
        options.depths = depths;
        const Model model = read_model_file(in, notes, options);
        // Only the model says how many numbers are required.
        const bool is_2d = model.grid().is_2d();
        if (spacing.given()) to_axes(spacing, is_2d, 1);
        if (origin.given()) to_axes(origin, is_2d, 0);
        return to_nodes ? as_nodes(model) : model;
    }
};

template <class Flags>
void add_flags(CLI::App& app, Flags& flags) {
    if constexpr (std::is_base_of_v<GridFlags, Flags>) add_grid(app, flags);
    flags.add(app);
    add_model_output(app, flags);
}

template <class Flags>
void make_and_write(const Flags& flags, const Run& run) {
    check_model_output(flags.output);
    Notes notes;
    const Model model = flags.make(notes);
    tell(notes);
    write(flags, model, run);
}

bool is_netcdf(const fs::path& path) { return path.extension() == ".nc"; }

/// NetCDF is the Python package's to read and to write.
void convert_by_package(const ConvertFlags& flags, const Run& run) {
    if (flags.raw.given() || flags.spacing.given() || flags.origin.given() || flags.cells ||
        flags.nodes || flags.to_nodes || flags.depths) {
        throw InputError(
            fmt::format("'{}' is NetCDF (which takes no further flags here: convert to or from .h5 "
                        "with them, and then once more)",
                        (is_netcdf(flags.in) ? flags.in : flags.output).string()));
    }
    std::vector<std::string> words = {"export", "--what=" + flags.in.string(),
                                      "--output=" + flags.output.string()};
    if (run.common.quiet) words.emplace_back("--quiet");
    become_package_command(words);
}

/// Writes the model, and says what was read: units and byte orders that are wrong show there.
void convert(const ConvertFlags& flags, const Run& run) {
    if (is_netcdf(flags.in) || is_netcdf(flags.output)) convert_by_package(flags, run);
    check_model_output(flags.output);
    Notes notes;
    const Model model = flags.make(notes);
    tell(notes);
    write(flags, model, run);
    if (run.common.quiet) return;
    const Grid& grid = model.grid();
    float least = std::numeric_limits<float>::infinity();
    float most = 0;
    for (const float v : model.given()) {
        if (v > 0) least = std::min(least, v);
        most = std::max(most, v);
    }
    fmt::print("{} {} from {} to {}, velocity {:g} to {:g}{}\n", to_string(model.given().shape()),
               model.cells() ? "cells" : "nodes", to_string(grid, grid.origin),
               to_string(grid, grid.far_corner()), least, most,
               model.has_air() ? ", with air" : "");
}

template <class Flags>
void add_maker(Program& program, CLI::App& group, const std::string& name,
               const std::string& description, const std::string& example) {
    program.add_command<Flags>(group, name, description, example, &add_flags<Flags>,
                               &make_and_write<Flags>);
}

}  // namespace

void add_model_commands(Program& program) {
    const std::string base =
        "fermat model gradient --shape 101,51 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n";
    CLI::App& group = program.add_group(
        "model", "Make, change and convert velocity models",
        base + "fermat model checkerboard --base model.h5 --size 1,1 -o board.h5");
    add_maker<ConstantFlags>(program, group, "constant", "The same velocity everywhere",
                             "fermat model constant --shape 51,51,51 --spacing 0.1 --velocity 3 "
                             "-o model.h5");
    add_maker<GradientFlags>(program, group, "gradient", "Velocity that grows linearly with depth",
                             "fermat model gradient --shape 129,129,129 --spacing 0.1 --v0 2 "
                             "--gradient 0.5 -o model.h5");
    add_model_layers(program, group);
    add_maker<ProfileFlags>(program, group, "profile", "A 1-D profile extruded to 2-D or 3-D",
                            "printf 'depth,velocity\\n0,4\\n10,6\\n40,8\\n' > vz.csv\n"
                            "fermat model profile --shape 206,50,41 --spacing 1 --profile vz.csv "
                            "-o model.h5");
    add_maker<CheckerboardFlags>(program, group, "checkerboard",
                                 "Boxes of higher and lower velocity on a model",
                                 base +
                                     "fermat model checkerboard --base model.h5 --size 1,inf "
                                     "--amplitude 0.1 -o board.h5");
    add_maker<RandomFlags>(program, group, "random", "Smooth random velocity",
                           "fermat model random --shape 101,101 --spacing 0.1 --velocity 3 "
                           "--amplitude 0.2 --correlation 1 --seed 7 -o model.h5");
    add_maker<BlocksFlags>(program, group, "blocks", "Blocks of random velocity",
                           "fermat model blocks --shape 101,101 --spacing 0.1 --min 1 --max 10 "
                           "--block 8 --seed 7 -o model.h5");
    add_maker<TopographyFlags>(program, group, "topography",
                               "Turn what lies above the ground into air",
                               base +
                                   "printf 'x,z\\n0,0.4\\n5,0.1\\n10,0.6\\n' > ground.csv\n"
                                   "fermat model topography --base model.h5 --surface "
                                   "ground.csv -o cut.h5");
    program.add_command<ConvertFlags>(
        group, "convert",
        "Read what people bring and write .vtkhdf, .vti, .vtk, .csv, .xyz, .hdr, .grd, .segy or "
        ".nc",
        "printf 'x,z,velocity\\n0,0,2\\n1,0,2\\n0,1,3\\n1,1,3\\n' > model.csv\n"
        "fermat model convert model.csv -o model.vtkhdf",
        &add_flags<ConvertFlags>, &convert);
    add_model_media(program, group);
}

}  // namespace fermat::cli
