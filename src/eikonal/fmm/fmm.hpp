#pragma once

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// The fast marching method (Sethian 1996): nodes are settled in the order of their times, each
/// from neighbours settled before it, so one pass suffices. Fills tau; nodes that no wave reaches
/// are `unreached`. Serial.
template <class Real>
void fmm_solve(const Model& model, const FactoredSource& source, int order, FieldView<Real> tau,
               Monitor& monitor);

}  // namespace fermat
