#pragma once

#include <memory>

#include "io/vtkhdf_image.hpp"
#include "model/metric.hpp"

namespace fermat {

/// Coordinates and anisotropy in a model file: numbers of the grid (`coordinates`: system, radius,
/// geodetic; `axis_x`, `axis_y`, `axis_z`; `surface`) and point arrays (`tensor_xx` ... or
/// `thomsen_epsilon` ...).
void write_metric(ImageWriter& image, const Metric& metric);
/// The coordinates alone, for fields of a model.
void write_coordinates(ImageWriter& image, const Metric& metric);
/// Null if the file has neither.
std::shared_ptr<const Metric> read_metric(const ImageReader& image);

}  // namespace fermat
