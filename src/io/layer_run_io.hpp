#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/phase_codes.hpp"

namespace fermat {

/// What an inversion of layers found, one row per point of its unknowns: `of` (id of an interface,
/// or "P of layer 0"), `kind` (depth or velocity), x, y, z (no y in 2-D; of an interface, z is its
/// depth), the change from the start (a length, or relative), its standard deviation, and that of
/// the prior.
void write_layer_changes(const std::filesystem::path& path, const LayerInversion& found, bool is_2d,
                         const std::string& run);

/// Depths of an interface that were measured: CSV with x,depth,error, or x,y,depth,error in 3-D.
/// Throws InputError that names file and line.
std::vector<DepthDatum> read_depth_data(const std::filesystem::path& path,
                                        const std::string& interface, Notes& notes);

/// Names of codes as rayinvr's r.in has them: the codes `ivray` of the ray groups `ray`. Throws
/// InputError that names the file.
PhaseNames read_rayinvr_codes(const std::filesystem::path& path, Notes& notes);

/// The name of a rayinvr ray code: L.1 turns in layer L (counted from 1), L.2 is reflected at its
/// bottom, L.3 runs along it. Other texts are names already.
std::string name_of_ray_code(const std::string& text);

}  // namespace fermat
