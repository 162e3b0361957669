#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tomography/gauss_newton/conjugate_gradients.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/gauss_newton/step_cuda.hpp"

namespace fermat {

/// What a step of Gauss-Newton is to balance.
struct StepWeights {
    double lambda = 0;   ///< of the roughness of the model after the step
    double damping = 0;  ///< of the roughness of the step itself (Levenberg-Marquardt)
};

/// Far below what picks tell: a step that ended by how the last bit of a sum is rounded would make
/// runs of two builds of this program differ by per cents.
inline constexpr double step_accuracy = 1e-3;

/// The step d from a model x that makes |r - A d|^2 + lambda (x + d)^T R (x + d) + damping d^T R d
/// least, by conjugate gradients on its normal equations,
///
///     (A^T A + (lambda + damping) R) d = A^T r - lambda R x,
///
/// preconditioned by lambda R with the mean of A^T A on its diagonal. Sums are made in an order of
/// their own, so that threads change no bit. Where all rows lie on this process's CUDA device, so
/// does the rest.
///
/// Unknowns behind those of the grid (terms of shots and receivers) have no roughness; their
/// squares are damped by weights of their own, D: what lambda R is to the grid, D is to them.
class StepSolver {
  public:
    /// `extra`: D, one weight per unknown behind the grid's; above 0.
    StepSolver(const Unknowns& unknowns, const Roughness& roughness, int threads,
               std::vector<double> extra = {});

    /// `guess`: a step that may be near; none where it is empty. The device has no use for it.
    std::vector<double> solve(const PickMatrix& rows, std::span<const double> residual,
                              std::span<const double> x, const StepWeights& weights,
                              const SolveLimits& limits = {step_accuracy},
                              std::vector<double> guess = {});
    /// (A^T A + weight R)^-1 right.
    LinearSolution solve(const PickMatrix& rows, std::vector<double> right, double weight,
                         const SolveLimits& limits, std::vector<double> guess = {});
    /// x^T R x.
    double roughness_of(std::span<const double> x) const;

  private:
    const Unknowns& unknowns_;
    const Roughness& roughness_;
    SpectralSolver spectral_;
    int threads_;
    std::vector<double> extra_;
    std::unique_ptr<CudaStep> device_;  ///< once it is needed
};

}  // namespace fermat
