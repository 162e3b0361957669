#pragma once

#include <string>
#include <vector>

#include "tomography/layers/flat_fit.hpp"
#include "tomography/layers/phase_picks.hpp"
#include "tomography/start/first_guess.hpp"

namespace fermat {

/// Layers to start from that were made of picks, and how that came about.
struct FirstLayers {
    LayeredMedium medium;
    FlatFit fit;
    /// One sentence per choice that the user left open, with the options that would make it.
    std::vector<std::string> choices;
};

/// Flat layers, with constant gradients, for picks that came without a medium. Names tell the
/// layers: Pg, PmP and Pn have an interface `moho`, P1 and P2P the interfaces 1 and 2 above it. S
/// is P over the ratio that its picks tell. Throws InputError where picks do not tell enough.
FirstLayers first_layers(const PhasePicks& picks, const GuessOptions& options);

}  // namespace fermat
