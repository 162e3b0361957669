#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "model/model.hpp"
#include "rays/bending/rays.hpp"

namespace fermat::detail {

// What the CPU's and the CUDA device's drivers of bending share.

/// By source, within a source as they came. Throws InputError for pairs that name no point.
std::vector<RayPair> sorted_pairs(const RayJob& job);

/// Calls lot(pairs) for some thousand pairs at a time. A lot ends with a source where it can, so
/// that a source's field is not solved twice for its seeds.
template <class Lot>
void for_each_lot(std::span<const RayPair> pairs, Lot lot) {
    constexpr std::size_t most = 16384;
    for (std::size_t first = 0; first < pairs.size();) {
        std::size_t end = std::min(pairs.size(), first + most);
        if (end < pairs.size()) {
            std::size_t cut = end;
            while (cut > first && pairs[cut - 1].source == pairs[end].source) --cut;
            if (cut > first) end = cut;
        }
        lot(pairs.subspan(first, end - first));
        first = end;
    }
}

/// Segments of a ray: a power of two, none longer than `segment` on the straight line.
int segments_for(double length, double segment);

/// Longest segment of rays in a model.
double segment_length(const BendingOptions& options, const Grid& grid);

/// 1/v on the nodes, 0 in air.
Field<float> slowness_of(const Model& model);

}  // namespace fermat::detail
