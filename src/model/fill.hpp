#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "model/placement.hpp"

namespace fermat::detail {

/// Throws InputError unless a velocity is positive and finite when stored as float. The message is
/// "<what> <velocity> (must be ...)".
void require_velocity(std::string_view what, double velocity, bool air_allowed = false);

/// Throws InputError unless |amplitude| < 1, so that v * (1 + amplitude) stays positive.
void require_amplitude(double amplitude);

/// Allocates unset values for the nodes or cells of a valid grid. Throws ComputeError where memory
/// does not suffice.
Field<float> allocate(const Grid& grid, Placement placement);

/// Makes a model whose velocity depends on depth only. `column` holds one value per node, or per
/// cell, along z.
Model extrude(const Grid& grid, std::span<const float> column, Placement placement);

/// Makes a model from velocity(node), or velocity(cell), called in memory order.
template <class Velocity>
Model fill(const Grid& grid, Placement placement, Velocity velocity) {
    Field<float> values = allocate(grid, placement);
    const Shape shape = values.shape();
    float* out = values.data();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                *out++ = static_cast<float>(velocity(Index3{i, j, k}));
            }
        }
    }
    return make_model(grid, std::move(values), placement);
}

}  // namespace fermat::detail
