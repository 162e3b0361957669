#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/choice.hpp"
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

/// Writes .h5 alone (also .hdf, .hdf5, .vtkhdf): a VTKHDF model of the merged medium, which
/// everything that reads models reads, with the point arrays `layer` (its number at each node),
/// `layer_0_p`, `layer_0_s` and so on, and the interfaces as numbers of the grid: `interface_0` has
/// x0, y0, dx, dy, nx, ny and its depths in C order [x][y], with the attributes `id` and `shape`.
/// What a run writes carries its identity.
void write_layered(const std::filesystem::path& path, const LayeredMedium& medium,
                   const std::string& run = "");

/// Whose format a layered medium is written in.
enum class LayeredFormat { h5, rayinvr, tomo2d, fmtomo };
template <>
inline constexpr auto choices<LayeredFormat> =
    choice_table<LayeredFormat>("format", {{"h5", LayeredFormat::h5},
                                           {"rayinvr", LayeredFormat::rayinvr},
                                           {"tomo2d", LayeredFormat::tomo2d},
                                           {"fmtomo", LayeredFormat::fmtomo}});

struct LayeredWriteOptions {
    std::optional<LayeredFormat> format{};  ///< by default as the file's name says
    /// Where tomo2d's reflector or FMTOMO's interfaces go: by default line.refl beside line.smesh,
    /// and interfaces.in beside vgrids.in.
    std::optional<std::filesystem::path> interfaces{};
    std::string reflector{};  ///< id of the one interface that tomo2d has; by default the lowest
};

/// The format that a name stands for: .h5, v*.in (rayinvr), *smesh* (tomo2d), vgrids*.in (FMTOMO).
/// Throws InputError for other names.
LayeredFormat layered_format_of(const std::filesystem::path& path);

/// Writes a layered medium, also for other programs. Notes with a count what their format cannot
/// hold. Throws InputError where it can hold nothing of the medium.
void write_layered(const std::filesystem::path& path, const LayeredMedium& medium,
                   const LayeredWriteOptions& options, Notes& notes);

// Writers of other programs' formats.
void write_zelt_layers(const std::filesystem::path& path, const LayeredMedium& medium,
                       Notes& notes);
void write_smesh_layers(const std::filesystem::path& path, const std::filesystem::path& reflector,
                        const LayeredMedium& medium, const std::string& reflecting, Notes& notes);
void write_fmtomo_layers(const std::filesystem::path& path, const std::filesystem::path& interfaces,
                         const LayeredMedium& medium, Notes& notes);

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
