#pragma once

#include "core/ranks.hpp"
#include "tomography/hole/backprojection.hpp"
#include "tomography/invert.hpp"

namespace fermat {

// run_fingerprint itself stands with what it names, in invert.hpp.

/// Throws InputError on all ranks where one has another start model, other picks or other options
/// than rank 0, whose choice of the device holds for all. All ranks must call it.
void require_same_run(Ranks& ranks, const Medium& start, const Survey& picks,
                      const InversionOptions& options);

/// Throws InputError on all ranks where one has another input of one pass than rank 0. What counts
/// on rank 0 alone, the picks' weights and limits, is not compared.
void require_same_pass(Ranks& ranks, const Model& model, const Survey& picks,
                       const BackprojectionOptions& options);

}  // namespace fermat
