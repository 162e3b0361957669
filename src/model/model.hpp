#pragma once

#include <memory>

#include "core/field.hpp"
#include "core/grid.hpp"

namespace fermat {

/// Velocity on the nodes of a grid; 0 marks air (no propagation). Velocity is what users give and
/// see, and it is kept as given; computations use its inverse, the slowness, which is what is
/// interpolated between nodes.
class Model {
  public:
    /// Throws InputError that names the first bad node, unless every velocity is finite and >= 0
    /// and at least one node is not air.
    Model(Grid grid, Field<float> velocity);
    /// Over memory that `owner` keeps, and keeps as it is: checked here and not again.
    Model(Grid grid, FieldView<const float> velocity, std::shared_ptr<const void> owner);

    const Grid& grid() const { return grid_; }
    FieldView<const float> velocity() const { return velocity_; }
    bool is_air(Index3 node) const { return velocity_(node) == 0; }
    bool has_air() const { return has_air_; }

    Model copy() const;

  private:
    Model(Grid grid, const std::shared_ptr<const Field<float>>& velocity);

    Grid grid_;
    FieldView<const float> velocity_;
    std::shared_ptr<const void> owner_;
    bool has_air_ = false;
};

/// Slowness at a point: multilinear over the corners of its cell that are not air, their weights
/// scaled to add up to 1; infinite where all of them are air.
double slowness_at(const Model& model, Vec3 point);

/// True where every corner that the point's interpolation uses is air.
bool in_air(const Model& model, Vec3 point);

}  // namespace fermat
