#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "model/placement.hpp"

namespace fermat::detail {

/// Throws InputError unless a velocity survives being stored as float: positive and finite there.
/// The message is "<what> <velocity> (must be ...)".
void require_velocity(std::string_view what, double velocity, bool air_allowed = false);

/// Throws InputError unless |amplitude| < 1, so that v * (1 + amplitude) stays positive.
void require_amplitude(double amplitude);

/// Unset values of a valid grid's nodes or cells; ComputeError where memory does not suffice.
Field<float> allocate(const Grid& grid, Placement placement);

/// A model whose velocity depends on depth alone: `column` holds one value per node, or cell,
/// along z.
Model extrude(const Grid& grid, std::span<const float> column, Placement placement);

/// A model from velocity(node), or velocity(cell), called in memory order.
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
