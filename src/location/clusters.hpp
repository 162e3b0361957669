#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/notes.hpp"
#include "location/differences.hpp"

namespace fermat {

/// Events that differences link to one another, directly or by others.
struct Clusters {
    std::vector<int> of;     ///< per event; -1: it is linked to none
    std::vector<int> sizes;  ///< the largest first
};

/// `order` holds the numbers of differences, those of a pair together. Two events are linked if
/// they share at least `least_links` of them.
Clusters find_clusters(std::size_t events, std::span<const TimeDifference> differences,
                       std::span<const std::int32_t> order, int least_links);

/// Notes how many clusters there are and how many events are in none.
void tell_clusters(const Clusters& clusters, std::size_t events, int least_links, Notes& notes);

}  // namespace fermat
