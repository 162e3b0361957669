#pragma once

#include <filesystem>
#include <optional>

#include "model/model.hpp"

namespace fermat {

/// What a file of bare values cannot say itself.
struct ModelReadOptions {
    std::optional<Vec3> spacing;  ///< needed for .npy, refused where the file has its own
    std::optional<Vec3> origin;   ///< 0 by default; refused where the file has its own
};

/// Reads a model by suffix: .h5, .hdf, .hdf5, .vtkhdf (VTKHDF point array 'velocity'), .npy, .csv
/// (columns x,y,z,velocity of a regular grid in any order; y may be left out in 2-D), .vti, .vtr,
/// .hdr (NonLinLoc). Throws InputError that names the file.
Model read_model(const std::filesystem::path& path, const ModelReadOptions& options = {});

/// Writes .h5 (also .hdf, .hdf5, .vtkhdf) or .npy, which keeps the values only.
void write_model(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
