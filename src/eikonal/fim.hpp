#pragma once

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// The fast iterative method (Jeong & Whitaker 2008) on blocks of nodes with an active list. Fills
/// tau, `unreached` where no wave arrives; the same bits for any number of threads.
template <class Real>
void fim_solve(const Model& model, const FactoredSource& source, int order, int threads,
               FieldView<Real> tau, Monitor& monitor);

}  // namespace fermat
