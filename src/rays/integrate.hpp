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

/// Slowness and length integrated along a polyline inside the model, exactly for the multilinear
/// slowness between the nodes.
PathIntegral integrate_path(const Model& model, std::span<const Vec3> path);

/// Arrival times at the points of rays, in the order of RaySet::points: the ray's own time at its
/// receiver, the source's start time at its source. Infinite along rays that did not arrive.
std::vector<double> times_along(const Model& model, const RaySet& rays);

}  // namespace fermat
