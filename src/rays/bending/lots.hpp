#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "model/model.hpp"
#include "rays/bending/rays.hpp"

namespace fermat::detail {

// Functions that the CPU and CUDA drivers of bending share.

/// Calls bend(arrivals) for batches of some thousand arrivals, sorted by event. A batch ends
/// between two events where possible, so that the field of an event is not solved twice for its
/// seeds.
template <class Bend>
void for_each_batch(const Survey& survey, Bend bend) {
    constexpr std::size_t most = 16384;
    const std::vector<std::int32_t> sorted = sorted_by_event(survey);
    const auto event = [&](std::size_t n) {
        return survey.arrivals[static_cast<std::size_t>(sorted[n])].event;
    };
    for (std::size_t first = 0; first < sorted.size();) {
        std::size_t end = std::min(sorted.size(), first + most);
        if (end < sorted.size()) {
            std::size_t cut = end;
            while (cut > first && event(cut - 1) == event(end)) --cut;
            if (cut > first) end = cut;
        }
        bend(std::span<const std::int32_t>(sorted).subspan(first, end - first));
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
