#include "eikonal/factored_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace fermat {
namespace {

/// Mean slowness on the line from the source to a node, over the multilinear model: Simpson's rule
/// per half, exact for what is cubic along the line.
double mean_slowness(const Model& model, Vec3 from, Vec3 to) {
    constexpr double weights[] = {1, 4, 2, 4, 1};
    double sum = 0;
    for (int i = 0; i < 5; ++i)
        sum += weights[i] * slowness_at(model, from + (i / 4.0) * (to - from));
    return sum / 12;
}

}  // namespace

FactoredSource factor_source(const Model& model, Vec3 position) {
    const Grid& grid = model.grid();
    if (grid.is_2d()) position.y = grid.origin.y;
    require_inside(grid, position, "source");
    FactoredSource source{grid.clamp(position), 0, {}};
    source.slowness = slowness_at(model, source.position);
    if (!std::isfinite(source.slowness)) {
        throw InputError(fmt::format("source at {} is in air (move it below the surface)",
                                     to_string(grid, position)));
    }
    const Vec3 at = grid.to_index(source.position);
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        constexpr double reach = 1 + 1e-6;
        first[axis] = std::max(0, static_cast<int>(std::ceil(at[axis] - reach)));
        last[axis] = std::min(grid.shape[axis] - 1, static_cast<int>(std::floor(at[axis] + reach)));
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 node{i, j, k};
                if (model.is_air(node)) continue;
                const double mean = mean_slowness(model, source.position, grid.position(node));
                if (std::isfinite(mean)) source.starts.push_back({node, mean / source.slowness});
            }
        }
    }
    return source;
}

double smallest_spacing(const Grid& grid) {
    const Vec3 h = grid.spacing;
    return grid.is_2d() ? std::min(h.x, h.z) : std::min({h.x, h.y, h.z});
}

}  // namespace fermat
