#pragma once

#include <functional>
#include <optional>

#include "tomography/gauss_newton/fold_test.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// The inversion by regularised Gauss-Newton steps; as `invert`, after its options were checked.
InversionResult invert_gauss_newton(const Model& start, const Picks& picks,
                                    const InversionOptions& options, const Execution& execution,
                                    const InversionListener& listener,
                                    std::optional<InversionState> resume);

/// How well the present model's linear problem predicts picks left out, with its own weight of the
/// roughness times a factor.
using ScoreAt = std::function<FoldScore(double factor)>;

/// Steps with ever less smoothing, on this process alone. `go_on` is asked after each accepted
/// model; without it the run ends with the first model that explains the picks. Gives the score of
/// the last model.
FoldScore cool_down(const Model& start, const Picks& picks, const InversionOptions& options,
                    FoldTest& test, const std::function<bool(const ScoreAt&)>& go_on,
                    const Execution& execution);

}  // namespace fermat
