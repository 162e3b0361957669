#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tomography/gauss_newton/bounds.hpp"
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

/// How a run sees its problem, for those who look at it again.
struct ProblemPlan {
    Index3 ratio;
    VelocityBounds bounds;
    std::vector<double> errors;  ///< that residuals are divided by, one per pick
    RayOptions rays;
    bool turned = false;  ///< receivers shoot: see exchanged()
};
ProblemPlan problem_plan(const Model& start, const Picks& picks, const InversionOptions& options);
/// Where the forward operator computes: a run on the device goes to the CPU for the models on its
/// way that jump between cells. Rank 0 decides.
Device forward_device(const Model& start, const InversionOptions& options,
                      const Execution& execution);

/// A state from which a run with a kept weight `lambda` begins at these unknowns instead of 0.
InversionState state_at(std::vector<double> unknowns, double lambda);

}  // namespace fermat
