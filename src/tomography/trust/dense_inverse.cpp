#include "tomography/trust/dense_inverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

/// to -= f[0] from[0] + f[1] from[1] + ... over `count` numbers, four rows at a time: `to` is then
/// read and written once for four products.
template <class Factor, class Row>
void take_off(double* to, std::size_t count, std::size_t begin, std::size_t end, Factor factor,
              Row row) {
    std::size_t k = begin;
    for (; k + 4 <= end; k += 4) {
        const double f0 = factor(k);
        const double f1 = factor(k + 1);
        const double f2 = factor(k + 2);
        const double f3 = factor(k + 3);
        const double* const a = row(k);
        const double* const b = row(k + 1);
        const double* const c = row(k + 2);
        const double* const d = row(k + 3);
        for (std::size_t j = 0; j < count; ++j) {
            to[j] -= (f0 * a[j] + f1 * b[j]) + (f2 * c[j] + f3 * d[j]);
        }
    }
    for (; k < end; ++k) {
        const double f = factor(k);
        const double* const a = row(k);
        for (std::size_t j = 0; j < count; ++j) to[j] -= f * a[j];
    }
}

}  // namespace

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
                take_off(
                    row + end, i + 1 - end, begin, end, [&](std::size_t m) { return row[m]; },
                    [&](std::size_t m) { return &panel[(m - begin) * n + end]; });
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
        take_off(
            to, count, first, i, [&](std::size_t k) { return factor[k]; }, row_of);
        for (std::size_t c = 0; c < count; ++c) to[c] /= factor[i];
    }
    // L^T x = y, from the last rows up, four at a time.
    constexpr std::size_t step = 4;
    for (std::size_t end = n_; end > 0;) {
        const std::size_t begin = end % step == 0 ? end - step : end - end % step;
        for (std::size_t i = end; i-- > begin;) {
            double* const x = row_of(i);
            for (std::size_t c = 0; c < count; ++c) x[c] /= factor_[i * n_ + i];
            for (std::size_t k = begin; k < i; ++k) {
                const double f = factor_[i * n_ + k];
                double* const to = row_of(k);
                for (std::size_t c = 0; c < count; ++c) to[c] -= f * x[c];
            }
        }
        for (std::size_t k = 0; k < begin; ++k) {
            take_off(
                row_of(k), count, begin, end, [&](std::size_t i) { return factor_[i * n_ + k]; },
                row_of);
        }
        end = begin;
    }
}

std::vector<double> DenseInverse::solve(std::vector<double> right) const {
    for (std::size_t i = 0; i < n_; ++i) {
        const double* const row = &factor_[i * n_];
        double sum = right[i];
        for (std::size_t k = 0; k < i; ++k) sum -= row[k] * right[k];
        right[i] = sum / row[i];
    }
    for (std::size_t i = n_; i-- > 0;) {
        const double* const row = &factor_[i * n_];
        right[i] /= row[i];
        for (std::size_t k = 0; k < i; ++k) right[k] -= row[k] * right[i];
    }
    return right;
}

}  // namespace fermat
