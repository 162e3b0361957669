#include "io/model_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/metric_io.hpp"
#include "io/model_formats.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr std::array formats = {&vtkhdf_model,    &npy_model,    &csv_model,    &vtk_xml_model,
                                &nonlinloc_model, &surfer_model, &gslib_model,  &segy_model,
                                &rsf_model,       &gocad_model,  &fmtomo_model, &zelt_model,
                                &smesh_model,     &vts_model,    &xyz_model,    &legacy_vtk_model};

/// By the suffix, else by name and content; null if no format has such files.
const ModelFormat* format_read(const TextFile& file) {
    const std::string suffix = input_suffix_of(file.path());
    for (const ModelFormat* format : formats) {
        if (format->read != nullptr && has_suffix(format->suffixes, suffix)) return format;
    }
    for (const ModelFormat* format : formats) {
        if (format->is != nullptr && format->is(file)) return format;
    }
    return nullptr;
}

/// Whether gzip may pack what is written: formats of one file that are read so.
bool may_be_packed(const ModelFormat& format) {
    return format.packed && &format != &nonlinloc_model;
}

const ModelFormat* format_written(const fs::path& path) {
    const std::string suffix = input_suffix_of(path);
    const bool packed = suffix != suffix_of(path);
    for (const ModelFormat* format : formats) {
        if (format->write == nullptr || (packed && !may_be_packed(*format))) continue;
        const std::string_view list = format->written.empty() ? format->suffixes : format->written;
        if (has_suffix(list, suffix)) return format;
    }
    return nullptr;
}

Model read_vtkhdf_model(const TextFile& file, const ModelFileOptions&, Notes&) {
    const ImageReader image(file.path());
    const auto has = [](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), "velocity") != names.end();
    };
    if (has(image.point_arrays())) {
        Field<float> velocity = image.read_point_array("velocity");
        return named_by_file(file, [&] {
            const Model model(image.grid(), std::move(velocity));
            const auto metric = read_metric(image);
            return metric ? model.with_metric(metric) : model;
        });
    }
    if (has(image.cell_arrays())) {
        Field<float> velocity = image.read_cell_array("velocity");
        return named_by_file(file,
                             [&] { return Model::of_cells(image.grid(), std::move(velocity)); });
    }
    throw InputError(fmt::format(
        "{} has no array 'velocity' (a model has it as point or as cell data)", file.quoted()));
}

void write_vtkhdf_model(const fs::path& path, const Model& model, const std::string& run) {
    ImageWriter image(path, model.grid(), run);
    if (model.cells()) {
        image.add_cell_array("velocity", model.given());
    } else {
        image.add_point_array("velocity", model.given());
    }
    write_metric(image, model);
    image.commit();
}

/// Velocities of one medium do not differ ten thousandfold, and are neither tiny nor huge in any
/// unit; numbers of another type or byte order are.
void doubt_range(const TextFile& file, const Field<float>& values, Notes& notes) {
    float least = std::numeric_limits<float>::infinity();
    float most = 0;
    for (const float v : values) {
        if (v > 0) least = std::min(least, v);
        most = std::max(most, v);
    }
    if (most <= 1e4f * least && least > 1e-9f && most < 1e12f) return;
    notes.add(
        fmt::format("{}: velocities are from {:g} to {:g} (are `dtype`, `order` and the byte order "
                    "right, `big_endian`?)",
                    file.quoted(), least, most));
}

Model read_raw_model(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    const auto values = [&] {
        Field<float> found = read_raw(file.path(), options.raw);
        doubt_range(file, found, notes);
        return found;
    };
    return of_values(file, named_by_file(file, values), options);
}

/// Numbers under any name that no format has.
constexpr ModelFormat raw_model{"",   ToldOfModel::grid, true, nullptr, read_raw_model, nullptr, "",
                                false};

std::string list_of(bool packed) {
    std::string list;
    for (const ModelFormat* format : formats) {
        if (format->read == nullptr || (packed && !format->packed)) continue;
        // Of names for the same thing the first one is enough.
        const auto words = split_words(format->suffixes);
        const bool same = format == &vtkhdf_model || format == &segy_model;
        const std::size_t shown = same ? 1 : words.size();
        for (std::size_t n = 0; n < shown; ++n) {
            list += (list.empty() ? "" : ", ") + std::string(words[n]);
        }
    }
    const std::size_t last = list.rfind(", ");
    return list.replace(last, 2, packed ? " and " : " or ");
}

void require_told(const TextFile& file, const ModelFormat& format,
                  const ModelFileOptions& options) {
    if ((options.spacing || options.origin) && format.told != ToldOfModel::grid) {
        throw InputError(fmt::format("{} has its own {} (leave it out)", file.quoted(),
                                     options.spacing ? "spacing" : "origin"));
    }
}

/// A file that says itself whether its values are on nodes: the user may only confirm it.
void require_placement(const TextFile& file, const ModelFormat& format, Placement found,
                       const ModelFileOptions& options) {
    if (format.told == ToldOfModel::grid || format.told == ToldOfModel::placement) return;
    if (!options.placement || *options.placement == found) return;
    throw InputError(
        fmt::format("{} tells itself whether it has nodes or cells (only .npy, .csv and .hdr can "
                    "be told)",
                    file.quoted()));
}

}  // namespace

const ModelFormat vtkhdf_model{".h5 .hdf5 .hdf .vtkhdf", ToldOfModel::nothing, false, nullptr,
                               read_vtkhdf_model,        write_vtkhdf_model,   "",    true};

Model of_values(const TextFile& file, Field<float> velocity, const ModelReadOptions& options) {
    if (!options.spacing) {
        throw InputError(
            fmt::format("{} holds values only (the spacing must be given)", file.quoted()));
    }
    const Placement placement = options.placement.value_or(Placement::nodes);
    const bool is_2d = velocity.shape().y == 1;
    const Grid grid{node_shape(velocity.shape(), is_2d, placement), options.origin.value_or(Vec3{}),
                    *options.spacing};
    return named_by_file(file, [&] { return make_model(grid, std::move(velocity), placement); });
}

Model read_model(const fs::path& path, Notes& notes, const ModelReadOptions& options) {
    return read_model_file(path, notes, {options, {}, false});
}

Model read_model_file(const fs::path& path, Notes& notes, const ModelFileOptions& options) {
    const TextFile file = path;
    const ModelFormat* format = format_read(file);
    if (format == nullptr ||
        (options.raw.given() && !has_suffix(".npy .eas", input_suffix_of(path)))) {
        if (!options.raw.given()) {
            throw InputError(
                fmt::format("{} has the suffix '{}' (models are {}, vgrids.in or v.in; raw numbers "
                            "need `shape`{})",
                            file.quoted(), path.extension().string(), list_of(false),
                            suffix_of(path) == ".nc" ? "; .nc is read in Python" : ""));
        }
        format = &raw_model;
    }
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw InputError(fmt::format("cannot read '{}': No such file or directory", path.string()));
    }
    if (input_suffix_of(path) != suffix_of(path) && !format->packed) {
        throw InputError(fmt::format("{} is packed (of models, {} are read so: gunzip it)",
                                     file.quoted(), list_of(true)));
    }
    require_told(file, *format, options);
    const bool told_cells = options.placement == Placement::cells;
    if (told_cells) require_placement(file, *format, Placement::nodes, options);
    Model model = format->read(file, options, notes);
    require_placement(file, *format, placement_of(model), options);
    return model;
}

void write_model(const fs::path& path, const Model& model, const std::string& run) {
    const ModelFormat* format = format_written(path);
    if (!model.is_plain() && (format == nullptr || !format->holds_metric)) {
        throw InputError(fmt::format("'{}' cannot hold {} (write .h5, or .vts for ParaView)",
                                     path.string(), model.medium_name()));
    }
    if (format == nullptr) {
        throw InputError(
            fmt::format("cannot write '{}' (models are written as .vtkhdf or .h5, .vti, .vts, "
                        ".vtk, .hdr, .grd, .segy, .csv, .xyz or .npy)",
                        path.string()));
    }
    format->write(path, model, run);
}

bool is_model_output(const fs::path& path) { return format_written(path) != nullptr; }

}  // namespace fermat
