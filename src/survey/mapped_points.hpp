#pragma once

#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

// Points of surveys are in the coordinates of users: x, y, z, or latitudes, longitudes and depths
// (mapping.hpp).

/// True if points are latitudes, longitudes and depths.
inline bool on_sphere(const Model& model) { return model.mapping().geographic(); }

/// Throws InputError where an arrival names an event or station that is not there, and where a
/// point is not inside the model.
void validate(const Survey& survey, const Model& model);

/// The survey with points in lengths, whose distances are true near one another: on a sphere, north
/// and east of the first event along the surface, and depth. Others are as given.
Survey in_lengths(const Survey& survey, const Model& model);

}  // namespace fermat
