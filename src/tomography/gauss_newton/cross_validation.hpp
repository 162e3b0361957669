#pragma once

#include "core/execution.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// How well picks can be explained that no error is known of.
struct CrossValidation {
    double rms = 0;           ///< residual of the picks that are fitted, where ...
    double held_out_rms = 0;  ///< ... that of the picks left out is least
    int folds = 0;
};

/// Fits two thirds of the picks, leaving stretches of neighbours out, with ever less smoothing,
/// until the picks left out are hardly met better: from there on noise is fitted. Three times, so
/// that each is left out once; the folds are dealt out to the threads. Deviations are sqrt(pi / 2)
/// times mean absolute residuals, which outliers move little.
CrossValidation cross_validate(const Model& start, const Picks& picks,
                               const InversionOptions& options, const Execution& execution);

}  // namespace fermat
