#pragma once

#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat::vidale {

/// A box of nodes; both ends belong to it.
struct NodeBox {
    Index3 low;
    Index3 high;
};

/// The nodes within `radius`, in spacings along each axis, of a point.
NodeBox nodes_round(const Grid& grid, Vec3 point, Vec3 radius);

/// Time along the straight line from the source to a node; infinite if the line meets air. By
/// Fermat's principle the first arrival is not later. If the source lies on a surface that cuts its
/// cell, the air corners of that cell do not block the line.
double straight_time(const Model& model, Vec3 source, Index3 node);

}  // namespace fermat::vidale
