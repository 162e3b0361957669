#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/notes.hpp"
#include "model/placement.hpp"

namespace fermat {

/// What a file of bare values cannot say itself.
struct ModelReadOptions {
    std::optional<Vec3> spacing;  ///< needed for .npy, refused where the file has its own
    std::optional<Vec3> origin;   ///< 0 by default; refused where the file has its own
    /// Of .npy, .csv and .hdr: whether a value is a node's or a cell's; the rows of a .csv then
    /// have the cells' middles. Where nothing is said, .npy and .csv have nodes, .hdr has cells.
    /// Refused where the file tells itself, unless it has nodes and these are asked for.
    std::optional<Placement> placement = std::nullopt;
};

/// Reads a model by suffix: .h5, .hdf, .hdf5, .vtkhdf (VTKHDF point array 'velocity', or the cell
/// array of that name where there is no such point array), .npy, .csv (columns x,y,z,velocity of a
/// regular grid in any order; y may be left out in 2-D), .vti, .vtr, .hdr (NonLinLoc). Notes what
/// a table has beside those columns, and how NonLinLoc's values were read. Throws InputError that
/// names the file.
Model read_model(const std::filesystem::path& path, Notes& notes,
                 const ModelReadOptions& options = {});

/// Writes .h5 (also .hdf, .hdf5, .vtkhdf) or .npy, which keeps the values only; on nodes or in
/// cells, as they were given.
/// `run` is the identity of the run that found it, see run_mark.
void write_model(const std::filesystem::path& path, const Model& model,
                 const std::string& run = "");

}  // namespace fermat
