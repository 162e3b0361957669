#include "io/model_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/metric_io.hpp"
#include "io/model_files.hpp"
#include "io/nonlinloc.hpp"
#include "io/npy.hpp"
#include "io/suffix.hpp"
#include "io/surfer.hpp"
#include "io/vti_write.hpp"
#include "io/vtk_xml.hpp"
#include "io/vtkhdf_image.hpp"
#include "io/vts_write.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

bool is_vtkhdf(const std::string& suffix) {
    return suffix == ".h5" || suffix == ".hdf5" || suffix == ".hdf" || suffix == ".vtkhdf";
}

/// Runs `make`, whose messages are about values and do not name the file, and puts the file's name
/// before them.
template <class Make>
auto named_by_file(const fs::path& path, Make make) {
    try {
        return make();
    } catch (const InputError& error) {
        throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
    }
}

/// First coordinate, step and number of nodes along an axis with even spacing.
struct Axis {
    double first = 0;
    double step = 1;
    int nodes = 1;

    /// Index of the node at a coordinate, or -1 if the coordinate lies between nodes.
    int index(double value) const {
        const double u = nodes == 1 ? 0 : (value - first) / step;
        const double nearest = std::round(u);
        return std::abs(u - nearest) <= 1e-3 && nearest >= 0 && nearest < nodes
                   ? static_cast<int>(nearest)
                   : -1;
    }
};

Axis find_axis(const CsvTable& table, std::size_t column) {
    std::vector<double> values(table.rows());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = table.number(row, column);
    std::sort(values.begin(), values.end());
    // Coordinates printed with few digits vary a little from row to row.
    const double range = values.back() - values.front();
    const double same = 1e-6 * range / static_cast<double>(values.size()) +
                        1e-12 * (std::abs(values.front()) + std::abs(values.back()));
    std::size_t nodes = 1;
    for (std::size_t i = 1; i < values.size(); ++i) nodes += values[i] - values[i - 1] > same;
    Axis axis;
    axis.first = values.front();
    axis.nodes = static_cast<int>(nodes);
    if (nodes > 1) axis.step = range / static_cast<double>(nodes - 1);
    return axis;
}

Model read_csv_model(const fs::path& path, Placement placement, Notes& notes) {
    const CsvTable table(path);
    if (table.rows() == 0 || table.rows() > std::numeric_limits<int>::max()) {
        throw InputError(fmt::format("'{}' has {} rows", path.string(), table.rows()));
    }
    const std::size_t velocity_column = table.column("velocity");
    const auto y_column = table.find_column("y");
    const std::array<std::size_t, 3> columns = {
        table.column("x"), y_column.value_or(table.column("x")), table.column("z")};
    constexpr std::array<std::string_view, 4> known = {"x", "y", "z", "velocity"};
    note_unused_columns(fmt::format("'{}'", path.string()), table.names(), known,
                        "a model is x,y,z,velocity, without y in 2-D", notes);
    std::array<Axis, 3> axes;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i != 1 || y_column) axes[i] = find_axis(table, columns[i]);
    }
    Grid grid;
    grid.shape = {axes[0].nodes, axes[1].nodes, axes[2].nodes};
    grid.origin = {axes[0].first, axes[1].first, axes[2].first};
    grid.spacing = {axes[0].step, axes[1].step, axes[2].step};
    const double nodes = static_cast<double>(grid.shape.x) * grid.shape.y * grid.shape.z;
    if (nodes != static_cast<double>(table.rows())) {
        throw InputError(
            fmt::format("'{}' has {} rows for {} different x, {} y and {} z (every node of "
                        "a regular grid must have one row)",
                        path.string(), table.rows(), grid.shape.x, grid.shape.y, grid.shape.z));
    }
    named_by_file(path, [&] { validate(grid); });
    Field<float> velocity(grid.shape, -1.0F);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        Index3 node;
        for (int i = 0; i < 3; ++i) {
            const auto axis = static_cast<std::size_t>(i);
            if (i == 1 && !y_column) continue;
            const double value = table.number(row, columns[axis]);
            node[i] = axes[axis].index(value);
            if (node[i] < 0) {
                throw InputError(fmt::format("{}{} is {} (must lie on an evenly spaced grid)",
                                             table.where(row), "xyz"[i], value));
            }
        }
        const double value = table.number(row, velocity_column);
        if (value < 0 || value > std::numeric_limits<float>::max()) {
            throw InputError(fmt::format("{}velocity is {} (must be finite and > 0, or 0 for air)",
                                         table.where(row), value));
        }
        if (velocity(node) >= 0) {
            throw InputError(fmt::format("{}its node was given before", table.where(row)));
        }
        velocity(node) = static_cast<float>(value);
    }
    if (placement == Placement::cells) {
        const bool is_2d = grid.is_2d();
        grid.shape = node_shape(grid.shape, is_2d, placement);
        grid.origin = grid.origin_before_middles();
        if (is_2d) grid.origin.y = axes[1].first;
    }
    return named_by_file(path, [&] { return make_model(grid, std::move(velocity), placement); });
}

/// A model of bare values, whose grid the user gives.
Model of_values(const fs::path& path, Field<float> velocity, const ModelReadOptions& options) {
    if (!options.spacing) {
        throw InputError(
            fmt::format("'{}' holds values only (the spacing must be given)", path.string()));
    }
    const Placement placement = options.placement.value_or(Placement::nodes);
    const bool is_2d = velocity.shape().y == 1;
    const Grid grid{node_shape(velocity.shape(), is_2d, placement), options.origin.value_or(Vec3{}),
                    *options.spacing};
    return named_by_file(path, [&] { return make_model(grid, std::move(velocity), placement); });
}

Model read_vtkhdf_model(const fs::path& path) {
    const ImageReader image(path);
    const auto has = [](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), "velocity") != names.end();
    };
    if (has(image.point_arrays())) {
        Field<float> velocity = image.read_point_array("velocity");
        return named_by_file(path, [&] {
            const Model model(image.grid(), std::move(velocity));
            const auto metric = read_metric(image);
            return metric ? model.with_metric(metric) : model;
        });
    }
    if (has(image.cell_arrays())) {
        Field<float> velocity = image.read_cell_array("velocity");
        return named_by_file(path,
                             [&] { return Model::of_cells(image.grid(), std::move(velocity)); });
    }
    throw InputError(fmt::format(
        "'{}' has no array 'velocity' (a model has it as point or as cell data)", path.string()));
}

/// Reads a model from a file that says itself whether its values are on nodes. The user may only
/// confirm it.
template <class Read>
Model as_told(const fs::path& path, const ModelReadOptions& options, Read read) {
    const auto refuse = [&] {
        throw InputError(
            fmt::format("'{}' tells itself whether it has nodes or cells (only .npy, .csv and .hdr "
                        "can be told)",
                        path.string()));
    };
    if (options.placement == Placement::cells) refuse();
    Model model = read();
    if (options.placement && placement_of(model) != *options.placement) refuse();
    return model;
}

/// Velocities of one medium do not differ ten thousandfold, and are neither tiny nor huge in any
/// unit; numbers of another type or byte order are.
void doubt_range(const fs::path& path, const Field<float>& values, Notes& notes) {
    float least = std::numeric_limits<float>::infinity();
    float most = 0;
    for (const float v : values) {
        if (v > 0) least = std::min(least, v);
        most = std::max(most, v);
    }
    if (most <= 1e4f * least && least > 1e-9f && most < 1e12f) return;
    notes.add(fmt::format(
        "'{}': velocities are from {:g} to {:g} (are `dtype`, `order` and the byte order "
        "right, `big_endian`?)",
        path.string(), least, most));
}

Model read_by_suffix(const fs::path& path, const std::string& suffix,
                     const ModelFileOptions& options, Notes& notes) {
    if (suffix == ".npy") return of_values(path, read_npy(path), options);
    if (suffix == ".eas") return of_values(path, read_gslib(path, options.raw, notes), options);
    if (options.raw.given()) {
        const auto values = [&] {
            Field<float> found = read_raw(path, options.raw);
            doubt_range(path, found, notes);
            return found;
        };
        return of_values(path, named_by_file(path, values), options);
    }
    if (options.spacing || options.origin) {
        throw InputError(fmt::format("'{}' has its own {} (leave it out)", path.string(),
                                     options.spacing ? "spacing" : "origin"));
    }
    if (suffix == ".csv") {
        return read_csv_model(path, options.placement.value_or(Placement::nodes), notes);
    }
    if (suffix == ".grd") {
        const Placement placement = options.placement.value_or(Placement::nodes);
        return named_by_file(path,
                             [&] { return read_surfer(path, options.depths, placement, notes); });
    }
    if (suffix == ".hdr") return read_nonlinloc(path, options.placement, notes);
    if (is_vtkhdf(suffix)) return as_told(path, options, [&] { return read_vtkhdf_model(path); });
    if (suffix == ".vti" || suffix == ".vtr") {
        return as_told(path, options, [&] { return read_vtk_xml(path); });
    }
    throw InputError(
        fmt::format("'{}' has the suffix '{}' (models are .h5, .npy, .csv, .vti, .vtr, .hdr, .grd "
                    "or .eas; raw numbers need `shape`{})",
                    path.string(), path.extension().string(),
                    suffix == ".nc" ? "; .nc is read in Python" : ""));
}

}  // namespace

Model read_model(const fs::path& path, Notes& notes, const ModelReadOptions& options) {
    return read_model_file(path, notes, {options, {}, false});
}

Model read_model_file(const fs::path& path, Notes& notes, const ModelFileOptions& options) {
    const std::string suffix = input_suffix_of(path);
    const bool whole = suffix == ".csv" || suffix == ".vti" || suffix == ".vtr" ||
                       suffix == ".grd" || suffix == ".eas";
    if (suffix != suffix_of(path) && !whole) {
        throw InputError(fmt::format(
            "'{}' is packed (of models, .csv, .vti, .vtr, .grd and .eas are read so: gunzip it)",
            path.string()));
    }
    return read_by_suffix(path, suffix, options, notes);
}

void write_model(const fs::path& path, const Model& model, const std::string& run) {
    const std::string suffix = suffix_of(path);
    if (model.metric() && !is_vtkhdf(suffix) && suffix != ".vts") {
        throw InputError(fmt::format("'{}' cannot hold {} (write .h5, or .vts for ParaView)",
                                     path.string(), model.metric()->name()));
    }
    if (suffix == ".npy") {
        write_npy(path, model.given());
    } else if (is_vtkhdf(suffix)) {
        ImageWriter image(path, model.grid(), run);
        if (model.cells()) {
            image.add_cell_array("velocity", model.given());
        } else {
            image.add_point_array("velocity", model.given());
        }
        if (model.metric()) write_metric(image, *model.metric());
        image.commit();
    } else if (suffix == ".vti") {
        write_vti(path, model);
    } else if (suffix == ".vts") {
        write_vts(path, model);
    } else if (suffix == ".hdr") {
        write_nonlinloc(path, model);
    } else if (suffix == ".grd") {
        write_surfer(path, model);
    } else {
        throw InputError(fmt::format(
            "cannot write '{}' (models are written as .h5, .vti, .vts, .hdr, .grd or .npy)",
            path.string()));
    }
}

bool is_model_output(const fs::path& path) {
    const std::string suffix = suffix_of(path);
    return is_vtkhdf(suffix) || suffix == ".npy" || suffix == ".vti" || suffix == ".vts" ||
           suffix == ".hdr" || suffix == ".grd";
}

}  // namespace fermat
