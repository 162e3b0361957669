#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/stream.hpp"
#include "core/version.hpp"
#include "cuda_array.hpp"
#include "eikonal/times_cuda.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string words(nb::handle object) { return nb::str(object).c_str(); }

std::string description(const ArrayOnCuda& self) {
    const Grid& grid = self.model.grid();
    return fmt::format("CudaModel(shape={}, velocity of {}{})", to_string(grid.shape),
                       words(self.array.type().attr("__module__")),
                       self.model.has_air() ? ", with air" : "");
}

nb::object to_host(ArrayOnCuda& self) {
    if (!self.host.is_valid()) {
        self.host = nb::cast([&] {
            const nb::gil_scoped_release release;
            return self.model.fetch();
        }());
    }
    return self.host;
}

using CudaFields = nb::ndarray<float, nb::device::cuda>;

/// The fields as an array (n, nx, ny, nz), without n for a single field and without ny in 2-D.
CudaFields fields_of(CudaTimes times, bool one, int device) {
    std::vector<std::size_t> sizes;
    if (!one) sizes.push_back(times.fields);
    sizes.push_back(static_cast<std::size_t>(times.shape.x));
    if (times.shape.y != 1) sizes.push_back(static_cast<std::size_t>(times.shape.y));
    sizes.push_back(static_cast<std::size_t>(times.shape.z));
    using Memory = std::shared_ptr<float>;
    float* const data = times.memory.get();
    auto* const kept = new Memory(std::move(times.memory));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Memory*>(p); });
    return CudaFields(data, sizes.size(), sizes.data(), owner, nullptr, nb::dtype<float>(),
                      nb::device::cuda::value, device);
}

CudaFields traveltimes(const ArrayOnCuda& self, const Points& sources, const Numbers& start_times,
                       bool together, const std::string& solver, int order,
                       const std::string& precision, nb::object progress, StreamHandle stream) {
    if (solver != name_of(Solver::fim)) {
        throw InputError(
            fmt::format("solver is '{}' (arrays on the device are solved by 'fim': use "
                        "it, or model.to_host())",
                        solver));
    }
    on_cuda(eikonal_options(solver, order, "cuda"), Device::cuda,
            parse_choice<Precision>(precision));
    const std::vector<PointSource> from = sources_from(sources, start_times, self.model.grid());
    PythonMonitor bridge(std::move(progress));
    CudaTimes times = bridge.run([&](const Execution& execution) {
        const StreamScope scope(self.values.device_id(), stream);
        return first_arrivals(self.model, from, order, together ? Fields::together : Fields::each,
                              execution.monitor);
    });
    return fields_of(std::move(times), together, self.values.device_id());
}

/// A DevicesScope as a context of Python.
class UseDevices {
  public:
    explicit UseDevices(std::vector<int> devices) : devices_(std::move(devices)) {}
    void enter() { scope_ = std::make_unique<DevicesScope>(devices_); }
    void exit() { scope_.reset(); }

  private:
    std::vector<int> devices_;
    std::unique_ptr<DevicesScope> scope_;
};

constexpr const char* cuda_model_doc =
    R"(A model whose velocity lies on a CUDA device. fermat.Model(array) makes it from an array of
CuPy or PyTorch on the device.

The array is not copied, must be float32 in C order, and must not be changed afterwards.
fermat.traveltimes computes on the device and returns arrays of the same library there.
fermat.rays and other functions use to_host(), which copies the velocity once, when it is needed.
)";

}  // namespace

void refuse_device_array(const char* what) {
    throw InputError(
        fmt::format("{} lies on a CUDA device (CUDA is not in this build: "
                    "configure with -DFERMAT_CUDA=ON, or give a NumPy array)",
                    what));
}

CudaFloats floats_on_cuda(nb::handle array, const char* what) {
    if (build::cuda == "no") refuse_device_array(what);
    nb::ndarray<nb::ro> any;
    if (!nb::try_cast(array, any, false)) {
        throw InputError(
            fmt::format("{} is a {} (it lies on a CUDA device, but its library "
                        "does not hand it over by DLPack)",
                        what, words(array.type().attr("__name__"))));
    }
    if (any.dtype() != nb::dtype<float>()) {
        throw InputError(
            fmt::format("{} on the CUDA device has dtype {} (must be float32 "
                        "there: convert it, as by {}.astype('float32'))",
                        what, words(array.attr("dtype")), what));
    }
    CudaFloats floats;
    if (!nb::try_cast(array, floats, false)) {
        throw InputError(
            fmt::format("{} on the CUDA device is not in C order (make it so, as by "
                        "cupy.ascontiguousarray({}) or {}.contiguous())",
                        what, what, what));
    }
    return floats;
}

bool lies_on_cuda(nb::handle array) {
    if (!nb::hasattr(array, "__dlpack_device__")) return false;
    const nb::object place = array.attr("__dlpack_device__")();
    const int kind = nb::cast<int>(nb::int_(place[0]));
    return kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value;
}

nb::object cuda_model_from(nb::object velocity, const AxisNumbers& spacing,
                           const AxisNumbers& origin) {
    CudaFloats values = floats_on_cuda(velocity, "velocity");
    const Shape shape = shape_of(nb::ndarray<nb::ro>(values), "velocity");
    const bool is_2d = shape.y == 1;
    const Grid grid{shape, axes_from(origin, is_2d, 0, "origin"),
                    axes_from(spacing, is_2d, 1, "spacing")};
    CudaModel model(grid, {values.data(), shape});
    return nb::cast(
        ArrayOnCuda{std::move(velocity), std::move(values), std::move(model), nb::object()});
}

void bind_cuda(nb::module_& module) {
    bind_cuda_memory(module);
    nb::class_<ArrayOnCuda> type(module, "CudaModel", cuda_model_doc);
    type.def_ro("velocity", &ArrayOnCuda::array, "The array that it was made of, itself.");
    type.def(
        "to_host", &to_host, nb::sig("def to_host(self) -> Model"),
        R"(This model in host memory, for fermat.plot and others. The first call copies it; later calls
return the same copy.

Examples
--------
>>> import cupy, fermat as fm
>>> model = fm.Model(cupy.full((9, 8), 2, "float32"))
>>> model.to_host()
Model(...)
)");
    type.def_prop_ro(
        "shape", [](const ArrayOnCuda& self) { return tuple_of(self.model.grid().shape); },
        nb::sig("def shape(self) -> tuple[int, ...]"),
        "Number of nodes: (nx, ny, nz), or (nx, nz) in 2-D.");
    type.def_prop_ro(
        "spacing",
        [](const ArrayOnCuda& self) {
            return tuple_of(self.model.grid().spacing, self.model.grid().is_2d());
        },
        nb::sig("def spacing(self) -> tuple[float, ...]"),
        "Distance of neighbouring nodes along each axis.");
    type.def_prop_ro(
        "origin",
        [](const ArrayOnCuda& self) {
            return tuple_of(self.model.grid().origin, self.model.grid().is_2d());
        },
        nb::sig("def origin(self) -> tuple[float, ...]"), "Position of the first node.");
    type.def_prop_ro(
        "ndim", [](const ArrayOnCuda& self) { return self.model.grid().dimensions(); }, "2 or 3.");
    type.def_prop_ro(
        "has_air", [](const ArrayOnCuda& self) { return self.model.has_air(); },
        "Whether a node has velocity 0.");
    type.def("__repr__", &description);
    // The array is pickled and copied by the library that made it.
    type.def(
        "__reduce__",
        [](nb::handle_t<ArrayOnCuda> self) {
            nb::dict options;
            options["spacing"] = self.attr("spacing");
            options["origin"] = self.attr("origin");
            return nb::make_tuple(
                nb::module_::import_("copyreg").attr("__newobj_ex__"),
                nb::make_tuple(nb::type<Model>(), nb::make_tuple(self.attr("velocity")), options));
        },
        nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
    nb::class_<UseDevices>(module, "UseDevices", "CUDA devices that share the sources of calls.")
        .def(nb::init<std::vector<int>>(), "devices"_a)
        .def("__enter__", &UseDevices::enter)
        .def(
            "__exit__", [](UseDevices& self, nb::args) { self.exit(); },
            nb::sig("def __exit__(self, *args: object) -> None"));
    module.def("cuda_traveltimes", &traveltimes, "model"_a, "sources"_a, "start_times"_a,
               "together"_a, "solver"_a, "order"_a, "precision"_a, "progress"_a.none(),
               "stream"_a = 0,
               nb::sig("def cuda_traveltimes(model: CudaModel, sources: "
                       "numpy.typing.NDArray[typing.Any], start_times: "
                       "numpy.typing.NDArray[typing.Any], together: bool, solver: str, order: int, "
                       "precision: str, progress: object | None, stream: int = 0) -> typing.Any"),
               "fermat.traveltimes of a model on the device: what DLPack hands on.");
}

}  // namespace fermat::python
