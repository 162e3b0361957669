#pragma once

#include <vector>

#include "tomography/invert.hpp"

namespace fermat {

/// What a Gauss-Newton run found, as far as what can be trusted of it depends on it.
struct FoundModel {
    std::vector<double> unknowns;
    double lambda = 0;  ///< weight of the roughness that the model was made with
    std::vector<PickUse> use;
    std::vector<double> residual;  ///< per pick; not a number where lost
};

/// Throws InputError where a run has no such thing: one of method 'hole', or one that made no step.
/// All ranks must call it.
FoundModel found_model(const InversionResult& result, Ranks& ranks);

}  // namespace fermat
