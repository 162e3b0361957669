#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tomography/gauss_newton/conjugate_gradients.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/spectral.hpp"

namespace fermat {

class DealtRows;

/// Conjugate gradients that stay on the CUDA device: as StepSolver's on the host, with rows that
/// lie on the device and all on this process. The same bits each time.
class CudaStep {
  public:
    virtual ~CudaStep() = default;
    virtual LinearSolution solve(const DealtRows& rows, std::vector<double> right, double weight,
                                 const SolveLimits& limits) = 0;
};

/// What is given must outlive it. Throws InputError where CUDA is not in this build.
std::unique_ptr<CudaStep> make_cuda_step(const Unknowns& unknowns, const Roughness& roughness,
                                         const SpectralSolver& spectral,
                                         std::span<const double> extra);

}  // namespace fermat
