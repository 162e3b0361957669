#include "cli/model_layers.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "cli/flags.hpp"
#include "cli/grid_flags.hpp"
#include "cli/layered_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/interface_file.hpp"
#include "io/layered_io.hpp"
#include "io/model_io.hpp"
#include "model/layer_cells.hpp"
#include "model/makers.hpp"
#include "model/metric_makers.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct LayersFlags : GridFlags {
    std::vector<std::string> layers;
    std::vector<std::string> interfaces;
    std::string surface;
    LayeredFlags reading;
    bool straight = false;
    bool heights = false;
    std::string format;
    std::string reflector;
    std::optional<double> radius;
    std::optional<fs::path> in;
    fs::path output;
};

void add_flags(CLI::App& app, LayersFlags& flags) {
    add_grid(app, flags);
    app.get_option("--shape")->required(false);
    add_repeated(
        app, "--layer", "Z:V", flags.layers,
        "depth of a layer's top and its velocity (0: air); once per layer, downwards; with "
        "--interface V, V,GRADIENT (V at the least depth of its top), a CSV of "
        "depth,velocity or a model file");
    add_repeated(
        app, "--interface", "ID=Z", flags.interfaces,
        "an interface below the surface, downwards: its depth, or a file: a grid of Surfer "
        "or NetCDF, or a table of x and depth, x, y and depth, or longitude, latitude and "
        "depth; makes a layered medium, for `fermat phases`");
    add_value(app, "--surface", "Z", flags.surface,
              "with --interface: depth of the ground, or a file of it (default: the model's top)",
              parse_text);
    app.add_flag("--heights", flags.heights,
                 "with --interface: files of interfaces and ground have heights, not depths");
    app.add_flag("--straight", flags.straight,
                 "with --interface: straight lines between the points (default: smooth)");
    add_value(app, "--radius", "V", flags.radius,
              "with --interface: x, y, z are latitude, longitude and depth below this radius",
              parse_real);
    add_path(app, "--in", flags.in,
             "layered medium to read instead: .h5, rayinvr's v.in, tomo2d's smesh, FMTOMO's "
             "vgrids.in");
    add_layered_flags(app, flags.reading, "with --in: ");
    add_output(app, "-o,--output", flags.output,
               "model to write: .h5 or .vtkhdf; with --interface or --in also rayinvr's v.in, "
               "tomo2d's .smesh with its .refl, FMTOMO's vgrids.in with interfaces.in; of flat "
               "layers also .vti, .vtk, .hdr, .grd, .csv and the others of `fermat model convert`")
        ->required();
    add_value(app, "--format", "NAME", flags.format,
              "with --interface or --in: h5, rayinvr, tomo2d or fmtomo (default: by the name)",
              parse_text);
    add_value(app, "--reflector", "ID", flags.reflector,
              "with -o line.smesh: the interface that is tomo2d's reflector (default: the lowest)",
              parse_text);
}

std::optional<double> number_in_text(const std::string& text) {
    try {
        return parse_real("", text);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

Interface interface_from(const std::string& id, const std::string& text, const Place& place,
                         const InterfaceFileOptions& options, Notes& notes) {
    if (const auto depth = number_in_text(text)) return Interface::flat(id, *depth);
    return interface_from_file(fs::path(text), id, place, options, notes);
}

/// A layer's velocity on a place: a number, a number and a gradient, or a profile.
Model layer_from(const std::string& text, const Model& like, const Interface& top, Notes& notes) {
    const Grid& grid = like.grid();
    const auto on_place = [&](const Model& made) {
        if (like.is_plain()) return made;
        Field<float> values(grid.shape);
        std::copy(made.velocity().begin(), made.velocity().end(), values.begin());
        return like.with_given(std::move(values));
    };
    const std::size_t comma = text.find(',');
    const auto v = number_in_text(text.substr(0, comma));
    if (v && comma == std::string::npos) return on_place(constant_model(grid, *v));
    const Coordinates system = like.coordinates().system;
    if (system == Coordinates::graded || system == Coordinates::terrain) {
        throw InputError(flag_message("--layer", text,
                                      fmt::format("must be V or a model in {} coordinates, as the "
                                                  "other layers",
                                                  name_of(system))));
    }
    if (v) {
        const double gradient = parse_real("--layer", text.substr(comma + 1));
        const double least = *std::min_element(top.depth().begin(), top.depth().end());
        return on_place(
            gradient_model(grid, *v - gradient * grid.offset_along(2, least), gradient));
    }
    return on_place(profile_model(grid, read_profile(text, notes)));
}

bool is_model_file(const std::string& text) {
    if (number_in_text(text.substr(0, text.find(',')))) return false;
    if (text.find(':') != std::string::npos) {
        throw InputError(flag_message(
            "--layer", text, "must be V, V,GRADIENT or a file: with --interface depths are there"));
    }
    return fs::path(text).extension() != ".csv";
}

LayeredMedium medium_from(const LayersFlags& flags, Notes& notes) {
    if (flags.cells) {
        throw InputError(
            "--cells and --interface are both given (layers have velocity on nodes; a --layer may "
            "be a model of cells)");
    }
    if (flags.layers.size() != flags.interfaces.size() + 1) {
        throw InputError(fmt::format("{} --layer are given for {} --interface (must be one more)",
                                     flags.layers.size(), flags.interfaces.size()));
    }
    // The first model of a layer tells the place of all, unless the grid is given.
    std::vector<std::optional<Model>> models;
    for (const std::string& text : flags.layers) {
        models.push_back(is_model_file(text) ? std::optional(read_model(text, notes))
                                             : std::nullopt);
    }
    const auto on_sphere = [&](const Model& model) {
        return flags.radius && model.is_plain() ? spherical_model(model, *flags.radius, false)
                                                : model;
    };
    const auto known = std::find_if(models.begin(), models.end(),
                                    [](const auto& model) { return model.has_value(); });
    if (flags.shape.count() == 0 && known == models.end()) {
        throw InputError("no --shape is given (as in --shape 501,501)");
    }
    const Model placed = flags.shape.count() > 0 ? on_sphere(constant_model(flags.grid(), 1))
                         : (*known)->cells()     ? as_nodes(**known)
                                                 : on_sphere(**known);
    const Place& place = placed.place();
    const InterfaceFileOptions reading{
        flags.straight ? InterfaceShape::linear : InterfaceShape::smooth, flags.heights};
    std::vector<Interface> interfaces;
    interfaces.push_back(flags.surface.empty()
                             ? ground_of(place)
                             : interface_from("surface", flags.surface, place, reading, notes));
    for (const std::string& text : flags.interfaces) {
        const std::size_t at = text.find('=');
        if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
            throw InputError(flag_message("--interface", text, "must be ID=DEPTH or ID=FILE"));
        }
        interfaces.push_back(
            interface_from(text.substr(0, at), text.substr(at + 1), place, reading, notes));
    }
    std::vector<Layer> layers;
    for (std::size_t k = 0; k < flags.layers.size(); ++k) {
        layers.push_back({models[k] ? on_sphere(*models[k])
                                    : layer_from(flags.layers[k], placed, interfaces[k], notes)});
    }
    layers = layers_on_nodes(interfaces, std::move(layers), notes);
    const LayeredMedium medium(std::move(interfaces), std::move(layers));
    return flags.reading.vp_over_vs ? with_s(medium, *flags.reading.vp_over_vs) : medium;
}

LayeredMedium medium_read(const LayersFlags& flags, bool given_spacing, Notes& notes) {
    if (!flags.layers.empty() || !flags.interfaces.empty() || flags.shape.count() > 0) {
        throw InputError("--in brings its own layers (leave out --shape, --layer and --interface)");
    }
    const auto spacing = given_spacing ? std::optional(flags.spacing) : std::nullopt;
    return read_layered(*flags.in, notes, flags.reading.options(spacing));
}

std::string listed(const LayeredMedium& medium) {
    std::vector<std::string> ids;
    for (const Interface& one : medium.interfaces()) ids.push_back(one.id());
    return fmt::format("{}", fmt::join(ids, ", "));
}

void make_layers(const LayersFlags& flags, const Run& run) {
    Notes notes;
    if (flags.in || !flags.interfaces.empty()) {
        LayeredWriteOptions writing{{}, {}, flags.reflector};
        if (!flags.format.empty()) writing.format = parse_choice<LayeredFormat>(flags.format);
        if (!writing.format) layered_format_of(flags.output);
        const bool given_spacing = flags.spacing.text != GridFlags{}.spacing.text;
        const LayeredMedium medium =
            flags.in ? medium_read(flags, given_spacing, notes) : medium_from(flags, notes);
        run.monitor.check();
        write_layered(flags.output, medium, writing, notes);
        tell(notes);
        say(run, fmt::format("{} layers of {} on {} nodes, interfaces {}", medium.layer_count(),
                             medium.has_s() ? "P and S" : "P", to_string(medium.grid().shape),
                             listed(medium)));
        return;
    }
    if (flags.shape.count() == 0) throw InputError("no --shape is given (as in --shape 501,501)");
    if (flags.layers.empty()) throw InputError("no --layer is given (as in --layer 0:2)");
    if (!flags.surface.empty() || flags.reading.vp_over_vs || flags.straight || flags.radius ||
        flags.heights || !flags.format.empty() || !flags.reflector.empty() ||
        flags.reading.interfaces || !flags.reading.names.empty()) {
        throw InputError(
            "--surface, --heights, --vp-over-vs, --straight, --radius, --interfaces, --names, "
            "--format and --reflector belong to layered media (give --interface or --in)");
    }
    check_model_output(flags.output);
    std::vector<DepthVelocity> tops;
    for (const std::string& text : flags.layers) tops.push_back(parse_layer("--layer", text));
    const Model model = layered_model(flags.grid(), tops, flags.placement());
    run.monitor.check();
    write_model(flags.output, model);
    spdlog::info("wrote '{}' with {} {}", flags.output.string(), to_string(model.given().shape()),
                 model.cells() ? "cells" : "nodes");
}

}  // namespace

void add_model_layers(Program& program, CLI::App& group) {
    program.add_command<LayersFlags>(
        group, "layers", "Flat layers of constant velocity, or layers between interfaces",
        "fermat model layers --shape 501,501 --spacing 1 --layer 0:2 --layer 250:5 -o model.h5\n"
        "printf 'x,z\\n0,30\\n60,27\\n120,32\\n' > moho.csv\n"
        "fermat model layers --shape 241,81 --spacing 0.5 --interface moho=moho.csv "
        "--layer 5.8,0.02 --layer 8 -o layered.h5",
        &add_flags, &make_layers);
}

}  // namespace fermat::cli
