#pragma once

#include <string>
#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "io/units.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// The regular grid on which a page shows a model. That of a model on x, y, z with equal steps, or
/// on a sphere, is the model's own, of which every step-th node is kept along each axis so that
/// pages stay small. Graded grids, grids that follow the ground and geodetic latitudes are read at
/// the nodes of a regular grid of the user's coordinates; what lies outside the model is air.
class ReportGrid {
  public:
    explicit ReportGrid(const Model& model);

    const Grid& grid() const { return grid_; }
    int step() const { return step_; }

    /// Values of the model's nodes; 0 outside.
    std::vector<float> nodes(FieldView<const float> values) const;
    /// Values of the model's cells; of cells that became one, the largest.
    std::vector<float> cells(FieldView<const float> values) const;

    /// Names and units of the axes, whether points are latitudes and longitudes, and how long a
    /// unit of each axis is: members of a JSON object.
    std::string axes_json(const UnitNames& units) const;

  private:
    void thin();
    void make_regular();
    std::vector<float> nodes_between(FieldView<const float> values) const;
    std::vector<float> cells_between(FieldView<const float> values) const;

    const Model& model_;
    Grid grid_;
    int step_ = 1;
    bool is_read_ = false;  ///< between the model's nodes
};

}  // namespace fermat::cli
