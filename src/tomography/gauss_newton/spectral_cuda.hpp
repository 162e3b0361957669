#pragma once

// For .cu files alone.

#include <array>

#include "core/memory_cuda.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// SpectralSolver's solution on the device: cosine transforms as products of dense matrices.
class CudaSpectral {
  public:
    CudaSpectral(const Unknowns& unknowns, const SpectralSolver& host);

    /// z = (lambda R + c)^-1 r on the grid's unknowns, nearly.
    void solve(const double* r, double* z, const SpectralDivisor& divisor);

  private:
    void transform(int axis, bool back);

    Shape shape_;
    std::size_t unknowns_;
    CudaArray<std::int64_t> places_;
    std::array<CudaArray<double>, 3> cosines_;
    std::array<CudaArray<double>, 3> transposed_;
    std::array<CudaArray<double>, 3> eigenvalues_;
    CudaArray<double> values_;
    CudaArray<double> spare_;
};

}  // namespace fermat
