#pragma once

#include <span>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/misfit.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {

/// Deviations beyond which a pick is left out, where nothing is said. Of Gaussian residuals one in
/// 16,000 lies beyond; 3 left out one pick in forty while edges of bodies were still blurred.
constexpr double default_outliers = 4;

/// Where residuals end that are told from outliers. In units of errors.
struct ResidualSpread {
    double middle = 0;     ///< median
    double deviation = 1;  ///< 1.4826 times the median absolute deviation, at least 1
};
ResidualSpread spread_of(std::span<const double> scaled_residual);

/// Which picks a step listens to. Residuals are in units of their errors.
///
/// A pick is left out where its residual lies beyond `outliers` deviations from the median, a
/// deviation being 1.4826 times the median absolute deviation and at least the picks' errors. While
/// the model still explains the picks badly, their residuals are far from Gaussian: then it takes
/// up to twice as many deviations. A pick that was left out comes back once a model explains it.
std::vector<PickUse> uses_of(std::span<const double> scaled_residual, double outliers);

/// What each residual and row is multiplied with, so that least squares become the norm
/// (iteratively reweighted; Huber 1981): the root of 1, of k / |z|, or of 1 / |z|, with z in
/// deviations. A pick that was lost weighs nothing, nor does one that is left out unless the norm
/// keeps it.
std::vector<double> norm_weights(DataNorm norm, std::span<const double> scaled_residual,
                                 std::span<const PickUse> use);

/// By what picks near that limit count less, so that one that is left out by the next model had
/// hardly any weight: 1 up to 0.85 of it, 0 from there on; roots, as factors of rows.
std::vector<double> tapers_of(std::span<const double> scaled_residual, double outliers);

/// Mean square of the scaled residuals that are used.
double chi2_of(std::span<const double> scaled_residual, std::span<const PickUse> use);

}  // namespace fermat
