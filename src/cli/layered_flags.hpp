#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "io/layered_io.hpp"

namespace fermat::cli {

/// What files of layered media of other programs need to be told besides.
struct LayeredFlags {
    std::optional<std::filesystem::path> interfaces;
    std::string names;
    std::optional<double> vp_over_vs;

    LayeredReadOptions options(const std::optional<AxisNumbers>& spacing) const {
        LayeredReadOptions out{{}, interfaces, {}, vp_over_vs};
        if (spacing && spacing->given()) {
            out.spacing = to_axes(*spacing, spacing->numbers.size() == 2, 1);
        }
        for (std::size_t begin = 0; begin < names.size();) {
            const std::size_t end = std::min(names.find(',', begin), names.size());
            out.names.push_back(names.substr(begin, end - begin));
            begin = end + 1;
        }
        return out;
    }
};

inline void add_layered_flags(CLI::App& app, LayeredFlags& flags, const std::string& when) {
    add_path(app, "--interfaces", flags.interfaces,
             when + "tomo2d's reflector or FMTOMO's interfaces.in (default: beside vgrids.in)");
    add_value(app, "--names", "ID,ID", flags.names,
              when + "ids of the interfaces, the surface first", parse_text);
    add_value(app, "--vp-over-vs", "V", flags.vp_over_vs,
              "makes velocities of S where a layered medium has none", parse_real);
}

}  // namespace fermat::cli
