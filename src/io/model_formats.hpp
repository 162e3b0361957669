#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/notes.hpp"
#include "io/model_files.hpp"
#include "io/suffix.hpp"
#include "io/text_file.hpp"

namespace fermat {

// The formats of models, one entry each. An entry stands in the file that reads or writes the
// format; model_io.cpp lists them. Readers throw InputError that names the file.

/// What the user may say of a file beside its name.
enum class ToldOfModel {
    grid,       ///< spacing and origin, which the file may lack, and whether values are on nodes
    placement,  ///< whether values are on nodes
    nothing,    ///< the file tells all; nodes or cells can only be confirmed
};

struct ModelFormat {
    std::string_view suffixes;  ///< with blanks between: ".vti .vtr"
    ToldOfModel told;
    bool packed;  ///< read where it is packed by gzip, too
    /// Whether a file of another name is of this format by its name or content; null if none is.
    bool (*is)(const TextFile& file);
    Model (*read)(const TextFile& file, const ModelFileOptions& options, Notes& notes);
    /// Null where models are not written so. `run` is the identity of a run, which only HDF5 keeps.
    void (*write)(const std::filesystem::path& path, const Model& model, const std::string& run);
    std::string_view written;  ///< the suffixes that are written; empty if all are
    bool holds_metric;         ///< coordinates and anisotropy are kept
};

extern const ModelFormat vtkhdf_model;
extern const ModelFormat npy_model;
extern const ModelFormat csv_model;
extern const ModelFormat vtk_xml_model;
extern const ModelFormat vts_model;
extern const ModelFormat nonlinloc_model;
extern const ModelFormat surfer_model;
extern const ModelFormat gslib_model;
extern const ModelFormat xyz_model;
extern const ModelFormat legacy_vtk_model;
extern const ModelFormat segy_model;
extern const ModelFormat rsf_model;
extern const ModelFormat gocad_model;
extern const ModelFormat fmtomo_model;
extern const ModelFormat zelt_model;
extern const ModelFormat smesh_model;

/// Whether a list of suffixes has one.
inline bool has_suffix(std::string_view list, std::string_view suffix) {
    for (const std::string_view one : split_words(list)) {
        if (one == suffix) return true;
    }
    return false;
}

/// Runs `make`, whose messages are about values and do not name the file, and puts the file's name
/// before them.
template <class Make>
auto named_by_file(const TextFile& file, Make make) {
    try {
        return make();
    } catch (const InputError& error) {
        throw InputError(file.quoted() + ": " + error.what());
    }
}

/// A model of values at regular points, which are its nodes or the middles of its cells. Spacing
/// and origin that the user gives take the place of those that the file has.
Model of_samples(const TextFile& file, Grid points, Field<float> velocity,
                 const ModelReadOptions& options);

/// A section between two corners, which `velocity(x, z)` tells: values at nodes, or in the middles
/// of cells, every `options.spacing`, or every hundredth or so of the height, which is noted with
/// `what` the file has.
Model sampled_section(const TextFile& file, Vec3 from, Vec3 to, std::string_view what,
                      const std::function<double(double, double)>& velocity,
                      const ModelReadOptions& options, Notes& notes);

/// The grid of such a section.
Grid section_grid(const TextFile& file, Vec3 from, Vec3 to, const std::optional<Vec3>& spacing);

/// A model of bare values, whose grid the user gives.
Model of_values(const TextFile& file, Field<float> velocity, const ModelReadOptions& options);

}  // namespace fermat
