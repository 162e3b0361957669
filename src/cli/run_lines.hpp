#pragma once

#include <string>
#include <vector>

#include "tomography/invert.hpp"

namespace fermat::cli {

/// The line of an iteration: "iteration 3/36: rms 0.0512, chi2 1.05, 6344 rays, 0 lost, ...".
std::string line_of(const IterationReport& report, int planned);

/// The last line of a run: what became of the misfit, and why it ended.
std::string ending_of(const InversionResult& result);

/// How far events were moved: "297 of 300 events moved by 1.94 and 0.28 s (medians)".
std::string relocation_of(const InversionResult& result);

/// Prints sentences as warnings.
void warn(const std::vector<std::string>& sentences);

}  // namespace fermat::cli
