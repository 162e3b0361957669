#include "tomography/gauss_newton/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.hpp"
#include "tomography/gauss_newton/tile_product.hpp"

namespace fermat {
namespace {

/// A part of a product's rows and columns.
struct ProductPart {
    int first_row;
    int last_row;
    int first_column;
    int last_column;
};

/// That part of left right. Each number is a sum over the inner index in its order; some rows and
/// columns at a time, whose sums stay in registers.
void multiply_part(const double* left, const double* right, double* out, ProductShape shape,
                   const ProductPart& part) {
    constexpr int high = 4;
    constexpr int wide = 32;
    const auto inner = static_cast<std::size_t>(shape.inner);
    const auto columns = static_cast<std::size_t>(shape.columns);
    for (int c = part.first_column; c < part.last_column; c += wide) {
        const int count = std::min(wide, part.last_column - c);
        for (int r = part.first_row; r < part.last_row; r += high) {
            const int rows = std::min(high, part.last_row - r);
            double sums[high][wide] = {};
            const double* const from = left + static_cast<std::size_t>(r) * inner;
            for (std::size_t i = 0; i < inner; ++i) {
                const double* const line = right + i * columns + c;
                if (rows == high && count == wide) {
                    for (int a = 0; a < high; ++a) {
                        const double factor = from[static_cast<std::size_t>(a) * inner + i];
                        for (int m = 0; m < wide; ++m) sums[a][m] += factor * line[m];
                    }
                } else {
                    for (int a = 0; a < rows; ++a) {
                        const double factor = from[static_cast<std::size_t>(a) * inner + i];
                        for (int m = 0; m < count; ++m) sums[a][m] += factor * line[m];
                    }
                }
            }
            for (int a = 0; a < rows; ++a) {
                double* const to = out + static_cast<std::size_t>(r + a) * columns + c;
                std::copy_n(sums[a], count, to);
            }
        }
    }
}

}  // namespace

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
    const int n = shape_[axis];
    if (n == 1) return;
    const AxisProducts products = axis_products(shape_.x, shape_.y, shape_.z, axis);
    const std::vector<double>& matrix =
        back == products.field_is_left ? cosines(axis) : transposed(axis);
    const ProductShape shape = products.shape;
    constexpr std::size_t small = 4000000;
    const int team = values_.size() * static_cast<std::size_t>(n) < small ? 1 : threads;
    // The field is cut across its lines, so that a part of it stays in cache until it is done with.
    constexpr int width = 64;
    if (products.field_is_left) {
        parallel_for((shape.rows + width - 1) / width, team, [&](std::int64_t job) {
            const int first = static_cast<int>(job) * width;
            multiply_part(values_.data(), matrix.data(), spare_.data(), shape,
                          {first, std::min(first + width, shape.rows), 0, shape.columns});
        });
    } else {
        const int strips = (shape.columns + width - 1) / width;
        const auto field = static_cast<std::size_t>(shape.inner) * shape.columns;
        parallel_for(std::int64_t{strips} * products.batch, team, [&](std::int64_t job) {
            const std::size_t from = static_cast<std::size_t>(job / strips) * field;
            const int first = static_cast<int>(job % strips) * width;
            multiply_part(matrix.data(), &values_[from], &spare_[from], shape,
                          {0, shape.rows, first, std::min(first + width, shape.columns)});
        });
    }
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
