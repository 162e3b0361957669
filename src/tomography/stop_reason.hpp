#pragma once

#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// Why a loop with a cooled weight of the roughness ended, at a model of this chi2. A kept weight
/// has no target: such a loop ends once chi2 hardly falls.
StopReason stop_reason(const Cooling& cooling, double chi2, const InversionOptions& options);

}  // namespace fermat
