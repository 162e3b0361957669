#include "cli/medium_flags.hpp"

#include "cli/flags.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/model_io.hpp"

namespace fermat::cli {

void add_medium_flags(CLI::App& app, MediumFlags& flags) {
    add_path(app, "--model", flags.model, "velocity model (of P where there are two phases)")
        ->required();
    add_path(app, "--s-model", flags.s_model, "velocity model of S waves, on the same grid");
    add_value(app, "--vp-vs", "R", flags.vp_vs, "in place of --s-model: Vp/Vs, one for all",
              parse_real);
}

Medium medium_of(const MediumFlags& flags, Notes& notes) {
    if (flags.s_model && flags.vp_vs) {
        throw InputError("--s-model and --vp-vs are both given (must be one of them)");
    }
    const Model p = read_model(flags.model, notes);
    if (flags.vp_vs) return Medium::of_ratio(p, *flags.vp_vs);
    if (flags.s_model) return {p, read_model(*flags.s_model, notes)};
    return p;
}

}  // namespace fermat::cli
