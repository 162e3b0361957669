#include "tomography/gauss_newton/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.hpp"

namespace fermat {

SpectralSolver::SpectralSolver(const Unknowns& unknowns, const Roughness& roughness)
    : unknowns_(unknowns), roughness_(roughness), shape_(unknowns.grid().shape) {
    for (int axis = 0; axis < 3; ++axis) {
        const int n = shape_[axis];
        auto& cosines = cosines_[static_cast<std::size_t>(axis)];
        auto& eigenvalues = eigenvalues_[static_cast<std::size_t>(axis)];
        for (int k = 0; k < n; ++k) {
            const double norm = std::sqrt((k == 0 ? 1.0 : 2.0) / n);
            for (int i = 0; i < n; ++i) {
                cosines.push_back(norm * std::cos(std::numbers::pi * k * (i + 0.5) / n));
            }
            eigenvalues.push_back(roughness.axis_factors()[axis] *
                                  (2 - 2 * std::cos(std::numbers::pi * k / n)));
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t n = eigenvalues_[axis].size();
        transposed_[axis].resize(n * n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                transposed_[axis][i * n + k] = cosines_[axis][k * n + i];
            }
        }
    }
    values_.resize(shape_.count());
    spare_.resize(shape_.count());
}

void SpectralSolver::transform(int axis, bool back, int threads) {
    const auto n = static_cast<std::size_t>(shape_[axis]);
    if (n == 1) return;
    // Row i of `from` is what the value at i adds to each output: every sum runs over whole lines.
    const std::vector<double>& to = back ? transposed_[static_cast<std::size_t>(axis)]
                                         : cosines_[static_cast<std::size_t>(axis)];
    const std::vector<double>& from = back ? cosines_[static_cast<std::size_t>(axis)]
                                           : transposed_[static_cast<std::size_t>(axis)];
    std::size_t inner = 1;
    for (int a = axis + 1; a < 3; ++a) inner *= static_cast<std::size_t>(shape_[a]);
    const std::size_t lines = values_.size() / inner;
    constexpr std::size_t small = 4000000;
    const int team = values_.size() * n < small ? 1 : threads;
    const bool last = inner == 1;
    const std::size_t jobs = last ? lines / n : lines;
    parallel_for(static_cast<std::int64_t>(jobs), team, [&](std::int64_t job) {
        const auto line = static_cast<std::size_t>(job);
        const std::size_t block = last ? line * n : line / n * n * inner;
        const std::size_t width = last ? n : inner;
        double* const out = &spare_[last ? block : block + line % n * inner];
        std::fill_n(out, width, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = last ? values_[block + i] : to[line % n * n + i];
            const double* const in = last ? &from[i * n] : &values_[block + i * inner];
            for (std::size_t m = 0; m < width; ++m) out[m] += factor * in[m];
        }
    });
    std::swap(values_, spare_);
}

void SpectralSolver::solve(std::span<const double> r, std::span<double> z, double lambda, double c,
                           int threads) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t u = 0; u < r.size(); ++u) {
        values_[static_cast<std::size_t>(unknowns_.places()[u])] = r[u];
    }
    for (int axis = 0; axis < 3; ++axis) transform(axis, false, threads);
    const SpectralDivisor divisor = this->divisor(lambda, c);
    std::size_t n = 0;
    for (const double x : eigenvalues_[0]) {
        for (const double y : eigenvalues_[1]) {
            for (const double w : eigenvalues_[2]) values_[n++] /= divisor.at(x + y + w);
        }
    }
    for (int axis = 0; axis < 3; ++axis) transform(axis, true, threads);
    for (std::size_t u = 0; u < z.size(); ++u) {
        z[u] = values_[static_cast<std::size_t>(unknowns_.places()[u])];
    }
}

}  // namespace fermat
