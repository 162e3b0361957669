#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tomography/gauss_newton/bounds.hpp"
#include "tomography/gauss_newton/fold_test.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// The inversion by regularised Gauss-Newton steps; as `invert`, after its options were checked.
InversionResult invert_gauss_newton(const Model& start, const Survey& picks,
                                    const InversionOptions& options, const Execution& execution,
                                    const InversionListener& listener,
                                    std::optional<InversionState> resume);

/// How well the present model's linear problem predicts picks left out, with its own weight of the
/// roughness times a factor.
using ScoreAt = std::function<HeldOutScore(double factor)>;

/// Where steps with ever less smoothing ended.
struct CooledDown {
    HeldOutScore score;      ///< of the last model, by its own weight of the roughness
    double rougher = 0;      ///< misfit of picks left out by a ninth of that weight
    bool explained = false;  ///< the last model explains the picks to their errors
    bool stalled = false;    ///< no step led on to less misfit, or hardly any did
};

/// Steps with ever less smoothing, on this process alone. `go_on` is asked after each accepted
/// model by what to multiply the weight of the roughness next, 0 to end; it keeps the scores.
/// Without it the run ends with the first model that explains the picks, which is scored.
CooledDown cool_down(const Model& start, const Survey& picks, const InversionOptions& options,
                     FoldTest& test, const std::function<double(const ScoreAt&)>& go_on,
                     const Execution& execution);

/// The first chi2 of a run that is `enough`, or the least of one that does not come to it. On this
/// process alone, with the usual number of iterations; nothing is kept.
double reached_chi2(const Model& start, const Survey& picks, const InversionOptions& options,
                    double enough, const Execution& execution);

/// How a run sees its problem, for those who look at it again.
struct ProblemPlan {
    Index3 ratio;
    VelocityBounds bounds;
    std::vector<double> errors;  ///< that residuals are divided by, one per pick
    RayOptions rays;
    bool turned = false;  ///< receivers shoot: see exchanged()
};
ProblemPlan problem_plan(const Model& start, const Survey& picks, const InversionOptions& options);
/// Where the forward operator computes: a run on the device goes to the CPU for the models on its
/// way that jump between cells. Rank 0 decides.
Device forward_device(const Model& start, const InversionOptions& options,
                      const Execution& execution);

/// A state from which a run with a kept weight `lambda` begins at these unknowns instead of 0.
InversionState state_at(std::vector<double> unknowns, double lambda);

}  // namespace fermat
