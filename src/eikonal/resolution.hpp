#pragma once

#include <limits>

#include "core/field.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// If a wave enters fast rock late, the time across a cell there may be smaller than the rounding
/// error of the arrival time. Rounding then decides, times fall with every sweep, and no result is
/// right. (Where the wave comes straight from the source this does not happen: tau stays near 1.)

/// The largest time that a node may have, in units of the time across the smallest spacing at the
/// velocity of the node.
template <class Real>
inline constexpr double most_crossings = 1 / (8.0 * std::numeric_limits<Real>::epsilon());

/// Throws InputError if the time of a node exceeds that limit; the message names the node. `tau` is
/// `unreached` or infinite where no wave arrives.
template <class Real>
void require_resolved(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      int threads = 1);

/// Throws InputError if velocities of a model with a metric, which is solved in single precision,
/// differ by more than times can tell; the message names the node.
void require_contrast(const Model& model);

/// Checks a solver that has been running for long: calls require_resolved, and throws ComputeError
/// once `work` has reached `most`.
template <class Real>
void require_progress(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      double work, double most);

}  // namespace fermat
