#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <string>

#include "bindings.hpp"
#include "io/vtkhdf_image.hpp"
#include "model/makers.hpp"
#include "numpy.hpp"
#include "tomography/fade.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Returns point arrays and cell arrays by name.
nb::tuple load_fields(const std::filesystem::path& path) {
    const ImageReader image(path);
    const bool is_2d = image.grid().is_2d();
    nb::dict points;
    nb::dict cells;
    for (const std::string& name : image.point_arrays()) {
        points[name.c_str()] = array_of(image.read_point_array(name), is_2d);
    }
    for (const std::string& name : image.cell_arrays()) {
        cells[name.c_str()] = array_of(image.read_cell_array(name), is_2d);
    }
    return nb::make_tuple(points, cells);
}

/// A constant model on the grid of an image, for pictures of what it holds.
Model frame_of(const std::filesystem::path& path) {
    const Grid grid = ImageReader(path).grid();
    return constant_model(grid, 1);
}

OwnedArray fade(const Model& model, nb::handle values, bool is_coverage) {
    const HostValues given = values_from_array(values, is_coverage ? "covered" : "resolution");
    const auto of = is_coverage ? &fade_of_coverage : &fade_of_resolution;
    return array_of(of(model, given.values), model.grid().is_2d());
}

}  // namespace

void bind_pictures(nb::module_& module) {
    module.def("load_fields", &load_fields, "path"_a,
               nb::sig("def load_fields(path: str | os.PathLike[str]) -> "
                       "tuple[dict[str, typing.Any], dict[str, typing.Any]]"),
               "Arrays of a VTKHDF image: those of points and those of cells.");
    module.def("frame_of", &frame_of, "path"_a,
               nb::sig("def frame_of(path: str | os.PathLike[str]) -> Model"),
               "A constant model on the grid of a VTKHDF image.");
    module.def("fade", &fade, "model"_a, "values"_a, "is_coverage"_a,
               nb::sig("def fade(model: Model, values: typing.Any, is_coverage: bool) -> "
                       "numpy.typing.NDArray[numpy.float32]"),
               "How opaque a picture shows each node, 0 to 1, from the rays per cell or from the "
               "resolution at nodes.");
}

}  // namespace fermat::python
