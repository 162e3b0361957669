#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "core/error.hpp"
#include "cuda_array.hpp"
#include "metric_keywords.hpp"
#include "model/placement.hpp"
#include "numpy.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Masked values become air, with a warning. Otherwise a masked array of NumPy would silently lose
/// its mask.
nb::object without_mask(nb::object velocity) {
    const nb::object ma = nb::module_::import_("numpy").attr("ma");
    if (!nb::cast<bool>(ma.attr("isMaskedArray")(velocity))) return velocity;
    const auto masked = nb::cast<std::size_t>(ma.attr("count_masked")(velocity));
    if (masked == 0) return velocity.attr("data");
    Notes notes;
    notes.add(fmt::format(
        "{} of {} velocities are masked and become air (velocity.filled(v) would make them rock)",
        masked, nb::cast<std::size_t>(velocity.attr("size"))));
    warn(notes);
    return velocity.attr("filled")(0);
}

/// Lists of numbers, which have no dtype, as an array.
nb::object as_array(nb::object velocity) {
    if (!nb::isinstance<nb::list>(velocity) && !nb::isinstance<nb::tuple>(velocity)) {
        return velocity;
    }
    try {
        return nb::module_::import_("numpy").attr("asarray")(velocity, "dtype"_a = "float64");
    } catch (const nb::python_error& error) {
        throw InputError(
            fmt::format("velocity is no array of numbers ({})", nb::str(error.value()).c_str()));
    }
}

Model model_from(nb::object velocity, const AxisNumbers& spacing, const AxisNumbers& origin,
                 bool cells, const nb::kwargs& metric) {
    velocity = as_array(without_mask(std::move(velocity)));
    HostValues given = values_from_array(velocity, "velocity");
    const Shape shape = given.values.shape();
    // One layer of nodes along y means 2-D. One layer of cells does not: it has nodes on both
    // sides.
    const bool is_2d = cells ? nb::cast<int>(velocity.attr("ndim")) == 2 : shape.y == 1;
    const Placement placement = cells ? Placement::cells : Placement::nodes;
    const Grid grid =
        grid_of({node_shape(shape, is_2d, placement), axes_from(origin, is_2d, 0, "origin"),
                 axes_from(spacing, is_2d, 1, "spacing")},
                metric);
    validate(grid);
    Model model = cells ? Model::of_cells(grid, given.values, std::move(given.owner))
                        : Model(grid, given.values, std::move(given.owner));
    if (const auto made = metric_from(model, metric)) model = model.with_metric(made);
    if (given.shared.is_valid()) make_read_only(given.shared);
    return model;
}

Field<float> slowness_of(const Model& model) {
    const FieldView<const float> velocity = model.given();
    Field<float> slowness(velocity.shape());
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        const float v = velocity[n];
        slowness[n] = v > 0 ? 1 / v : std::numeric_limits<float>::infinity();
    }
    return slowness;
}

/// The text of a 2-D model shows two numbers per point, as the model does.
std::string numbers(Vec3 v, bool is_2d) {
    return is_2d ? fmt::format("({:g}, {:g})", v.x, v.z)
                 : fmt::format("({:g}, {:g}, {:g})", v.x, v.y, v.z);
}

std::string description(const Model& model) {
    const Grid& grid = model.grid();
    float low = std::numeric_limits<float>::infinity();
    float high = 0;
    for (const float v : model.given()) {
        if (v > 0) low = std::min(low, v);
        high = std::max(high, v);
    }
    return fmt::format("Model(shape={}, spacing={}, origin={}, velocity {:g} to {:g}{}{}{})",
                       to_string(grid.shape), numbers(grid.spacing, grid.is_2d()),
                       numbers(grid.origin, grid.is_2d()), low, high,
                       model.cells() ? " in cells" : "", model.has_air() ? ", with air" : "",
                       model.is_plain() ? "" : ", " + model.medium_name());
}

nb::object model_or_cuda_model(nb::handle, nb::object velocity, const AxisNumbers& spacing,
                               const AxisNumbers& origin, bool cells, const nb::kwargs& metric) {
    if (nb::hasattr(velocity, "dims") || nb::hasattr(velocity, "columns")) {
        // xarray and pandas: the coordinates are those of the grid, and the names of the axes
        // count, not their order.
        return nb::module_::import_("fermat._labelled")
            .attr("model_of")(velocity, spacing, origin, cells, metric);
    }
    if (!lies_on_cuda(velocity)) {
        return nb::cast(model_from(velocity, spacing, origin, cells, metric));
    }
    if (metric.size() > 0) {
        throw InputError(
            "velocity of a model with coordinates or anisotropy lies on a CUDA device (must lie in "
            "host memory: give a NumPy array)");
    }
    if (cells) {
        throw InputError(
            "velocity in cells lies on a CUDA device (must lie in host memory: give a NumPy "
            "array)");
    }
    return cuda_model_from(velocity, spacing, origin);
}

constexpr const char* model_doc =
    R"(Velocity on the nodes of a regular grid, or in its cells.

velocity is an array (nx, ny, nz), or (nx, nz) in 2-D, of float32 or float64 in any layout, or a
list of lists of numbers; or an xarray.DataArray with the dimensions x, y, z, or a pandas.DataFrame with
the columns x, y, z and velocity (no y in 2-D), whose coordinates give spacing and origin. z is depth, positive down. 0 marks air (no propagation). Masked values of a
masked array become air too; a UserWarning reports their number. spacing is the distance of
neighbouring nodes, one number or one per axis; origin is the position of the first node. Units are
free but must be consistent, for example km, s and km/s. An array with ny = 1 makes a 2-D model.

With cells=True velocity is that of the cells between the nodes, for media of layers and blocks; the
array has one value less along each axis. Interfaces on faces of cells are then sharp; on nodes they
would be smeared over a cell. Solvers "fim", "fmm" and "fsm" read cells, and rays follow their
fields. Functions that need nodes refuse such a model; give them to_nodes().

Coordinates and anisotropy (see "Coordinates and anisotropy" in docs/methods.md), for times by solver
"fim" and rays by tracer "descent":

coordinates="spherical"
    Points are (latitude, longitude, depth) in degrees and the unit of length; radius is that of
    depth 0. Axis x of the array is latitude. With geodetic=True, latitudes of points are those of
    WGS84, and those of the grid are geocentric. Longitudes may differ by 360.
axes
    The coordinates of the nodes along each axis, with any steps, in place of spacing and origin.
surface
    The depth of the ground at the nodes (nx, ny), or (nx,) in 2-D: the first row of nodes follows
    it, the last stays flat. Points have their true depths.
tensor
    Elliptical anisotropy, an array (..., 3, 3), or (..., 2, 2) in 2-D, per node or one for all. The
    squared velocity along a wavefront's normal n is velocity^2 n . tensor n.
epsilon, delta, tilt, azimuth
    Thomsen's parameters of P waves, one number or one per node. velocity is that along the axis,
    which is tilted from the vertical towards the azimuth from x towards y, in degrees.
vs, vs_ratio
    With Thomsen's parameters: the shear velocity along the axis, or that velocity over the one of
    P, one number or one per node. Times are then those of elastic qP waves; without it, those of
    the acoustic approximation.

On a sphere, tensors and axes refer to north, east and down.

An array of float32 in C order that is the only owner of its memory is not copied. It becomes
read-only, so the model stays as it was checked; give velocity.copy() to keep writing to the array.
An array of CuPy or PyTorch on a CUDA device makes a CudaModel.

    >>> import fermat as fm, numpy as np
    >>> fm.Model(np.full((101, 51), 2.0), spacing=0.1)  # km and km/s
    Model(shape=(101, 51), spacing=(0.1, 0.1), origin=(0, 0), velocity 2 to 2)
    >>> fm.Model(np.full((100, 50), 2.0), spacing=0.1, cells=True)
    Model(shape=(101, 51), spacing=(0.1, 0.1), origin=(0, 0), velocity 2 to 2 in cells)
    >>> fm.Model(np.full((61, 61, 21), 8.0), spacing=(0.1, 0.1, 10), origin=(44, 5, 0),
    ...          coordinates="spherical")
    Model(shape=(61, 61, 21), ..., velocity 8 to 8, spherical coordinates)
)";

}  // namespace

void bind_model(nb::module_& module) {
    const std::string keywords = fmt::format(
        "velocity: numpy.typing.NDArray[typing.Any], *, "
        "spacing: float | collections.abc.Sequence[float] = 1.0, "
        "origin: float | collections.abc.Sequence[float] = 0.0, cells: bool = False, {}",
        metric_signature);
    const std::string new_signature = fmt::format("def __new__(cls, {}) -> Model", keywords);
    const std::string init_signature = fmt::format("def __init__(self, {}) -> None", keywords);
    nb::class_<Model> type(module, "Model", model_doc);
    // An array on a CUDA device makes a model of another type, which __init__ could not return.
    type.def_static("__new__", &model_or_cuda_model, "cls"_a, "velocity"_a.none(), nb::kw_only(),
                    "spacing"_a = 1.0, "origin"_a = 0.0, "cells"_a = false, "metric"_a,
                    nb::sig(new_signature.c_str()));
    type.def(
        "__init__",
        [](nb::handle, nb::handle, const AxisNumbers&, const AxisNumbers&, bool,
           const nb::kwargs&) {},
        "velocity"_a.none(), nb::kw_only(), "spacing"_a = 1.0, "origin"_a = 0.0, "cells"_a = false,
        "metric"_a, nb::sig(init_signature.c_str()));
    bind_metric(type);
    type.def_prop_ro(
        "velocity",
        [](nb::handle_t<Model> self) {
            const auto& model = nb::cast<const Model&>(self);
            return view_of(model.given(), model.grid().is_2d(), self);
        },
        nb::sig("def velocity(self) -> numpy.typing.NDArray[numpy.float32]"),
        "Velocity as it was given, on nodes or in cells: a read-only view of the model's memory.");
    type.def_prop_ro(
        "slowness",
        [](const Model& self) { return array_of(slowness_of(self), self.grid().is_2d()); },
        nb::rv_policy::take_ownership,
        nb::sig("def slowness(self) -> numpy.typing.NDArray[numpy.float32]"),
        "1 / velocity, infinite in air: a new array.");
    type.def_prop_ro(
        "cells", [](const Model& self) { return self.cells() != nullptr; },
        "Whether velocity is given in cells. It then has one value less along each axis than "
        "shape.");
    type.def(
        "to_nodes", &as_nodes,
        "This model with velocity on nodes: of cells, the mean slowness of those round a node; "
        "of nodes, a copy.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> model = fm.Model.layers((3, 5), layers=[(0, 2), (2, 4)], cells=True)\n"
        "    >>> model.to_nodes().velocity[0].round(2)\n"
        "    array([2.  , 2.  , 2.67, 4.  , 4.  ], dtype=float32)\n");
    type.def_prop_ro(
        "shape", [](const Model& self) { return tuple_of(self.grid().shape); },
        nb::sig("def shape(self) -> tuple[int, ...]"),
        "Number of nodes: (nx, ny, nz), or (nx, nz) in 2-D.");
    type.def_prop_ro(
        "spacing",
        [](const Model& self) { return tuple_of(self.grid().spacing, self.grid().is_2d()); },
        nb::sig("def spacing(self) -> tuple[float, ...]"),
        "Distance of neighbouring nodes along each axis.");
    type.def_prop_ro(
        "origin",
        [](const Model& self) { return tuple_of(self.grid().origin, self.grid().is_2d()); },
        nb::sig("def origin(self) -> tuple[float, ...]"), "Position of the first node.");
    type.def_prop_ro(
        "ndim", [](const Model& self) { return self.grid().dimensions(); }, "2 or 3.");
    type.def_prop_ro("has_air", &Model::has_air, "Whether a node, or cell, has velocity 0.");
    type.def("__repr__", &description);
    type.def("__copy__", &Model::copy);
    type.def("__deepcopy__", [](const Model& self, const nb::object&) { return self.copy(); });

    type.def(
        "__getnewargs_ex__",
        [](nb::handle_t<Model> self) {
            nb::dict options;
            options["spacing"] = self.attr("spacing");
            options["origin"] = self.attr("origin");
            options["cells"] = self.attr("cells");
            add_metric_keywords(nb::cast<const Model&>(self), options);
            return nb::make_tuple(nb::make_tuple(self.attr("velocity").attr("copy")()), options);
        },
        nb::sig("def __getnewargs_ex__(self) -> tuple[tuple[object], dict[str, object]]"));
    bind_makers(type);
    bind_files(type);
    bind_views(type);
}

}  // namespace fermat::python
