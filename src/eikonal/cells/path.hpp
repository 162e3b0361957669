#pragma once

#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// A path through cells, straight inside each cell and bent at the boundaries between them.
struct CellPath {
    std::vector<Vec3> points;
    std::vector<Index3> cells;  ///< of the pieces between the points: one fewer
};

/// The straight line between two points. A piece along a face has the faster cell beside it. Empty
/// if the line leads through air.
CellPath straight_path(const Grid& grid, FieldView<const float> velocity, Vec3 from, Vec3 to);

/// Minimises the time along a path. Each inner point moves within what the cells before and after
/// it share; a piece between equally fast cells is assigned to the cell that shares more. Returns
/// the time.
double relax(const Grid& grid, FieldView<const float> velocity, CellPath& path);

}  // namespace fermat
