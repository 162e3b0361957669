#include "tomography/gauss_newton/vectors.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"

namespace fermat {
namespace {

constexpr std::size_t stretch = 16384;

// Shorter vectors are done with in less time than threads take to meet.
int team_for(std::size_t size, int threads) { return size < 8 * stretch ? 1 : threads; }

double dot_of_stretch(std::span<const double> a, std::span<const double> b) {
    // Eight sums side by side, always the same ones.
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::size_t n = 0;
    for (; n + 8 <= a.size(); n += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[n + lane] * b[n + lane];
    }
    double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; n < a.size(); ++n) sum += a[n] * b[n];
    return sum;
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b, int threads) {
    std::vector<double> sums((a.size() + stretch - 1) / stretch);
    parallel_for(static_cast<std::int64_t>(sums.size()), team_for(a.size(), threads),
                 [&](std::int64_t n) {
                     const std::size_t first = static_cast<std::size_t>(n) * stretch;
                     const std::size_t count = std::min(stretch, a.size() - first);
                     sums[static_cast<std::size_t>(n)] =
                         dot_of_stretch(a.subspan(first, count), b.subspan(first, count));
                 });
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
}

void add_scaled(std::span<double> to, double factor, std::span<const double> from, int threads) {
    parallel_ranges(static_cast<std::int64_t>(to.size()), team_for(to.size(), threads),
                    [&](std::int64_t begin, std::int64_t end) {
                        double* const out = to.data();
                        const double* const in = from.data();
                        for (std::int64_t n = begin; n < end; ++n) out[n] += factor * in[n];
                    });
}

void scale_and_add(std::span<double> to, double factor, std::span<const double> from, int threads) {
    parallel_ranges(static_cast<std::int64_t>(to.size()), team_for(to.size(), threads),
                    [&](std::int64_t begin, std::int64_t end) {
                        double* const out = to.data();
                        const double* const in = from.data();
                        for (std::int64_t n = begin; n < end; ++n) out[n] = in[n] + factor * out[n];
                    });
}

}  // namespace fermat
