#pragma once

#include <array>
#include <span>
#include <vector>

#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// Eigenvalues of lambda R + c on a full grid, with the mean of V or B for all its weights.
struct SpectralDivisor {
    double lambda;
    double c;
    double mean_weight;  ///< of V or B
    double diagonal;     ///< of W^T V W
    bool second;
    double smooth = 0;           ///< mixed: the factor of the smooth part
    double smooth_diagonal = 0;  ///< and d of its K

    /// Of the eigenvector whose differences have the sum `differences`.
    FERMAT_HD double at(double differences) const {
        if (smooth > 0) {
            const double blocky = mean_weight * differences;
            const double curved = differences + smooth_diagonal;
            const double other = smooth * curved * curved;
            return lambda * (blocky * other / (blocky + other)) + c;
        }
        const double once = differences + diagonal;
        return lambda * (mean_weight * (second ? once * once : once)) + c;
    }
};

/// Solves (lambda R + c) z = r nearly, for the preconditioner of conjugate gradients: exactly where
/// the unknowns fill their grid and R has constant weights, because the cosines
/// cos(pi k (i + 1/2) / n) are then the eigenvectors of R. Air counts as ground without data.
class SpectralSolver {
  public:
    SpectralSolver(const Unknowns& unknowns, const Roughness& roughness);

    void solve(std::span<const double> r, std::span<double> z, double lambda, double c,
               int threads);

    /// For those who transform elsewhere: C along an axis (row k; orthonormal), C^T, and the
    /// eigenvalues of its differences.
    const std::vector<double>& cosines(int axis) const {
        return cosines_[static_cast<std::size_t>(axis)];
    }
    const std::vector<double>& transposed(int axis) const {
        return transposed_[static_cast<std::size_t>(axis)];
    }
    const std::vector<double>& eigenvalues(int axis) const {
        return eigenvalues_[static_cast<std::size_t>(axis)];
    }
    SpectralDivisor divisor(double lambda, double c) const {
        return {lambda,
                c,
                roughness_.mean_weight(),
                roughness_.diagonal(),
                roughness_.kind() == Regularisation::second,
                roughness_.smooth_factor(),
                roughness_.smooth_diagonal()};
    }

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
