#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "model/metric.hpp"
#include "model/model.hpp"
#include "numpy.hpp"

namespace fermat::python {

/// Keywords of Model for coordinates and anisotropy, in the order of its signature.
inline constexpr const char* metric_signature =
    "coordinates: typing.Literal['cartesian', 'graded', 'spherical', 'terrain'] = 'cartesian', "
    "radius: float = 6371.0, geodetic: bool = False, "
    "axes: collections.abc.Sequence[numpy.typing.ArrayLike] | None = None, "
    "surface: numpy.typing.ArrayLike | None = None, "
    "tensor: numpy.typing.ArrayLike | None = None, "
    "epsilon: numpy.typing.ArrayLike | None = None, "
    "delta: numpy.typing.ArrayLike | None = None, "
    "tilt: numpy.typing.ArrayLike | None = None, "
    "azimuth: numpy.typing.ArrayLike | None = None, "
    "vs: numpy.typing.ArrayLike | None = None, "
    "vs_ratio: numpy.typing.ArrayLike | None = None, "
    "jumps: numpy.typing.ArrayLike | None = None";

/// The grid of `axes`, or the one of spacing and origin.
Grid grid_of(const Grid& regular, const nanobind::kwargs& given);
/// Null if no keyword asks for one. `plain` is the model without it.
std::shared_ptr<const Metric> metric_from(const Model& plain, const nanobind::kwargs& given);
/// The keywords that make the metric of a model, for pickle.
void add_metric_keywords(const Model& model, nanobind::dict& options);
/// Model.coordinates, .anisotropy and .positions.
void bind_metric(nanobind::class_<Model>& type);

}  // namespace fermat::python
