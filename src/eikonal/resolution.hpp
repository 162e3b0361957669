#pragma once

#include <limits>

#include "core/field.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// A wave that comes late into fast rock gains less time over a cell there than a number of its
/// size can tell. Rounding then decides, times fall sweep by sweep, and no end is right. (Where the
/// wave comes straight from the source, tau is near 1 and no such gain is summed up.)

/// The largest time, in crossings of the smallest spacing at the node's own velocity, that a node
/// may have.
template <class Real>
inline constexpr double most_crossings = 1 / (8.0 * std::numeric_limits<Real>::epsilon());

/// Throws InputError that names a node whose time is beyond that. `tau` is `unreached` or infinite
/// where no wave arrives.
template <class Real>
void require_resolved(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      int threads = 1);

/// The same for a solver that goes on for long; past `most` of its work, ComputeError.
template <class Real>
void require_progress(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      double work, double most);

}  // namespace fermat
