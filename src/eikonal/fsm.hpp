#pragma once

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// The fast sweeping method (Zhao 2005) with locking (Bak, McLaughlin & Renzi 2010): Gauss-Seidel
/// sweeps in all orders of the axes' directions, which compute a node only if a neighbour has
/// changed since its last update. Fills tau; nodes that no wave reaches are `unreached`. Serial.
template <class Real>
void fsm_solve(const Model& model, const FactoredSource& source, int order, FieldView<Real> tau,
               Monitor& monitor);

/// Improves times of first order, `unreached` where no wave arrives, by sweeps of second order.
template <class Real>
void sweep_to_second_order(const Model& model, const FactoredSource& source, FieldView<Real> tau,
                           Monitor& monitor);

}  // namespace fermat
