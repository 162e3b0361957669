#pragma once

#include "core/execution.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat {

/// The field of a source in slownesses of double precision, where they are given beside the model,
/// which holds velocities in single precision. Derivatives can then be held against differences of
/// times. Such a field is solved by `fim`, whose equations are those of the other solvers.
BasicTimeField<double> solve_exactly(const Model& model, const NodeSlowness& slowness,
                                     const PointSource& source, const EikonalOptions& options,
                                     const Execution& execution);

}  // namespace fermat
