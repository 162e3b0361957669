#include "tomography/trust/dense_inverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat {

DenseInverse::DenseInverse(std::vector<double> matrix, std::size_t n, int threads)
    : n_(n), factor_(std::move(matrix)) {
    // Right-looking, by blocks of columns: a block is factored, then its part is taken from all
    // that lies to the right of it, along rows.
    constexpr std::size_t width = 64;
    std::vector<double> panel(width * n);  // the block's rows below it, transposed
    for (std::size_t begin = 0; begin < n; begin += width) {
        const std::size_t end = std::min(n, begin + width);
        factor_block(begin, end);
        constexpr std::size_t lot = 16;
        const auto lots = static_cast<std::int64_t>((n - end + lot - 1) / lot);
        parallel_for(lots, threads, [&](std::int64_t job) {
            const std::size_t first = end + static_cast<std::size_t>(job) * lot;
            for (std::size_t i = first; i < std::min(n, first + lot); ++i) {
                factor_row(i, begin, end);
                for (std::size_t m = begin; m < end; ++m) {
                    panel[(m - begin) * n + i] = factor_[i * n + m];
                }
            }
        });
        parallel_for(lots, threads, [&](std::int64_t job) {
            const std::size_t first = end + static_cast<std::size_t>(job) * lot;
            for (std::size_t i = first; i < std::min(n, first + lot); ++i) {
                double* const row = &factor_[i * n];
                for (std::size_t m = begin; m < end; ++m) {
                    const double factor = row[m];
                    const double* const from = &panel[(m - begin) * n];
                    for (std::size_t j = end; j <= i; ++j) row[j] -= factor * from[j];
                }
            }
        });
    }
}

void DenseInverse::factor_block(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        factor_row(i, begin, i);
        double pivot = factor_[i * n_ + i];
        for (std::size_t m = begin; m < i; ++m) pivot -= factor_[i * n_ + m] * factor_[i * n_ + m];
        if (!(pivot > 0)) {
            throw ComputeError(fmt::format(
                "pivot {} of {} is {} (the matrix must be positive definite)", i, n_, pivot));
        }
        factor_[i * n_ + i] = std::sqrt(pivot);
    }
}

/// Columns [begin, end) of a row, whose part left of them was taken off before.
void DenseInverse::factor_row(std::size_t row, std::size_t begin, std::size_t end) {
    double* const to = &factor_[row * n_];
    for (std::size_t j = begin; j < end; ++j) {
        const double* const other = &factor_[j * n_];
        double sum = to[j];
        for (std::size_t m = begin; m < j; ++m) sum -= to[m] * other[m];
        to[j] = sum / other[j];
    }
}

void DenseInverse::columns(std::size_t first, std::size_t count, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < count; ++c) out[(first + c) * count + c] = 1;
    const auto row_of = [&](std::size_t i) { return &out[i * count]; };
    // L y = unit columns: rows above `first` stay 0.
    for (std::size_t i = first; i < n_; ++i) {
        const double* const factor = &factor_[i * n_];
        double* const to = row_of(i);
        for (std::size_t k = first; k < i; ++k) {
            const double f = factor[k];
            const double* const from = row_of(k);
            for (std::size_t c = 0; c < count; ++c) to[c] -= f * from[c];
        }
        for (std::size_t c = 0; c < count; ++c) to[c] /= factor[i];
    }
    // L^T x = y, from the last row up.
    for (std::size_t i = n_; i-- > 0;) {
        const double* const factor = &factor_[i * n_];
        double* const from = row_of(i);
        for (std::size_t c = 0; c < count; ++c) from[c] /= factor[i];
        for (std::size_t k = 0; k < i; ++k) {
            const double f = factor[k];
            double* const to = row_of(k);
            for (std::size_t c = 0; c < count; ++c) to[c] -= f * from[c];
        }
    }
}

}  // namespace fermat
