#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "monitor.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Volume = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class T>
FieldView<T> view_of(const Volume<T>& array) {
    return {array.data(), Shape{static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)),
                                static_cast<int>(array.shape(2))}};
}

/// Smooths in place. fermat/_smoothing.py has made the copy and checked it.
void smooth(const Volume<double>& values, std::array<int, 3> size,
            const std::optional<Volume<const double>>& coverage,
            const std::optional<Volume<const std::uint8_t>>& mask, int passes,
            const std::string& smoother, const std::string& device, int threads) {
    const SmoothingSize box{size[0], size[1], size[2]};
    const SmoothingOptions options{parse_choice<Smoother>(smoother), passes};
    PythonMonitor bridge(nb::none(), threads, device);
    bridge.run([&](const Execution& execution) {
        if (coverage) {
            smooth_cells(view_of(values), view_of(*coverage), box, options, execution);
        } else {
            const auto where = mask ? view_of(*mask) : FieldView<const std::uint8_t>();
            smooth_vertices(view_of(values), box, options, where, execution);
        }
    });
}

}  // namespace

void bind_smoothing(nb::module_& module) {
    module.def("smooth", &smooth, "values"_a, "size"_a, "coverage"_a.none(), "mask"_a.none(),
               "passes"_a, "smoother"_a, "device"_a, "threads"_a);
}

}  // namespace fermat::python
