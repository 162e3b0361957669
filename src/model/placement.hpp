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

/// The points where velocities are given, as a grid: the nodes, or the middles of cells. Ask the
/// model's own grid whether the model is 2-D: a single layer of cells also has one point across.
inline Grid sample_points(const Grid& grid, Placement placement) {
    return placement == Placement::nodes ? grid : grid.cell_middles();
}

/// Shape in nodes of a grid whose velocities have the shape `given`.
inline Shape node_shape(Shape given, bool is_2d, Placement placement) {
    if (placement == Placement::nodes) return given;
    return {given.x + 1, is_2d ? 1 : given.y + 1, given.z + 1};
}

inline Model make_model(const Grid& grid, Field<float> velocity, Placement placement) {
    return placement == Placement::cells ? Model::of_cells(grid, std::move(velocity))
                                         : Model(grid, std::move(velocity));
}

}  // namespace fermat
