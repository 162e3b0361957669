#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/vtkhdf_image.hpp"
#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat {

/// Coordinates and anisotropy in a model file: numbers of the grid (`coordinates`: radius and
/// geodetic, and its attribute `system` with their name; `axis_x`, `axis_y`, `axis_z`; `surface`;
/// `jumps`) and point arrays (`tensor_xx` ... or `thomsen_epsilon` ...). Plain models have none.
/// Files of before 0.3 have the number of the system as the first of three `coordinates`.
void write_metric(ImageWriter& image, const Model& model);
/// The coordinates alone, for fields of a model.
void write_coordinates(ImageWriter& image, const Model& model);
/// Null if the file has neither.
std::shared_ptr<const Metric> read_metric(const ImageReader& image);

/// The numbers of coordinates by the names that files give them; empty lists are left out.
using NumberLists = std::map<std::string, std::vector<double>>;
NumberLists number_lists(const CoordinateNumbers& numbers);
/// Coordinates of a system, from lists that `read` finds by their names; empty where there is none.
CoordinateNumbers coordinates_from(
    const std::string& system,
    const std::function<std::vector<double>(const std::string& name)>& read);

}  // namespace fermat
