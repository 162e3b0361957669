#pragma once

#include <vector>

#include "eikonal/time_field.hpp"
#include "model/model.hpp"

namespace fermat {

/// The shortest path from a receiver to the source of a field through points on the faces of cells
/// (Moser 1991), searched in the order in which the field promises it (A*: the time from the
/// receiver plus that of the field). Only what can be as early as the path is searched. Empty if
/// `most_points` do not suffice or no path exists.
std::vector<Vec3> led_path(const Model& model, const TimeFieldView<float>& field, Vec3 receiver,
                           std::size_t most_points);

}  // namespace fermat
