#pragma once

#include <utility>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat {

/// Where a model's velocities are given.
enum class Placement { nodes, cells };

inline Placement placement_of(const Model& model) {
    return model.cells() ? Placement::cells : Placement::nodes;
}

/// The points that velocities are given at, numbered as a grid's nodes are: the nodes themselves,
/// or the middles of cells. Whether the model is 2-D is the model's own grid to tell: a single
/// layer of cells has one point across as well.
inline Grid sample_points(const Grid& grid, Placement placement) {
    return placement == Placement::nodes ? grid : grid.cell_middles();
}

/// Nodes of the grid whose velocities have this shape.
inline Shape node_shape(Shape given, bool is_2d, Placement placement) {
    if (placement == Placement::nodes) return given;
    return {given.x + 1, is_2d ? 1 : given.y + 1, given.z + 1};
}

inline Model make_model(const Grid& grid, Field<float> velocity, Placement placement) {
    return placement == Placement::cells ? Model::of_cells(grid, std::move(velocity))
                                         : Model(grid, std::move(velocity));
}

}  // namespace fermat
