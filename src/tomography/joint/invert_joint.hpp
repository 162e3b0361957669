#pragma once

#include <optional>

#include "tomography/invert.hpp"

namespace fermat {

/// Whether the picks and options ask for more than one velocity in one survey: P and S, or events
/// that move.
bool is_joint(const Survey& picks, const InversionOptions& options);

/// Throws InputError where a joint inversion is asked for and options contradict it.
void validate_joint(const InversionOptions& options, const Survey& picks, const Medium& start);

/// The inversion by regularised Gauss-Newton steps of velocities, station terms and hypocentres
/// together; as `invert`, after its options were checked.
InversionResult invert_joint(const Medium& start, const Survey& picks,
                             const InversionOptions& options, const Execution& execution,
                             const InversionListener& listener,
                             std::optional<InversionState> resume);

}  // namespace fermat
