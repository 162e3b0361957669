#pragma once

#include <span>
#include <vector>

#include "core/field.hpp"
#include "core/vec3.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

struct PathIntegral {
    double time = 0;
    double length = 0;
};

/// Integrals of slowness and of length along a polyline inside the model, exact for multilinear
/// slowness between the nodes.
PathIntegral integrate_path(const Model& model, std::span<const Vec3> path);

/// Sets times and lengths of rays that arrived, by integrals along their paths. Throws InputError
/// where a point lies outside the model or a path leads through air.
void integrate_rays(const Model& model, RaySet& rays);

/// Arrival times at the points of rays, in the order of RaySet::points: the time of the ray at its
/// receiver, the start time of the source at its source. Infinite for rays that did not arrive.
std::vector<double> times_along(const Model& model, const RaySet& rays);

}  // namespace fermat
