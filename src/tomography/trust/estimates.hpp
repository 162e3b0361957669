#pragma once

#include <vector>

#include "tomography/trust/linear_problem.hpp"
#include "tomography/trust/trust.hpp"

namespace fermat {

/// Numbers behind a Trust, on rank 0.
struct TrustNumbers {
    std::vector<double> resolution;  ///< per unknown
    std::vector<double> variance;    ///< per sample, of its part of the unknowns
    double stray = 0;  ///< RMS error of a sampled resolution, at most: see sampled_trust
    int solves = 0;
    int unfinished = 0;
};

/// By dense algebra on rank 0 alone.
TrustNumbers exact_trust(const LinearProblem& problem, const TrustOptions& options,
                         Monitor& monitor);

/// By solves that are dealt out to threads and ranks.
///
/// Resolution is probed (Tang & Saad 2012): a probe is +-1 on every s-th unknown along each axis,
/// and 0 elsewhere; what it becomes on those is their diagonal, plus what strays from unknowns s
/// away or further, which has no sign of its own. s^2 probes in 2-D, or s^3, reach each unknown
/// once, for the largest s that the number of solves allows. What strays is seen by itself half way
/// between the unknowns of a probe, where all of it strays and from nearer: its RMS is a bound.
///
/// The variance is that of posterior samples (A^T A + w R)^-1 (A^T e1 + w^(1/2) L e2), with the
/// prior R = L L^T, its weight w and standard normal e1, e2, which have exactly the covariance
/// (A^T A + w R)^-1. A deviation from N of them is off by 1 / sqrt(2 N) of itself.
TrustNumbers sampled_trust(const LinearProblem& problem, const TrustOptions& options,
                           const Execution& execution);

/// A^T A change.
std::vector<double> seen_by_picks(const LinearProblem& problem, std::span<const double> change,
                                  int threads);

}  // namespace fermat
