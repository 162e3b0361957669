#pragma once

#include <span>
#include <vector>

#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"

namespace fermat {

/// What a step of Gauss-Newton is to balance.
struct StepWeights {
    double lambda = 0;   ///< of the roughness of the model after the step
    double damping = 0;  ///< of the roughness of the step itself (Levenberg-Marquardt)
};

/// When conjugate gradients end.
struct SolveLimits {
    double accuracy = 1e-3;  ///< of the preconditioned residual, against that at the beginning
    int most_iterations = 400;
};

struct LinearSolution {
    std::vector<double> d;
    bool converged = false;
};

/// The step d from a model x that makes |r - A d|^2 + lambda (x + d)^T R (x + d) + damping d^T R d
/// least, by conjugate gradients on its normal equations,
///
///     (A^T A + (lambda + damping) R) d = A^T r - lambda R x,
///
/// preconditioned by lambda R with the mean of A^T A on its diagonal. Sums are made in an order of
/// their own, so that threads change no bit.
class StepSolver {
  public:
    StepSolver(const Unknowns& unknowns, const Roughness& roughness, int threads);

    std::vector<double> solve(const WeightedRows& rows, std::span<const double> residual,
                              std::span<const double> x, const StepWeights& weights);
    /// (A^T A + weight R)^-1 right.
    LinearSolution solve(const WeightedRows& rows, std::vector<double> right, double weight,
                         const SolveLimits& limits);
    /// x^T R x.
    double roughness_of(std::span<const double> x) const;

  private:
    const Roughness& roughness_;
    SpectralSolver spectral_;
    int threads_;
};

}  // namespace fermat
