#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "model/model.hpp"

namespace fermat::detail {

/// Throws InputError unless a velocity survives being stored as float: positive and finite there.
/// The message is "<what> <velocity> (must be ...)".
void require_velocity(std::string_view what, double velocity, bool air_allowed = false);

/// Throws InputError unless |amplitude| < 1, so that v * (1 + amplitude) stays positive.
void require_amplitude(double amplitude);

/// Unset node values of a valid grid; ComputeError where memory does not suffice.
Field<float> allocate_nodes(const Grid& grid);

/// A model whose velocity depends on depth alone: `column` holds one value per node along z.
Model extrude(const Grid& grid, std::span<const float> column);

/// A model from velocity(node), called in memory order.
template <class Velocity>
Model fill(const Grid& grid, Velocity velocity) {
    Field<float> values = allocate_nodes(grid);
    float* out = values.data();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                *out++ = static_cast<float>(velocity(Index3{i, j, k}));
            }
        }
    }
    return Model(grid, std::move(values));
}

}  // namespace fermat::detail
