#pragma once

#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

// Points of surveys are in the coordinates of users: x, y, z, or latitudes, longitudes and depths
// (mapping.hpp). On a Cartesian grid without a metric they are those of the grid.

/// True if points are latitudes, longitudes and depths.
bool on_sphere(const Model& model);

/// The point of the grid, in the closed box, where a point of a user lies.
Vec3 grid_point(const Model& model, Vec3 user);

/// True where a point of a user is finite and lies in the model.
bool holds_point(const Model& model, Vec3 user);

/// "(34, -118, 5)": the corners of a model as users write points.
struct UserBox {
    Vec3 low;
    Vec3 high;
};
UserBox user_box(const Model& model);

/// As validate(survey, grid), for a model of any coordinates.
void validate(const Survey& survey, const Model& model);

/// The straight distance in space between two points of users: on a sphere, the chord.
double true_distance(const Model& model, Vec3 a, Vec3 b);

/// The survey with points in lengths, whose distances are true near one another: on a sphere, north
/// and east of the first event along the surface, and depth. Others are as given.
Survey in_lengths(const Survey& survey, const Model& model);

}  // namespace fermat
