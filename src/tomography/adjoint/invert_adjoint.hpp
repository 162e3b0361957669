#pragma once

#include <optional>

#include "tomography/invert.hpp"

namespace fermat {

/// The inversion by gradients of the adjoint and L-BFGS; as `invert`, after its options were
/// checked. The objective is that of Gauss-Newton, with the same unknowns, roughness, bounds and
/// cooling of its weight, but neither rays nor a matrix are kept: memory does not grow with the
/// number of picks, and every pass costs a solve and an adjoint per event.
InversionResult invert_adjoint(const Model& start, const Survey& picks,
                               const InversionOptions& options, const Execution& execution,
                               const InversionListener& listener,
                               std::optional<InversionState> resume);

/// Throws InputError for options that the method does not know.
void require_adjoint(const InversionOptions& options);

}  // namespace fermat
