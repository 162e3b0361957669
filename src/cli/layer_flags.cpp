#include "cli/layer_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "io/layer_run_io.hpp"
#include "tomography/layers/refraction_layers.hpp"

namespace fermat::cli {
namespace {

/// "moho=3" as "moho" and "3".
std::pair<std::string, std::string> at_equals(const std::string& flag, const std::string& text,
                                              std::string_view right) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
        throw InputError(flag_message(flag, text, right));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> at_commas(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

}  // namespace

void add_layer_flags(CLI::App& app, LayerFlags& flags, AxisFlags& axes) {
    add_value(app, "--phases", "LIST", flags.phases,
              "of picks of later phases: names of the file's codes, as in 1=Pg,2=PmP,3=Pn or "
              "1=2.1 (rayinvr's ray codes), or rayinvr's r.in; first: first arrivals alone "
              "(default: all phases of the picks)",
              parse_text);
    add_whole(app, "--layers", "N", flags.count,
              "of first arrivals along a line: that many layers, 2 to 5, whose interfaces have "
              "relief, in place of a velocity on a grid; they start from delay times",
              2, most_refraction_layers);
    add_path(app, "--interfaces", flags.reading.interfaces,
             "of a model of tomo2d or FMTOMO: its reflector, or interfaces.in (default: beside "
             "vgrids.in)");
    add_value(app, "--names", "ID,ID", flags.reading.names,
              "of a model of others: ids of its interfaces, the surface first", parse_text);
    add_repeated(app, "--deviation-of", "OF=V[,L]", flags.deviations,
                 "of one interface or layer: in place of --depth-deviation and "
                 "--velocity-deviation, and of their lengths, as in moho=3,25 or P0=0.02; 0 keeps "
                 "it");
    add_repeated(
        app, "--depth-data", "ID=FILE", flags.depth_data,
        "depths of an interface that were measured, as in boreholes: CSV with x,depth,error "
        "(x,y,depth,error in 3-D)");
    for_each_option(flags.prior, [&](const auto& option, auto& value) {
        add_option_flag(app, option, value, axes);
    });
    for_each_option(flags.rays, [&](const auto& option, auto& value) {
        // Picks are of the earliest arrival of their phase.
        if (option.name != "arrivals") add_option_flag(app, option, value, axes);
    });
}

PhaseNames given_names(const LayerFlags& flags, Notes& notes) {
    PhaseNames out;
    if (flags.phases.empty()) return out;
    if (flags.phases.find('=') == std::string::npos) {
        const std::filesystem::path file = flags.phases;
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) {
            throw InputError(flag_message("--phases", flags.phases,
                                          "must be first, names such as 1=Pg,2=PmP, or rayinvr's "
                                          "r.in, which is not there"));
        }
        return read_rayinvr_codes(file, notes);
    }
    for (const std::string& part : at_commas(flags.phases)) {
        auto [code, name] = at_equals("--phases", part, "must be code=name, as in 1=Pg,2=PmP");
        out.emplace_back(std::move(code), name_of_ray_code(name));
    }
    return out;
}

LayerPrior given_prior(const LayerFlags& flags, const AxisFlags& axes, bool is_2d, Notes& notes) {
    LayerPrior prior = flags.prior;
    settle_axes(prior, axes, is_2d);
    for (const std::string& text : flags.deviations) {
        constexpr auto right = "must be an interface or layer and its deviation, as in moho=3,25";
        const auto [of, numbers] = at_equals("--deviation-of", text, right);
        const auto parts = at_commas(numbers);
        if (parts.size() > 2) throw InputError(flag_message("--deviation-of", text, right));
        prior.blocks.push_back({of, parse_real("--deviation-of", parts[0]),
                                parts.size() > 1 ? parse_real("--deviation-of", parts[1]) : 0});
    }
    for (const std::string& text : flags.depth_data) {
        const auto [id, file] = at_equals("--depth-data", text,
                                          "must be an interface and a file, as in moho=wells.csv");
        const auto more = read_depth_data(file, id, notes);
        prior.depths.insert(prior.depths.end(), more.begin(), more.end());
    }
    return prior;
}

}  // namespace fermat::cli
