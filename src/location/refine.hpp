#pragma once

#include <array>
#include <span>

#include "location/ellipsoid.hpp"
#include "location/likelihood.hpp"
#include "location/region.hpp"

namespace fermat {

/// The place of the largest probability near a start, and how sharply it is known.
struct Peak {
    Vec3 place;
    double origin_time = 0;
    double log_density = 0;
    Matrix3 covariance{};      ///< of the place; 0 along fixed axes
    double time_variance = 0;  ///< of the origin time
};

/// Climbs from a start to the place of the largest probability by Gauss-Newton steps over the
/// gradients of the fields, damped where a step would not climb. Gross errors lose their weight by
/// the likelihood's own rule. `width` is the size of the cell that the start stands for: it widens
/// the errors of the first steps. Places stay in the region.
Peak climb(const Likelihood& likelihood, const Region& region, Vec3 start, double width,
           Likelihood::Work& work);

/// Puts the covariance that errors of picks give to a peak of equal differential times: with the
/// weights of the pairs kept, the place answers to errors e of the times by A^-1 U^T e, where U are
/// the pulls of the picks and A is the curvature, so that its covariance is A^-1 U^T C U A^-1.
/// Returns the power that the likelihood must have for as wide a region.
double spread_pairs(const Likelihood& likelihood, const Region& region,
                    std::span<const double> covariance, Peak& peak);

/// The inverse of a symmetric positive definite matrix over the axes that are free; 0 elsewhere.
Matrix3 inverse_of_free(const Matrix3& matrix, const std::array<bool, 3>& free);

}  // namespace fermat
