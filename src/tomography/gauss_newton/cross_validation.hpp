#pragma once

#include <span>
#include <vector>

#include "core/execution.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// How well one kind of regularisation predicts picks that it has not seen.
struct CrossValidation {
    Regularisation kind = Regularisation::second;
    double rms = 0;       ///< of a model that all picks have made, where ...
    double held_out = 0;  ///< ... the misfit of picks left out is least; both as times
    int folds = 0;        ///< 0 where no step leads away from the start model: nothing was tested
    /// Of picks with errors: chi2 of that model where no model explains them to their errors, else
    /// 1; and the misfit of picks left out by a ninth of the smoothing that explains them.
    double chi2 = 1;
    double rougher = 0;
    /// Of picks with errors: no step with less smoothing brought the misfit of all picks on to
    /// their errors. What picks left out miss is noise and what the others cannot know of the
    /// ground; what stalls is noise, or a model that is too coarse.
    bool stalled = false;
};

/// One result per kind, in order. Cools a model down on all picks, with at most 1000 unknowns, and
/// tests at each of its models how well each third of the picks is predicted by the other two (see
/// FoldTest). Survey that are left out are stretches of each source's, a twenty-fourth of them and
/// at most four, so that few have twins beside them that are not. Where picks have errors or a
/// target RMS, it ends with the model that explains them; else, and where no model does, where the
/// picks left out are hardly predicted better with less smoothing: from there on noise is fitted.
/// The kinds are dealt out to the threads.
std::vector<CrossValidation> cross_validate(const Model& start, const Survey& picks,
                                            const InversionOptions& options,
                                            std::span<const Regularisation> kinds,
                                            const Execution& execution);

/// Cross-validation with the unknowns of the run itself where these are more, else what was found:
/// fine structure that a thousand unknowns cannot hold passes for noise.
CrossValidation with_own_unknowns(const CrossValidation& found, const Model& start,
                                  const Survey& picks, const InversionOptions& options,
                                  const Execution& execution);

/// Whether that takes about as long as the inversion itself of a small survey, and not longer.
bool is_cheap_to_validate(const Model& start, const Survey& picks);

}  // namespace fermat
