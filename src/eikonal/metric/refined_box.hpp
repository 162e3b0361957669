#pragma once

#include <optional>
#include <vector>

#include "model/model.hpp"

namespace fermat {

/// A part of a model with steps half as long.
struct RefinedBox {
    Model model;
    Index3 first;  ///< of the nodes of the whole model that the box contains
    Index3 last;
    /// The node of the box at a node of the whole model.
    Index3 inside(Index3 n) const {
        return {2 * (n.x - first.x), 2 * (n.y - first.y), 2 * (n.z - first.z)};
    }
};

/// How many rows a row, which may lie between nodes, is from the next row of jumps.
double rows_to_jump(const std::vector<double>& jumps, double row);

/// The box up to `reach` nodes from a point, in grid coordinates, in the same medium: slowness is
/// multilinear between nodes. Nothing where no row of jumps lies within half of that, where a node
/// is air, and for anisotropic media and grids that follow the ground.
std::optional<RefinedBox> refined_box(const Model& model, Vec3 point, int reach);

}  // namespace fermat
