#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eikonal/time_field.hpp"

namespace fermat {

/// T - start of every node, infinite where no wave arrives. Single precision orders nodes well
/// enough.
template <class Real>
std::vector<float> causal_times(const TimeFieldView<Real>& field) {
    const Shape shape = field.grid.shape;
    std::vector<float> times(shape.count());
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            const FactorLine line = line_of_nodes(field.grid, field.factor, i, j);
            const std::size_t first = shape.offset(i, j, 0);
            for (int k = 0; k < shape.z; ++k) {
                const std::size_t n = first + static_cast<std::size_t>(k);
                const double tau = field.tau[n];
                // Infinite tau at the source's own place would make no number.
                times[n] = static_cast<float>(std::isfinite(tau) ? line.value(k) * tau : tau);
            }
        }
    }
    return times;
}

/// Nodes from the latest to the earliest, nearly: those whose times differ by less than a
/// 65,536th of the largest come in the order of their numbers. Nodes of infinite time are left
/// out. One counting sort: the order depends on the times alone.
inline std::vector<std::uint32_t> latest_first(std::span<const float> times) {
    constexpr std::size_t buckets = std::size_t{1} << 16;
    float latest = 0;
    for (const float time : times) latest = std::isfinite(time) && time > latest ? time : latest;
    const float scale = latest > 0 ? static_cast<float>(buckets - 1) / latest : 0;
    const auto bucket_of = [&](float time) {
        const auto after = static_cast<std::size_t>(time * scale);
        return after < buckets ? buckets - 1 - after : 0;
    };
    std::vector<std::uint32_t> first(buckets + 1, 0);
    for (const float time : times) {
        if (std::isfinite(time)) ++first[bucket_of(time) + 1];
    }
    for (std::size_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
    std::vector<std::uint32_t> order(first[buckets]);
    for (std::size_t n = 0; n < times.size(); ++n) {
        if (std::isfinite(times[n])) {
            order[first[bucket_of(times[n])]++] = static_cast<std::uint32_t>(n);
        }
    }
    return order;
}

}  // namespace fermat
