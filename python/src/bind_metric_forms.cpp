#include "bind_metric_forms.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <vector>

#include "core/error.hpp"
#include "model/metric_forms.hpp"
#include "numpy.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Triple = std::array<double, 3>;
using Nine = std::array<double, 9>;

template <class Value>
DoubleArray at_each(const Points& points, Value value) {
    std::vector<double> values;
    for (const Vec3 p : points_from(points, 0)) values.push_back(value(p));
    return array_from(std::move(values));
}

Vec3 vector_of(const Triple& v) { return {v[0], v[1], v[2]}; }

Mat3 matrix_of(const Nine& n) {
    return {{{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}}}};
}

}  // namespace

void bind_metric_forms(nb::module_& module) {
    module.def(
        "power_law_times",
        [](double radius, double surface_velocity, double exponent, const Triple& source,
           const Points& points) {
            const PowerLawSphere sphere{radius, surface_velocity, exponent};
            return at_each(points, [&](Vec3 p) { return sphere.time(vector_of(source), p); });
        },
        "radius"_a, "surface_velocity"_a, "exponent"_a, "source"_a, "points"_a,
        nb::sig("def power_law_times(radius: float, surface_velocity: float, exponent: float, "
                "source: collections.abc.Sequence[float], points: "
                "numpy.typing.NDArray[typing.Any]) -> numpy.typing.NDArray[numpy.float64]"));
    module.def(
        "elliptical_times",
        [](double velocity, const Nine& tensor, const Triple& source, const Points& points) {
            return at_each(points, [&](Vec3 p) {
                return elliptical_time(velocity, matrix_of(tensor), vector_of(source), p);
            });
        },
        "velocity"_a, "tensor"_a, "source"_a, "points"_a,
        nb::sig("def elliptical_times(velocity: float, tensor: collections.abc.Sequence[float], "
                "source: collections.abc.Sequence[float], points: "
                "numpy.typing.NDArray[typing.Any]) -> numpy.typing.NDArray[numpy.float64]"));
    module.def(
        "thomsen_times",
        [](double velocity, double epsilon, double delta, double tilt, double azimuth,
           const Triple& source, const Points& points, double vs) {
            const double ratio = vs / velocity;
            const Thomsen medium{epsilon, delta, tilted_axis(tilt, azimuth), ratio * ratio};
            return at_each(points, [&](Vec3 p) {
                return thomsen_time(velocity, medium, vector_of(source), p);
            });
        },
        "velocity"_a, "epsilon"_a, "delta"_a, "tilt"_a, "azimuth"_a, "source"_a, "points"_a,
        "vs"_a = 0.0,
        nb::sig("def thomsen_times(velocity: float, epsilon: float, delta: float, tilt: float, "
                "azimuth: float, source: collections.abc.Sequence[float], points: "
                "numpy.typing.NDArray[typing.Any], vs: float = 0.0) -> "
                "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace fermat::python
