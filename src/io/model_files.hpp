#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/model_io.hpp"
#include "io/raw_grid.hpp"

namespace fermat {

/// What the formats of other programs need to be told besides.
struct ModelFileOptions : ModelReadOptions {
    RawLayout raw{};      ///< of raw numbers (.bin, .raw and the like) and of .eas
    bool depths = false;  ///< of .grd: its y is depth, not height
};

/// Reads a model as read_model() does, which has no more options than ModelReadOptions. It also
/// reads .grd (Surfer), .eas (GSLIB, SGeMS) and, where `raw` has a shape, raw numbers under any
/// other suffix. Throws InputError that names the file.
Model read_model_file(const std::filesystem::path& path, Notes& notes,
                      const ModelFileOptions& options);

/// True for the suffixes that write_model() writes: .h5 (also .hdf, .hdf5, .vtkhdf), .vti, .vts,
/// .hdr (NonLinLoc), .grd (Surfer, 2-D only) and .npy. Only .h5 keeps the identity of a run.
bool is_model_output(const std::filesystem::path& path);

}  // namespace fermat
