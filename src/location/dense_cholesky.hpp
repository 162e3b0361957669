#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace fermat {

/// The factor L of a small symmetric positive definite matrix A = L L^T, in rows.
class DenseCholesky {
  public:
    /// Takes the rows of A, of which the lower half is read.
    DenseCholesky(std::vector<double> matrix, std::size_t size)
        : factor_(std::move(matrix)), size_(size) {
        for (std::size_t i = 0; i < size_ && definite_; ++i) {
            double* const row = factor_.data() + i * size_;
            for (std::size_t j = 0; j < i; ++j) {
                const double* const other = factor_.data() + j * size_;
                double sum = row[j];
                for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
                row[j] = sum / other[j];
            }
            double rest = row[i];
            for (std::size_t k = 0; k < i; ++k) rest -= row[k] * row[k];
            definite_ = rest > 0;
            row[i] = std::sqrt(rest);
        }
    }

    /// False if the matrix is not positive definite: the factor then says nothing.
    bool definite() const { return definite_; }
    /// log |L|, half of log |A|.
    double log_root() const {
        double sum = 0;
        for (std::size_t i = 0; i < size_; ++i) sum += std::log(factor_[i * size_ + i]);
        return sum;
    }
    /// x = L^-1 x.
    void solve_lower(std::span<double> x) const {
        for (std::size_t i = 0; i < size_; ++i) {
            const double* const row = factor_.data() + i * size_;
            double sum = x[i];
            for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
            x[i] = sum / row[i];
        }
    }
    /// x = L^-T x.
    void solve_upper(std::span<double> x) const {
        for (std::size_t i = size_; i-- > 0;) {
            const double* const row = factor_.data() + i * size_;
            x[i] /= row[i];
            for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
        }
    }

  private:
    std::vector<double> factor_;
    std::size_t size_;
    bool definite_ = true;
};

}  // namespace fermat
