#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fermat {

/// What a pick says at one place.
struct EdtTerm {
    double origin = 0;    ///< observed time - time of travel; not finite: no wave arrives
    double variance = 0;  ///< of pick and model together
    double spread2 = 0;   ///< variance for the size of the cell that the place stands for
};

/// Probability of a place by equal differential times (Font et al. 2004; Lomax 2005): the more
/// pairs of picks agree on the origin time, the likelier the place. A grossly wrong pick spoils its
/// pairs and no others.
///
///     p = [ sum_ab w_ab exp(-(o_a - o_b)^2 w_ab^2 / 2) ]^N,   w_ab^2 = 1 / (s_a^2 + s_b^2)
///
/// times exp(-v / s^2) (NonLinLoc's EDT_OT_WT): v is the variance of the origin times o, weighted
/// by the pairs, and s^2 the mean of s_a^2. A pair counts at the first of its picks, which are in
/// the order of their times: so does NonLinLoc. The second factor is not less than 1e-5.
double edt_log_density(std::span<const EdtTerm> terms);

/// Derivatives of edt_log_density() with the weights of the pairs kept as they are.
struct EdtSlopes {
    /// By the origin time of each pick, and - by pairs - what the square of their difference
    /// counts.
    std::vector<double> by_origin;
    std::vector<double> pairs;  ///< [a * N + b], a < b
};
EdtSlopes edt_slopes(std::span<const EdtTerm> terms);

}  // namespace fermat
