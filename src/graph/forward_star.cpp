#include "graph/forward_star.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/error.hpp"

namespace fermat {

std::vector<Index3> forward_star(Index3 radius, StarEdges edges) {
    const bool negative = radius.x < 0 || radius.y < 0 || radius.z < 0;
    if (negative || radius == Index3{}) {
        throw InputError(fmt::format(
            "radius is ({}, {}, {}) (must not be negative, and positive along some axis)", radius.x,
            radius.y, radius.z));
    }
    std::vector<Index3> star;
    for (int i = -radius.x; i <= radius.x; ++i) {
        for (int j = -radius.y; j <= radius.y; ++j) {
            for (int k = -radius.z; k <= radius.z; ++k) {
                const int divisor = std::gcd(std::gcd(i, j), k);
                const bool wanted = edges == StarEdges::full ? divisor > 0 : divisor == 1;
                if (wanted) star.push_back({i, j, k});
            }
        }
    }
    return star;
}

double largest_gap(const std::vector<Index3>& star, double spacing_x, double spacing_z) {
    std::vector<double> angles;
    for (const Index3& edge : star) {
        angles.push_back(std::atan2(edge.z * spacing_z, edge.x * spacing_x));
    }
    std::sort(angles.begin(), angles.end());
    double gap = angles.front() + 2 * std::numbers::pi - angles.back();
    for (std::size_t i = 1; i < angles.size(); ++i) gap = std::max(gap, angles[i] - angles[i - 1]);
    return gap;
}

}  // namespace fermat
