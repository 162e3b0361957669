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

/// Minimises the time along a path. Each inner point moves within what the cells before and after
/// it share; a piece between equally fast cells is assigned to the cell that shares more. Returns
/// the time.
double relax(const Grid& grid, FieldView<const float> velocity, CellPath& path);

}  // namespace fermat
