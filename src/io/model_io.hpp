#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/notes.hpp"
#include "model/placement.hpp"

namespace fermat {

/// Information that a file of bare values lacks.
struct ModelReadOptions {
    std::optional<Vec3> spacing;  ///< needed for .npy, refused where the file has its own
    std::optional<Vec3> origin;   ///< 0 by default; refused where the file has its own
    /// For .npy, .csv and .hdr: whether a value belongs to a node or a cell; the rows of a .csv
    /// then give the middles of cells. By default .npy and .csv have nodes and .hdr has cells. For
    /// other files, only Placement::nodes is accepted, and only if the file has nodes.
    std::optional<Placement> placement = std::nullopt;
};

/// Reads a model by suffix: .h5, .hdf, .hdf5, .vtkhdf (VTKHDF point array 'velocity', or the cell
/// array of that name if there is no such point array), .npy, .csv (columns x,y,z,velocity of a
/// regular grid in any order; y may be left out in 2-D), .vti, .vtr, .hdr (NonLinLoc). Notes unused
/// columns of a table, and how NonLinLoc's values were read. Throws InputError that names the file.
Model read_model(const std::filesystem::path& path, Notes& notes,
                 const ModelReadOptions& options = {});

/// Writes .h5 (also .hdf, .hdf5, .vtkhdf) or .npy, which holds the values only; on nodes or in
/// cells, as the model has them. `run` is the identity of the run that found the model, see
/// run_mark.
void write_model(const std::filesystem::path& path, const Model& model,
                 const std::string& run = "");

}  // namespace fermat
