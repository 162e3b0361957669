#pragma once

#include "core/execution.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat {

/// The field of a source in slownesses of double precision. Models hold velocities in single
/// precision: the model's own field is the start, and the stencil's equations with the exact
/// slownesses are solved from there, node by node in the order of time, until nothing changes.
/// Derivatives can then be held against differences of times.
BasicTimeField<double> solve_exactly(const Model& model, const NodeSlowness& slowness,
                                     const PointSource& source, const EikonalOptions& options,
                                     const Execution& execution);

}  // namespace fermat
