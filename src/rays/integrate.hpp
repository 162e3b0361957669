#pragma once

#include <span>

#include "core/field.hpp"
#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat {

struct PathIntegral {
    double time = 0;
    double length = 0;
};

/// Slowness and length integrated along a polyline inside the model, exactly for the multilinear
/// slowness between the nodes.
PathIntegral integrate_path(const Model& model, std::span<const Vec3> path);

}  // namespace fermat
