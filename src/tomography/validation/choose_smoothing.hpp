#pragma once

#include "tomography/validation/validation.hpp"

namespace fermat {

/// A weight of the roughness and how well models made with it meet picks that they have not seen.
struct SmoothingScore {
    double lambda = 0;  ///< as of a run of all picks
    FoldScore score;    ///< fitted: their RMS, without those left out as outliers
};

struct SmoothingChoice {
    double lambda = 0;
    std::vector<SmoothingScore> table;  ///< from smooth to rough
    std::string sentence;
};

/// Chooses the weight of the roughness by cross-validation: in each fold smoothing is cooled as in
/// a run, but on beyond chi2 = 1, and every model on the way is scored; from the mean over folds
/// the largest weight is taken whose score is within 1 % of the least. A fold has fewer picks than
/// the whole, so its weights count by all picks over its own. Of method gauss-newton only.
SmoothingChoice choose_smoothing(const Model& start, const Survey& picks,
                                 const InversionOptions& options,
                                 const ValidationOptions& validation, const Execution& execution);

}  // namespace fermat
