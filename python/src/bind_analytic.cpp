#include <nanobind/stl/array.h>

#include <array>

#include "bind_metric_forms.hpp"
#include "bindings.hpp"
#include "core/error.hpp"
#include "model/analytic.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Triple = std::array<double, 3>;

Vec3 vector_of(const Triple& v) { return {v[0], v[1], v[2]}; }

template <class Value>
DoubleArray at_each(const Points& points, Value value) {
    std::vector<double> values;
    values.reserve(points.shape(0));
    for (const Vec3 p : points_from(points, 0)) values.push_back(value(p));
    return array_from(std::move(values));
}

DoubleArray linear_ray(double v0, const Triple& gradient, const Triple& source,
                       const Triple& receiver, int count) {
    const LinearVelocity medium{v0, vector_of(gradient)};
    std::vector<double> numbers;
    for (const Vec3 p : medium.ray(vector_of(source), vector_of(receiver), count)) {
        numbers.insert(numbers.end(), {p.x, p.y, p.z});
    }
    return array_from(std::move(numbers));
}

DoubleArray two_layer_times(double v1, double v2, double thickness, double depth,
                            const Numbers& offsets) {
    const TwoLayers medium{v1, v2, thickness};
    std::vector<double> times;
    times.reserve(offsets.shape(0));
    for (std::size_t n = 0; n < offsets.shape(0); ++n) {
        times.push_back(medium.first_arrival(offsets.data()[n], depth));
    }
    return array_from(std::move(times));
}

}  // namespace

void bind_analytic(nb::module_& module) {
    bind_metric_forms(module);
    module.def(
        "homogeneous_times",
        [](double velocity, const Triple& source, const Points& points) {
            return at_each(
                points, [&](Vec3 p) { return homogeneous_time(velocity, vector_of(source), p); });
        },
        "velocity"_a, "source"_a, "points"_a,
        nb::sig(
            "def homogeneous_times(velocity: float, source: collections.abc.Sequence[float], "
            "points: numpy.typing.NDArray[typing.Any]) -> numpy.typing.NDArray[numpy.float64]"));
    module.def(
        "linear_times",
        [](double v0, const Triple& gradient, const Triple& source, const Points& points) {
            const LinearVelocity medium{v0, vector_of(gradient)};
            return at_each(points, [&](Vec3 p) { return medium.time(vector_of(source), p); });
        },
        "v0"_a, "gradient"_a, "source"_a, "points"_a,
        nb::sig("def linear_times(v0: float, gradient: collections.abc.Sequence[float], source: "
                "collections.abc.Sequence[float], points: numpy.typing.NDArray[typing.Any]) -> "
                "numpy.typing.NDArray[numpy.float64]"));
    module.def("linear_ray", &linear_ray, "v0"_a, "gradient"_a, "source"_a, "receiver"_a, "count"_a,
               nb::sig("def linear_ray(v0: float, gradient: collections.abc.Sequence[float], "
                       "source: collections.abc.Sequence[float], receiver: "
                       "collections.abc.Sequence[float], count: int) -> "
                       "numpy.typing.NDArray[numpy.float64]"));
    module.def("two_layer_times", &two_layer_times, "v1"_a, "v2"_a, "thickness"_a, "depth"_a,
               "offsets"_a,
               nb::sig("def two_layer_times(v1: float, v2: float, thickness: float, depth: float, "
                       "offsets: numpy.typing.NDArray[typing.Any]) -> "
                       "numpy.typing.NDArray[numpy.float64]"));
    module.def(
        "crossover_distance",
        [](double v1, double v2, double thickness, double depth) {
            return TwoLayers{v1, v2, thickness}.crossover_distance(depth);
        },
        "v1"_a, "v2"_a, "thickness"_a, "depth"_a);
}

}  // namespace fermat::python
