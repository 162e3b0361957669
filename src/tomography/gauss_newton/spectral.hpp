#pragma once

#include <array>
#include <span>
#include <vector>

#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// Solves (lambda R + c) z = r nearly, for the preconditioner of conjugate gradients: exactly where
/// the unknowns fill their grid and R has constant weights, because the cosines
/// cos(pi k (i + 1/2) / n) are then the eigenvectors of R. Air counts as ground without data.
class SpectralSolver {
  public:
    SpectralSolver(const Unknowns& unknowns, const Roughness& roughness);

    void solve(std::span<const double> r, std::span<double> z, double lambda, double c,
               int threads);

  private:
    /// values <- C values or C^T values along one axis of the grid.
    void transform(int axis, bool back, int threads);

    const Unknowns& unknowns_;
    const Roughness& roughness_;
    Shape shape_;
    std::array<std::vector<double>, 3> cosines_;      ///< C, row k, orthonormal
    std::array<std::vector<double>, 3> transposed_;   ///< C^T
    std::array<std::vector<double>, 3> eigenvalues_;  ///< of differences along each axis
    std::vector<double> values_;
    std::vector<double> spare_;
};

}  // namespace fermat
