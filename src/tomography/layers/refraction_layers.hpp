#pragma once

#include <string>
#include <vector>

#include "model/layered_medium.hpp"
#include "survey/survey.hpp"
#include "tomography/layers/layer_options.hpp"
#include "tomography/start/first_guess.hpp"

namespace fermat {

/// Layers to start from for first arrivals of a refraction line.
struct RefractionLayers {
    LayeredMedium medium;
    /// How far interfaces may be from there, and over which length: of each below the surface.
    std::vector<BlockPrior> blocks;
    /// Over which changes of velocity hang together: twice the line, so that what differs along it
    /// is relief first.
    double velocity_length = 0;
    /// One sentence per choice that the user left open, with the options that would make it.
    std::vector<std::string> choices;
};

inline constexpr int most_refraction_layers = 5;

/// Layers of constant velocity with relief below the ground of a line, by delay times
/// (delay_times.hpp): interfaces `1`, `2` and so on. Times are from the origins of their events.
/// Throws InputError for surveys that are no line along the ground, and where picks do not tell
/// that many layers.
RefractionLayers refraction_layers(const Survey& picks, int layers, const GuessOptions& options);

}  // namespace fermat
