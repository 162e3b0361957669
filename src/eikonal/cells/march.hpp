#pragma once

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals where velocity jumps between cells: nodes are settled in the order of their
/// times, and each passes the wave on through the cells round it, from the times on their faces
/// (face.hpp). A ray enters a cell through a face whose corners are all earlier, so one pass
/// suffices; a settled node that becomes earlier nevertheless is settled again. First order ignores
/// the curvature of tau along faces. Fills tau; nodes that no wave reaches are `unreached`. Serial.
template <class Real>
void march_through_cells(const Model& model, const FactoredSource& source, int order,
                         FieldView<Real> tau, Monitor& monitor);

}  // namespace fermat
