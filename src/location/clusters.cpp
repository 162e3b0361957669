#include "location/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace fermat {
namespace {

/// The first event of a cluster; halves the way to it.
std::int32_t root_of(std::vector<std::int32_t>& parent, std::int32_t n) {
    while (parent[static_cast<std::size_t>(n)] != n) {
        auto& up = parent[static_cast<std::size_t>(n)];
        up = parent[static_cast<std::size_t>(up)];
        n = up;
    }
    return n;
}

}  // namespace

Clusters find_clusters(std::size_t events, std::span<const TimeDifference> differences,
                       std::span<const std::int32_t> order, int least_links) {
    std::vector<std::int32_t> parent(events);
    std::iota(parent.begin(), parent.end(), 0);
    const auto pair_of = [&](std::size_t n) {
        const TimeDifference& one = differences[static_cast<std::size_t>(order[n])];
        return std::pair(std::minmax(one.first, one.second));
    };
    std::size_t begin = 0;
    while (begin < order.size()) {
        const std::pair<std::int32_t, std::int32_t> pair = pair_of(begin);
        std::size_t end = begin + 1;
        while (end < order.size() && pair == std::pair<std::int32_t, std::int32_t>(pair_of(end))) {
            ++end;
        }
        if (end - begin >= static_cast<std::size_t>(least_links)) {
            const std::int32_t a = root_of(parent, pair.first);
            const std::int32_t b = root_of(parent, pair.second);
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
        begin = end;
    }
    std::vector<int> sizes(events, 0);
    for (std::size_t n = 0; n < events; ++n) {
        ++sizes[static_cast<std::size_t>(root_of(parent, static_cast<std::int32_t>(n)))];
    }
    std::vector<std::size_t> roots;
    for (std::size_t n = 0; n < events; ++n) {
        if (sizes[n] > 1) roots.push_back(n);
    }
    std::stable_sort(roots.begin(), roots.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    std::vector<int> number(events, -1);
    Clusters out;
    for (const std::size_t root : roots) {
        number[root] = static_cast<int>(out.sizes.size());
        out.sizes.push_back(sizes[root]);
    }
    for (std::size_t n = 0; n < events; ++n) {
        out.of.push_back(
            number[static_cast<std::size_t>(root_of(parent, static_cast<std::int32_t>(n)))]);
    }
    return out;
}

void tell_clusters(const Clusters& clusters, std::size_t events, int least_links, Notes& notes) {
    const auto alone = std::count(clusters.of.begin(), clusters.of.end(), -1);
    if (alone > 0) {
        notes.add(fmt::format(
            "{} of {} events share fewer than {} differences with any other and stay where they "
            "are (`least_links`)",
            alone, events, least_links));
    }
    if (clusters.sizes.size() < 2) return;
    std::string sizes;
    for (std::size_t n = 0; n < clusters.sizes.size() && n < 5; ++n) {
        sizes += fmt::format("{}{}", n == 0 ? "" : ", ", clusters.sizes[n]);
    }
    if (clusters.sizes.size() > 5) sizes += ", ...";
    notes.add(fmt::format(
        "the events fall into {} clusters that no difference links ({} events): places of one "
        "cluster to another are those that were given",
        clusters.sizes.size(), sizes));
}

}  // namespace fermat
