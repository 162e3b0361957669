#pragma once

#include <span>

namespace fermat {

/// Sum of a[n] b[n]: sums of fixed stretches, added up in their order.
double dot(std::span<const double> a, std::span<const double> b, int threads);
/// to[n] += factor from[n].
void add_scaled(std::span<double> to, double factor, std::span<const double> from, int threads);
/// to[n] = from[n] + factor to[n].
void scale_and_add(std::span<double> to, double factor, std::span<const double> from, int threads);

}  // namespace fermat
