#pragma once

#include <string>
#include <vector>

#include "tomography/invert.hpp"

namespace fermat {

/// What should make a user doubt the result of an inversion, one sentence each: picks that are
/// explained worse than by the start model, velocities far from those of the picks or against the
/// bounds, a target that was not reached, residuals that change with
/// distance, lost picks, more than a twentieth of the picks left out, picks that were taken back,
/// shots and receivers most of whose picks are left out.
std::vector<std::string> doubts_about(const Model& start, const Survey& picks,
                                      const InversionOptions& options,
                                      const InversionResult& result);

}  // namespace fermat
