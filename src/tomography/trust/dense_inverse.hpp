#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fermat {

/// The inverse of a symmetric positive definite matrix, column by column, after its Cholesky factor
/// was made: n^3 / 3 multiplications for the factor and as many as that twice for all columns. For
/// thousands of rows, not for more: the factor has 8 n^2 bytes. Threads change no bit.
class DenseInverse {
  public:
    /// `matrix` has row after row; only its lower triangle is read. Throws ComputeError where it is
    /// not positive definite.
    DenseInverse(std::vector<double> matrix, std::size_t n, int threads);

    std::size_t size() const { return n_; }
    /// Columns [first, first + count) of the inverse: out[row * count + column - first].
    void columns(std::size_t first, std::size_t count, std::span<double> out) const;
    /// The solution x of M x = right.
    std::vector<double> solve(std::vector<double> right) const;

  private:
    void factor_block(std::size_t begin, std::size_t end);
    void factor_row(std::size_t row, std::size_t begin, std::size_t end);

    std::size_t n_;
    std::vector<double> factor_;  ///< L of L L^T, row after row
};

}  // namespace fermat
