#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "core/error.hpp"
#include "io/model_files.hpp"
#include "io/suffix.hpp"
#include "numpy.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Spacing or origin for a file whose dimensions are not known yet. Two numbers mean 2-D.
std::optional<Vec3> axes_before_reading(const std::optional<AxisNumbers>& numbers, double flat_y,
                                        const char* what) {
    if (!numbers) return std::nullopt;
    const auto* each = std::get_if<std::vector<double>>(&*numbers);
    return axes_from(*numbers, each != nullptr && each->size() == 2, flat_y, what);
}

Shape shape_of(const std::vector<int>& numbers) {
    if (numbers.size() != 2 && numbers.size() != 3) {
        throw InputError("shape has " + std::to_string(numbers.size()) +
                         " numbers (must be (nx, nz) or (nx, ny, nz))");
    }
    for (const int extent : numbers) {
        if (extent < 1) throw InputError("shape has an extent that is not > 0");
    }
    return {numbers[0], numbers.size() == 2 ? 1 : numbers[1], numbers.back()};
}

/// xarray reads and writes NetCDF: fermat._netcdf.
nb::object netcdf(const char* function) {
    return nb::module_::import_("fermat._netcdf").attr(function);
}

Model load(const std::filesystem::path& path, const std::optional<AxisNumbers>& spacing,
           const std::optional<AxisNumbers>& origin, std::optional<bool> cells,
           const std::optional<std::vector<int>>& shape, const std::string& dtype,
           const std::string& order, bool big_endian, bool upward, bool depths) {
    ModelFileOptions options;
    options.spacing = axes_before_reading(spacing, 1, "spacing");
    options.origin = axes_before_reading(origin, 0, "origin");
    if (cells) options.placement = *cells ? Placement::cells : Placement::nodes;
    options.raw = {std::nullopt, dtype, big_endian, order, upward};
    if (shape) options.raw.shape = shape_of(*shape);
    options.depths = depths;
    if (suffix_of(path) == ".nc") return nb::cast<Model>(netcdf("load")(path.string(), depths));
    Notes notes;
    Model model = [&] {
        const nb::gil_scoped_release release;
        return read_model_file(path, notes, options);
    }();
    const bool is_2d = model.grid().is_2d();
    if (spacing) axes_from(*spacing, is_2d, 1, "spacing");
    if (origin) axes_from(*origin, is_2d, 0, "origin");
    warn(notes);
    return model;
}

}  // namespace

void bind_files(nb::class_<Model>& type) {
    type.def_static(
        "load", &load, "path"_a, nb::kw_only(), "spacing"_a = nb::none(), "origin"_a = nb::none(),
        "cells"_a = nb::none(), "shape"_a = nb::none(), "dtype"_a = "float32", "order"_a = "",
        "big_endian"_a = false, "upward"_a = false, "depths"_a = false,
        nb::sig("def load(path: str | os.PathLike[str], *, "
                "spacing: float | collections.abc.Sequence[float] | None = None, "
                "origin: float | collections.abc.Sequence[float] | None = None, "
                "cells: bool | None = None, "
                "shape: collections.abc.Sequence[int] | None = None, dtype: str = 'float32', "
                "order: str = '', big_endian: bool = False, upward: bool = False, "
                "depths: bool = False) -> Model"),
        "Read a model from a file by its suffix: .h5 (VTKHDF), .npy, .csv, .vti, .vtr, .hdr "
        "(NonLinLoc), .grd (Surfer), .eas (GSLIB, SGeMS), .segy, .rsf (Madagascar), .vo (GOCAD), "
        "vgrids.in (FMTOMO), v.in (rayinvr), smesh (tomo2d), .nc (through xarray), or raw numbers "
        "under any other suffix. Raw numbers need shape and spacing; dtype is float32, float64, "
        "int16, int32, uint8 or uint16; order names the axes from the slowest to the fastest "
        "('zx'; default 'xyz', with depth fastest); upward says that z starts at the bottom. "
        "depths says that y of .grd is depth, not height. .npy and .eas need a spacing; the other "
        "formats contain it. For .npy, .csv, .hdr, .grd, .eas and raw numbers, cells says whether "
        "velocity is given in cells (the rows of a .csv and the nodes of a .grd are then the "
        "centres of cells) or on nodes; the other formats contain that too. By default they have "
        "nodes, and .hdr has cells, as in NonLinLoc, with a UserWarning. A UserWarning also "
        "reports columns of a table that are not used.\n\n"
        ">>> import fermat as fm, numpy as np\n"
        ">>> np.full((3, 2), 1500, np.float32).tofile('raw.bin')\n"
        ">>> fm.Model.load('raw.bin', shape=(3, 2), spacing=10).shape\n"
        "(3, 2)");
    type.def(
        "save",
        [](const nb::object& self, const std::filesystem::path& path) {
            if (suffix_of(path) == ".nc") {
                netcdf("save")(self, path.string());
                return;
            }
            const Model& model = nb::cast<const Model&>(self);
            const nb::gil_scoped_release release;
            write_model(path, model);
        },
        "path"_a, nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
        "Write the model: .h5 (VTKHDF, for ParaView, PyVista and h5py), .vti, .vtk, .csv (which "
        "load reads back), .xyz (numbers alone, NaN in air), .hdr (NonLinLoc), .grd (Surfer, 2-D), "
        ".nc (through xarray) or .npy (values only). If writing fails, an "
        "existing file stays unchanged.\n\n"
        ">>> import fermat as fm\n"
        ">>> fm.Model.constant((3, 2), velocity=2).save('model.vti')\n"
        ">>> fm.Model.load('model.vti').velocity.max()\n"
        "np.float32(2.0)");
}

}  // namespace fermat::python
