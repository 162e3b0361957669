#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/layered_flags.hpp"
#include "cli/option_flags.hpp"
#include "core/notes.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/phase_codes.hpp"

namespace fermat::cli {

/// Flags of `fermat invert` about later phases, layers and interfaces.
struct LayerFlags {
    std::string phases;  ///< first, names of codes, or a file of them
    int count = 0;       ///< of layers below a refraction line; 0: none
    LayeredFlags reading;
    std::vector<std::string> deviations;
    std::vector<std::string> depth_data;
    LayerPrior prior;
    PhaseOptions rays;
};
void add_layer_flags(CLI::App& app, LayerFlags& flags, AxisFlags& axes);

/// Whether the flags ask for first arrivals alone.
inline bool takes_first_alone(const LayerFlags& flags) { return flags.phases == "first"; }
/// The names that --phases gives to codes; none where it is not given.
PhaseNames given_names(const LayerFlags& flags, Notes& notes);
/// The prior with what single flags say of interfaces and layers.
LayerPrior given_prior(const LayerFlags& flags, const AxisFlags& axes, bool is_2d, Notes& notes);

}  // namespace fermat::cli
