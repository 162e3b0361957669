#pragma once

#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// A line from cell to cell: straight inside each, and bent where it goes from one to the next.
struct CellPath {
    std::vector<Vec3> points;
    std::vector<Index3> cells;  ///< of the pieces between them: one fewer
};

/// Makes the time along a path least by moving its inner points in what the cells before and behind
/// them share; of equal cells that a piece runs between, it takes those that share more. Returns
/// the time.
double relax(const Grid& grid, FieldView<const float> velocity, CellPath& path);

}  // namespace fermat
