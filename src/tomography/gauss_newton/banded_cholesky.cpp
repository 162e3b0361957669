#include "tomography/gauss_newton/banded_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {
namespace {

/// Eight sums side by side, always the same ones.
double band_product(const double* a, const double* b, std::size_t count) {
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::size_t n = 0;
    for (; n + 8 <= count; n += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[n + lane] * b[n + lane];
    }
    double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; n < count; ++n) sum += a[n] * b[n];
    return sum;
}

}  // namespace

bool BandedCholesky::factor() {
    for (std::size_t i = 0; i < size_; ++i) {
        const std::size_t first = i > band_ ? i - band_ : 0;
        for (std::size_t j = first; j <= i; ++j) {
            const std::size_t from = std::max(first, j > band_ ? j - band_ : 0);
            const double left = at(i, j) - band_product(line(i) + (from + band_ - i),
                                                        line(j) + (from + band_ - j), j - from);
            if (j < i) {
                at(i, j) = left / at(j, j);
            } else {
                if (!(left > 0)) return false;
                at(i, i) = std::sqrt(left);
            }
        }
    }
    return true;
}

void BandedCholesky::solve(std::span<double> x) const {
    for (std::size_t i = 0; i < size_; ++i) {
        const std::size_t first = i > band_ ? i - band_ : 0;
        const double* const own = line(i) + (band_ - (i - first));
        x[i] = (x[i] - band_product(own, &x[first], i - first)) / own[i - first];
    }
    for (std::size_t i = size_; i-- > 0;) {
        const std::size_t first = i > band_ ? i - band_ : 0;
        const double* const own = line(i) + (band_ - (i - first));
        const double value = x[i] / own[i - first];
        x[i] = value;
        double* const above = &x[first];
        for (std::size_t k = 0; k < i - first; ++k) above[k] -= value * own[k];
    }
}

}  // namespace fermat
