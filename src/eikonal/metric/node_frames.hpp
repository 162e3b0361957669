#pragma once

#include <optional>
#include <vector>

#include "core/grid.hpp"
#include "eikonal/metric/source_number.hpp"
#include "model/place.hpp"

namespace fermat {

/// How a column of nodes lies in space: every mapping puts the node (i, j, k) at
///
///     p = P(i, j) + w(k) Q(i, j),
///
/// with w from 0 at the first row to 1 at the last: Q is the radius on a sphere, and straight down
/// elsewhere.
struct NodeColumn {
    Vec3 top;       ///< P
    Vec3 down;      ///< Q
    Vec3 top_x;     ///< dP/dx
    Vec3 change_x;  ///< dQ/dx
    Vec3 top_y;
    Vec3 change_y;
};
/// w of a row, and dw/dz.
struct NodeRow {
    double part = 0;
    double slope = 0;
};

FERMAT_HD_INLINE NodeFrame frame_of(const NodeColumn& column, NodeRow row) {
    return {column.top + row.part * column.down,
            {column.top_x + row.part * column.change_x, column.top_y + row.part * column.change_y,
             row.slope * column.down}};
}

/// The frames of all nodes in some hundred bytes per column, from which a device makes those of the
/// nodes.
struct NodeFrames {
    std::vector<NodeColumn> columns;  ///< [i][j]
    std::vector<NodeRow> rows;
};

/// Empty for a mapping whose columns are not of that kind.
std::optional<NodeFrames> node_frames(const Place& place, int threads);

}  // namespace fermat
