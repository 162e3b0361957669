#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "bind_plane.hpp"
#include "core/error.hpp"
#include "io/local_plane.hpp"
#include "points.hpp"
#include "survey_columns.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

LocalPlane plane_of(const std::string& text) {
    const auto plane = plane_from(text);
    if (!plane) throw InputError("'" + text + "' is not a local plane");
    return *plane;
}

std::string plane_of_places(const Numbers& longitude, const Numbers& latitude, double metres) {
    require_rows(latitude.shape(0), longitude.shape(0), "latitude");
    std::vector<GeoPoint> places;
    for (std::size_t n = 0; n < longitude.shape(0); ++n) {
        places.push_back({longitude.data()[n], latitude.data()[n]});
    }
    return to_text(plane_round(places, metres));
}

nb::tuple to_plane(const std::string& text, const Numbers& longitude, const Numbers& latitude) {
    require_rows(latitude.shape(0), longitude.shape(0), "latitude");
    const LocalPlane plane = plane_of(text);
    std::vector<double> x, y;
    for (std::size_t n = 0; n < longitude.shape(0); ++n) {
        const PlanePoint point = plane.to_plane({longitude.data()[n], latitude.data()[n]});
        x.push_back(point.x);
        y.push_back(point.y);
    }
    return nb::make_tuple(array_from(std::move(x)), array_from(std::move(y)));
}

nb::tuple to_geographic(const std::string& text, const Numbers& x, const Numbers& y) {
    require_rows(y.shape(0), x.shape(0), "y");
    const LocalPlane plane = plane_of(text);
    std::vector<double> longitude, latitude;
    for (std::size_t n = 0; n < x.shape(0); ++n) {
        const GeoPoint place = plane.to_geographic({x.data()[n], y.data()[n]});
        longitude.push_back(place.longitude);
        latitude.push_back(place.latitude);
    }
    return nb::make_tuple(array_from(std::move(longitude)), array_from(std::move(latitude)));
}

}  // namespace

void bind_plane(nb::module_& module) {
    module.def("plane_round", &plane_of_places, "longitude"_a, "latitude"_a, "metres"_a,
               nb::sig("def plane_round(longitude: numpy.typing.NDArray[typing.Any], latitude: "
                       "numpy.typing.NDArray[typing.Any], metres: float) -> str"),
               "The local plane round the mean of some places, as text.");
    module.def("to_plane", &to_plane, "plane"_a, "longitude"_a, "latitude"_a,
               nb::sig("def to_plane(plane: str, longitude: numpy.typing.NDArray[typing.Any], "
                       "latitude: numpy.typing.NDArray[typing.Any]) -> tuple[typing.Any, "
                       "typing.Any]"),
               "x and y of places on a local plane.");
    module.def("to_geographic", &to_geographic, "plane"_a, "x"_a, "y"_a,
               nb::sig("def to_geographic(plane: str, x: numpy.typing.NDArray[typing.Any], y: "
                       "numpy.typing.NDArray[typing.Any]) -> tuple[typing.Any, typing.Any]"),
               "Longitude and latitude of points of a local plane.");
}

}  // namespace fermat::python
