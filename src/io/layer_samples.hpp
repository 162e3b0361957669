#pragma once

#include <algorithm>

#include "model/layer.hpp"
#include "model/model.hpp"

namespace fermat {

/// A section whose velocity is a function of x and z.
template <class Velocity>
Model section_model(const Grid& grid, Velocity velocity) {
    Field<float> values(grid.shape);
    for (int x = 0; x < grid.shape.x; ++x) {
        for (int z = 0; z < grid.shape.z; ++z) {
            values(x, 0, z) =
                static_cast<float>(velocity(grid.coordinate(0, x), grid.coordinate(2, z)));
        }
    }
    return Model(grid, std::move(values));
}

/// Velocity that is linear in depth between two points and goes on so for two steps beyond them, so
/// that what is interpolated beside an interface is right there; then it is constant. It stays
/// within half of the lower and one and a half of the higher of both.
inline double continued_velocity(DepthVelocity above, DepthVelocity below, double depth,
                                 double step) {
    const double thickness = below.depth - above.depth;
    if (!(thickness > 1e-6 * step)) return above.velocity;
    const double z = std::clamp(depth, above.depth - 2 * step, below.depth + 2 * step);
    const double part = (z - above.depth) / thickness;
    const auto [low, high] = std::minmax(above.velocity, below.velocity);
    return std::clamp((1 - part) * above.velocity + part * below.velocity, 0.5 * low, 1.5 * high);
}

}  // namespace fermat
