#pragma once

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals where velocity jumps between cells: nodes are settled in the order of their
/// times, and each passes the wave on through the cells round it, by what is known on their faces
/// (cell_face.hpp). A cell's ray comes in through a face that is earlier in all its corners, so
/// that one pass suffices; a settled node that becomes earlier all the same is settled again.
/// First order leaves out how tau bends along faces. Fills tau, `unreached` where no wave arrives.
/// Serial.
template <class Real>
void march_through_cells(const Model& model, const FactoredSource& source, int order,
                         FieldView<Real> tau, Monitor& monitor);

}  // namespace fermat
