#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tomography/invert.hpp"

namespace fermat {

/// The inversion by regularised Gauss-Newton steps; as `invert`, after its options were checked.
InversionResult invert_gauss_newton(const Model& start, const Picks& picks,
                                    const InversionOptions& options, const Execution& execution,
                                    const InversionListener& listener,
                                    std::optional<InversionState> resume);

/// Picks that do not count, to see how well others explain them.
struct HeldOut {
    std::vector<std::uint8_t> picks;  ///< 1 for those
    /// Hears the residuals of each model that is accepted; false ends the run.
    std::function<bool(std::span<const double>)> go_on;
};

/// Steps with ever less smoothing, on this process alone, until `held_out` ends them.
void cool_down(const Model& start, const Picks& picks, const InversionOptions& options,
               const HeldOut& held_out, const Execution& execution);

}  // namespace fermat
