#pragma once

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat {

/// A model of cells gives its nodes slownesses (cell_medium.hpp). These functions do the same in
/// double precision and carry derivatives back. `exact` holds the cells' slownesses that the
/// model's velocities are rounded from, infinite in air; where it has no data, one over the
/// velocity counts.

Field<double> node_slowness(const Model& model, FieldView<const double> exact);

/// dJ/d(slowness of every cell) from dJ/d(slowness of every node).
Field<double> by_cells(const Model& model, FieldView<const double> exact,
                       FieldView<const double> by_nodes);

}  // namespace fermat
