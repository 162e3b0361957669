#pragma once

#include <memory>

#include "numpy.hpp"
#include "options.hpp"
#include "tomography/gauss_newton/known_ground.hpp"

namespace fermat::python {

/// What the keywords log, regions, edges, guide and prior_model say of the ground; null where
/// none is given.
std::shared_ptr<const KnownGround> known_ground(const Keywords& given);

}  // namespace fermat::python
