#include "cli/known_flags.hpp"

#include "cli/flags.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/known_io.hpp"
#include "io/model_io.hpp"

namespace fermat::cli {

void add_known_flags(CLI::App& app, KnownFlags& flags) {
    add_path(app, "--log", flags.log,
             "velocities of boreholes that count beside the picks: CSV with columns "
             "x,y,z,velocity,error (no y in 2-D)");
    add_path(app, "--regions", flags.regions,
             "parts of a section whose velocity is known: CSV with columns "
             "region,x,z,velocity,error, a row per corner");
    add_path(app, "--edges", flags.interfaces,
             "surfaces across which nothing is smoothed: CSV with columns x,y,z (no y in 2-D) and, "
             "of several, interface");
    add_path(app, "--guide", flags.guide,
             "another method's image, as a model file: less is smoothed where it changes");
    add_path(app, "--prior-model", flags.prior,
             "model that is believed to --prior-deviation, on the grid of --model");
    add_value(app, "--prior-deviation", "PART", flags.prior_deviation,
              "of --prior-model: its relative standard deviation, over areas as wide as the "
              "correlation length (default: 0.1)",
              parse_real);
}

std::shared_ptr<const KnownGround> read_known(const KnownFlags& flags, Notes& notes) {
    if (flags.prior_deviation && !flags.prior) {
        throw InputError("--prior-deviation needs --prior-model (it is that model's)");
    }
    KnownGround known;
    if (flags.log) known.log = read_log(*flags.log, notes);
    if (flags.regions) known.regions = read_regions(*flags.regions, notes);
    if (flags.interfaces) known.interfaces = read_interfaces(*flags.interfaces, notes);
    if (flags.guide) known.guide = std::make_shared<const Model>(read_model(*flags.guide, notes));
    if (flags.prior) known.prior = std::make_shared<const Model>(read_model(*flags.prior, notes));
    if (flags.prior_deviation) known.prior_deviation = *flags.prior_deviation;
    if (!known.holds_velocities() && !known.holds_edges()) return nullptr;
    return std::make_shared<const KnownGround>(std::move(known));
}

}  // namespace fermat::cli
