#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"
#include "rays/sensitivity_row.hpp"

namespace fermat {

// Rows of the sensitivity matrix in a model with a metric. Points of paths are in the coordinates
// of users. Pieces of a ray are straight in space, and straight_time() integrates along them; these
// are its derivatives.

/// Appends the derivative of a path's time by the slowness of nodes, 1 over the velocity that the
/// model holds: in an anisotropic medium, of the direction to which its tensor or axis refers. Row
/// times slowness is the time along the ray. A column may come more than once.
void append_metric_nodes(const Model& model, std::span<const Vec3> path,
                         std::vector<RowEntry>& row);

/// Appends the true length of a path in each cell. A column may come more than once.
void append_metric_cells(const Model& model, std::span<const Vec3> path,
                         std::vector<RowEntry>& row);

}  // namespace fermat
