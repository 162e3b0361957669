#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/hole/backprojection.hpp"

namespace fermat {

/// How well a model explains the picks that are used.
struct Misfit {
    double rms = 0;   ///< sqrt(mean(r^2)), in units of time
    double chi2 = 0;  ///< mean((r / error)^2); NaN where no errors are given
    std::int64_t used = 0;
    std::int64_t lost = 0;
    std::int64_t rejected = 0;
    double weighted_rms = 0;  ///< sqrt(sum((r / error)^2) / sum(1 / error^2)); NaN as chi2
};

Misfit misfit(const Survey& picks, std::span<const double> residual, std::span<const PickUse> use);

/// Limits of outlier rejection: median +- factor * 1.4826 * (median absolute deviation), which for
/// Gaussian residuals is `factor` standard deviations and which outliers themselves hardly move.
/// Residuals are divided by `scale`; those that are NaN do not count.
ResidualLimits outlier_limits(std::span<const double> residual, std::span<const double> scale,
                              double factor);

}  // namespace fermat
