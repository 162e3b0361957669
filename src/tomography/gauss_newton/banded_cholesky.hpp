#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fermat {

/// M = L L^T of a symmetric positive matrix whose entries lie within a band of its diagonal. Sums
/// have an order of their own, whatever the number of threads.
class BandedCholesky {
  public:
    /// A matrix of zeros; `band`: the largest distance of an entry from the diagonal.
    BandedCholesky(std::size_t size, std::size_t band)
        : size_(size), band_(band), rows_(size * (band + 1), 0.0) {}

    std::size_t size() const { return size_; }
    /// Adds to an entry on or below the diagonal, before factor().
    void add(std::size_t row, std::size_t column, double value) { at(row, column) += value; }
    /// Once, after all entries are there. False where the matrix is not positive.
    bool factor();
    /// x <- M^-1 x.
    void solve(std::span<double> x) const;

  private:
    /// Row i has the columns i - band to i.
    double& at(std::size_t row, std::size_t column) {
        return rows_[row * (band_ + 1) + column + band_ - row];
    }
    const double* line(std::size_t row) const { return &rows_[row * (band_ + 1)]; }

    std::size_t size_;
    std::size_t band_;
    std::vector<double> rows_;
};

}  // namespace fermat
