#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "model/model.hpp"
#include "rays/bending/rays.hpp"

namespace fermat::detail {

// Functions that the CPU and CUDA drivers of bending share.

/// Pairs sorted by source; pairs of one source keep their order. Throws InputError for indices out
/// of range.
std::vector<RayPair> sorted_pairs(const RayJob& job);

/// Calls lot(pairs) for batches of some thousand pairs. A batch ends between two sources where
/// possible, so that the field of a source is not solved twice for its seeds.
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

/// Number of segments of a ray: the power of two for which no segment of the straight line is
/// longer than `segment`.
int segments_for(double length, double segment);

/// Length of the longest segment of rays in a model.
double segment_length(const BendingOptions& options, const Grid& grid);

/// 1/v on the nodes, 0 in air.
Field<float> slowness_of(const Model& model);

}  // namespace fermat::detail
