#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/vec3.hpp"
#include "model/phase.hpp"

namespace fermat {

/// How late waves of an event came to a station, and how much that is believed.
struct TermPoint {
    Vec3 place;  ///< of the event
    double time = 0;
    double weight = 1;
};

/// By how much waves come later to a station than the model says: the same for all events, or -
/// with a radius - as it was for events nearby (source-specific station terms, Richards-Dinger &
/// Shearer 2000).
struct DelayTerms {
    using PerPhase = std::array<double, phase_count>;

    std::vector<PerPhase> fixed;  ///< per station; 0 where nothing is known
    /// Per station and phase, in the order of their x; empty: terms are the same for all events.
    std::vector<std::array<std::vector<TermPoint>, phase_count>> points;
    double radius = 0;  ///< of the weights exp(-d^2 / 2 R^2) of events at the distance d

    bool by_place() const { return radius > 0; }
    /// The mean of near points, and of a mean over a wider area with the weight of one point.
    double at(std::int32_t station, Phase phase, Vec3 place) const;
    /// Puts points in their order.
    void sort_points();
};

}  // namespace fermat
