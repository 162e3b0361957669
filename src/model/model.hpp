#pragma once

#include <memory>
#include <string_view>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/cell_medium.hpp"

namespace fermat {

/// Velocity on the nodes of a grid; 0 marks air (no propagation). Velocity is what users give and
/// see, and it is kept as given; computations use its inverse, the slowness, which is what is
/// interpolated between nodes.
///
/// Or velocity in the cells between the nodes, for media with sharp interfaces. The nodes then hold
/// what cell_medium.hpp makes of the cells round them: all there is to know inside a body, where
/// cells are alike, so that what reads nodes serves there. Beside a jump it does not: those who can
/// read the cells ask for them, and those who cannot refuse such a model by require_nodes.
class Model {
  public:
    /// Throws InputError that names the first bad node, unless every velocity is finite and >= 0
    /// and at least one node is not air.
    Model(Grid grid, Field<float> velocity);
    /// Over memory that `owner` keeps, and keeps as it is: checked here and not again.
    Model(Grid grid, FieldView<const float> velocity, std::shared_ptr<const void> owner);
    /// The same with velocity in the grid's cells.
    static Model of_cells(Grid grid, Field<float> velocity);
    static Model of_cells(Grid grid, FieldView<const float> velocity,
                          std::shared_ptr<const void> owner);

    const Grid& grid() const { return grid_; }
    FieldView<const float> velocity() const { return velocity_; }
    bool is_air(Index3 node) const { return velocity_(node) == 0; }
    bool has_air() const { return has_air_; }
    /// Null where velocity was given on nodes.
    const CellMedium* cells() const { return cells_.get(); }
    /// What has to be known of the cells beside jumps; nothing where there is none.
    CellsView<> jumping_cells() const;
    /// The velocity as it was given, on nodes or in cells.
    FieldView<const float> given() const { return cells_ ? cells_->velocity : velocity_; }

    Model copy() const;
    /// The same grid and kind with other velocities.
    Model with_given(Field<float> velocity) const;

  private:
    Model(Grid grid, const std::shared_ptr<const Field<float>>& velocity);

    Grid grid_;
    FieldView<const float> velocity_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<const CellMedium> cells_;
    bool has_air_ = false;
};

/// Throws InputError, with `what` for the method that reads velocities on nodes only, for a model
/// of cells.
void require_nodes(const Model& model, std::string_view what);

/// The same velocities as a model of nodes: what the nodes of a model of cells hold.
Model as_nodes(const Model& model);

/// Slowness at a point: multilinear over the corners of its cell that are not air, their weights
/// scaled to add up to 1; infinite where all of them are air. In a model of cells, where a corner
/// sees a jump: that of the fastest cell that the point touches.
double slowness_at(const Model& model, Vec3 point);

/// True where every corner that the point's interpolation uses is air, or every cell it touches.
bool in_air(const Model& model, Vec3 point);

}  // namespace fermat
