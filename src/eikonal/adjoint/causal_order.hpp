#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fermat {

/// Nodes from the latest to the earliest, nearly: those whose times differ by less than a
/// 65,536th of the largest come in the order of their numbers. Nodes of infinite time are left
/// out. One counting sort: the order depends on the times alone.
template <class TimeOf>
std::vector<std::uint32_t> latest_first(std::size_t count, TimeOf time_of) {
    constexpr std::size_t buckets = std::size_t{1} << 16;
    double latest = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const double time = time_of(n);
        if (std::isfinite(time) && time > latest) latest = time;
    }
    const double scale = latest > 0 ? (buckets - 1) / latest : 0;
    const auto bucket_of = [&](double time) {
        return buckets - 1 - static_cast<std::size_t>(time * scale);
    };
    std::vector<std::uint32_t> first(buckets + 1, 0);
    for (std::size_t n = 0; n < count; ++n) {
        const double time = time_of(n);
        if (std::isfinite(time)) ++first[bucket_of(time) + 1];
    }
    for (std::size_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
    std::vector<std::uint32_t> order(first[buckets]);
    for (std::size_t n = 0; n < count; ++n) {
        const double time = time_of(n);
        if (std::isfinite(time)) order[first[bucket_of(time)]++] = static_cast<std::uint32_t>(n);
    }
    return order;
}

}  // namespace fermat
