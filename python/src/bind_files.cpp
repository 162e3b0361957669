#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "bindings.hpp"
#include "io/model_io.hpp"
#include "numpy.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Free = nb::call_guard<nb::gil_scoped_release>;

/// Spacing or origin for a file whose dimensions are not known yet. Two numbers mean 2-D.
std::optional<Vec3> axes_before_reading(const std::optional<AxisNumbers>& numbers, double flat_y,
                                        const char* what) {
    if (!numbers) return std::nullopt;
    const auto* each = std::get_if<std::vector<double>>(&*numbers);
    return axes_from(*numbers, each != nullptr && each->size() == 2, flat_y, what);
}

Model load(const std::filesystem::path& path, const std::optional<AxisNumbers>& spacing,
           const std::optional<AxisNumbers>& origin, std::optional<bool> cells) {
    ModelReadOptions options{axes_before_reading(spacing, 1, "spacing"),
                             axes_before_reading(origin, 0, "origin"), std::nullopt};
    if (cells) options.placement = *cells ? Placement::cells : Placement::nodes;
    Notes notes;
    Model model = [&] {
        const nb::gil_scoped_release release;
        return read_model(path, notes, options);
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
        "cells"_a = nb::none(),
        nb::sig("def load(path: str | os.PathLike[str], *, "
                "spacing: float | collections.abc.Sequence[float] | None = None, "
                "origin: float | collections.abc.Sequence[float] | None = None, "
                "cells: bool | None = None) -> Model"),
        "Read a model from a file by its suffix: .h5 (VTKHDF), .npy, .csv, .vti, .vtr or .hdr "
        "(NonLinLoc). .npy needs a spacing; the other formats contain it. For .npy, .csv and .hdr, "
        "cells says whether velocity is given in cells (the rows of a .csv are then the centres "
        "of cells) or on nodes; the other formats contain that too. By default .npy and .csv have "
        "nodes, and .hdr has cells, as in NonLinLoc, with a UserWarning. A UserWarning also "
        "reports columns of a table that are not used.");
    type.def(
        "save",
        [](const Model& model, const std::filesystem::path& path) { write_model(path, model); },
        "path"_a, Free(), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
        "Write the model: .h5 (VTKHDF, for ParaView, PyVista and h5py) or .npy (values only). If "
        "writing fails, an existing file stays unchanged.");
}

}  // namespace fermat::python
