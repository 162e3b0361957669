#pragma once

#include <vector>

#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat {

/// Lengths and volumes in space of the cells of a grid that lies in a model's coordinates. Empty,
/// except for the shortest side, where the model has no metric: there all cells are alike.
struct TrueSizes {
    std::vector<Vec3> edges;      ///< per node: the lengths to the next along x, y, z
    std::vector<double> volumes;  ///< per node: of its cell; an area in 2-D
    double least_side = 0;        ///< the shortest side of the whole grid

    bool vary() const { return !edges.empty(); }
};

/// `grid` has the nodes of the model's or coarser ones, which may end beyond it.
TrueSizes true_sizes(const Model& model, const Grid& grid);

/// Spacings of a model in space, at the middle of its grid.
Vec3 true_spacing(const Model& model);

/// Shortest side of a model in space, through its middle.
double least_extent(const Model& model);

}  // namespace fermat
