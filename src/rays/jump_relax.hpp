#pragma once

#include "rays/jump_path.hpp"

namespace fermat {

/// Moves the points of a path until its time is least: its layers stay, and points on rows of jumps
/// stay on them. The time of a ray is stationary, so the error of the time is then of second order
/// in that of the ray. Steps are those of Newton, with the stiffness of a stretched string: the
/// Hessian of the time of a segment of length L and slowness s by its ends is
/// s/L J^T (1 - u u^T) J, with its direction u and the Jacobian J of the places.
/// Returns the time, which is infinite where the path leads through air.
double relax(const Model& model, JumpPath& path);

/// Makes a traced ray, whose points are in grid coordinates, one of least time in a model with rows
/// of jumps: through its layers, or along those that it comes near to. Rays of a field are rough
/// there, because times have kinks on the rows and where a head wave overtakes.
void settle_at_jumps(const Model& model, std::vector<Vec3>& ray);

/// The time along a ray whose points are in grid coordinates.
double time_along(const Model& model, std::span<const Vec3> ray);

}  // namespace fermat
