#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "io/text_file.hpp"
#include "model/layered_medium.hpp"

namespace fermat {

/// What files of other programs need to be told besides.
struct LayeredReadOptions {
    std::optional<Vec3> spacing{};  ///< of the grid, for files that have none
    /// The file that has the interfaces of a model: tomo2d's reflector, FMTOMO's interfaces.in.
    /// Without it the latter is looked for beside the model.
    std::optional<std::filesystem::path> interfaces{};
    std::vector<std::string> names{};    ///< ids of the interfaces, the surface first
    std::optional<double> vp_over_vs{};  ///< makes S where the file has none
};

/// Reads a layered medium: ours (write_layered), rayinvr's v.in, tomo2d's smesh with a reflector
/// and FMTOMO's vgrids.in with interfaces.in. Notes how it was sampled. Throws InputError that
/// names the file.
LayeredMedium read_layered(const std::filesystem::path& path, Notes& notes,
                           const LayeredReadOptions& options = {});

/// Writes .h5 (also .hdf, .hdf5, .vtkhdf): a VTKHDF model of the merged medium, which everything
/// that reads models reads, with the point arrays `layer` (its number at each node), `layer_0_p`,
/// `layer_0_s` and so on, and the interfaces as numbers of the grid: `interface_0` has x0, y0, dx,
/// dy, nx, ny and its depths in C order [x][y], with the attributes `id` and `shape`.
void write_layered(const std::filesystem::path& path, const LayeredMedium& medium);

/// Gives S to the layers that have none: P over `vp_over_vs`.
LayeredMedium with_s(const LayeredMedium& medium, double vp_over_vs);

/// Whether a file is one that write_layered() wrote.
bool is_layered(const std::filesystem::path& path);

// The formats of other programs.
LayeredMedium read_zelt_layers(const TextFile& file, const LayeredReadOptions& options,
                               Notes& notes);
LayeredMedium read_smesh_layers(const TextFile& file, const LayeredReadOptions& options,
                                Notes& notes);
LayeredMedium read_fmtomo_layers(const TextFile& file, const LayeredReadOptions& options,
                                 Notes& notes);

}  // namespace fermat
