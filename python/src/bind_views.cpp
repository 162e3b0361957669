#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "model/topography.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Methods of Model that use Python libraries are written in Python, in fermat/_grid.py.
nb::object helper(const char* name) { return nb::module_::import_("fermat._grid").attr(name); }

Surface surface_from(const std::vector<std::vector<double>>& rows, bool is_2d) {
    std::vector<Vec3> points;
    points.reserve(rows.size());
    for (const std::vector<double>& row : rows) {
        if (row.size() != (is_2d ? 2 : 3)) {
            throw InputError(fmt::format(
                "point {} of the surface has {} numbers (must have {})", points.size(), row.size(),
                is_2d ? "2, (x, z), for a 2-D model" : "3, (x, y, z), for a 3-D model"));
        }
        points.push_back(is_2d ? Vec3{row[0], 0, row[1]} : Vec3{row[0], row[1], row[2]});
    }
    return Surface(is_2d ? Surface::Kind::line : Surface::Kind::area, points);
}

Model with_topography(nb::handle_t<Model> self, nb::handle surface, bool height) {
    const auto& model = nb::cast<const Model&>(self);
    const Surface ground = surface_from(
        nb::cast<std::vector<std::vector<double>>>(helper("surface_points")(self, surface, height)),
        model.grid().is_2d());
    const nb::gil_scoped_release release;
    return cut_by_surface(model, ground);
}

}  // namespace

void bind_views(nb::class_<Model>& type) {
    type.def_prop_ro(
        "grid", [](nb::handle_t<Model> self) { return helper("grid_of")(self); },
        nb::sig("def grid(self) -> Grid"),
        "The nodes: shape, spacing, origin, end, cells and coords.");
    type.def_prop_ro(
        "coords",
        [](nb::handle_t<Model> self) -> nb::object {
            return helper("grid_of")(self).attr("coords");
        },
        nb::sig("def coords(self) -> tuple[numpy.typing.NDArray[numpy.float64], ...]"),
        "Positions of the nodes, one array per axis.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> x, z = fm.Model.constant((3, 2), velocity=2, spacing=0.5).coords\n"
        "    >>> x\n"
        "    array([0. , 0.5, 1. ])\n");
    type.def(
        "with_topography", &with_topography, "surface"_a, nb::kw_only(), "height"_a = false,
        nb::sig("def with_topography(self, surface: numpy.typing.ArrayLike | Picks, "
                "*, height: bool = False) -> Model"),
        "This model with air above the ground.\n\n"
        "surface is points (x, z), or (x, y, z) in 3-D; or an array (nx,), or (nx, ny), with\n"
        "one depth per column of nodes; or Picks, whose points lie on the ground. z is depth, so\n"
        "hills are negative; with height=True the last number is a height, positive up. Ground\n"
        "above the top of the model is cut off, so give the model an origin above the highest\n"
        "hill.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> flat = fm.Model.constant((5, 5), velocity=2, spacing=10, origin=(0, -20))\n"
        "    >>> hilly = flat.with_topography([(0, 0), (20, 20), (40, 0)], height=True)\n"
        "    >>> (hilly.velocity > 0).sum(axis=1)\n"
        "    array([3, 4, 5, 4, 3])\n");
    type.def(
        "to_xarray",
        [](nb::handle_t<Model> self, const nb::kwargs& fields) {
            return helper("to_xarray")(self, fields);
        },
        "fields"_a, nb::sig("def to_xarray(self, **fields: numpy.typing.ArrayLike) -> typing.Any"),
        "An xarray.Dataset with the velocity, its coordinates and further fields by name:\n"
        "model.to_xarray(time=times).\n\n"
        ">>> import fermat as fm\n"
        ">>> model = fm.Model.constant((3, 2), velocity=2)\n"
        ">>> dict(model.to_xarray(time=fm.traveltimes(model, (0, 0))).sizes)\n"
        "{'x': 3, 'z': 2}");
    type.def(
        "to_pyvista",
        [](nb::handle_t<Model> self, const nb::kwargs& fields) {
            return helper("to_pyvista")(self, fields);
        },
        "fields"_a, nb::sig("def to_pyvista(self, **fields: numpy.typing.ArrayLike) -> typing.Any"),
        "A pyvista.ImageData with the velocity and further fields by name, on nodes or cells:\n"
        "model.to_pyvista(time=times, coverage=count).\n\n"
        ">>> import fermat as fm\n"
        ">>> fm.Model.constant((3, 2), velocity=2).to_pyvista().dimensions\n"
        "(3, 1, 2)");
}

}  // namespace fermat::python
