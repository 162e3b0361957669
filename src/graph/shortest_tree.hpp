#pragma once

#include <cmath>
#include <concepts>

#include "core/host_device.hpp"
#include "graph/graph_view.hpp"

// Predecessors from final times. They depend on the times only, not on the order in which these
// were found.

namespace fermat {

/// weight(edge) returns the time along an edge of the node in question.
template <class Weight>
concept NodeWeight = requires(Weight weight, int edge) {
    { weight(edge) } -> std::convertible_to<float>;
};

/// The first edge by which an earlier neighbour gives a node exactly its time. from_nowhere if no
/// wave arrives, if the node has its time from the source itself, or if only neighbours of the same
/// time give it.
template <NodeWeight Weight>
FERMAT_HD std::uint16_t earlier_neighbour(const GraphView& graph, const float* times,
                                          std::size_t place, Weight weight) {
    const float time = times[place];
    if (!(time < INFINITY)) return from_nowhere;
    for (int e = 0; e < graph.edges; ++e) {
        const float other = times[static_cast<std::ptrdiff_t>(place) + graph.step[e]];
        if (other < time && other + weight(e) == time) {
            return static_cast<std::uint16_t>(e);
        }
    }
    return from_nowhere;
}

/// The predecessor of a node for which earlier_neighbour found none: along an edge so short that
/// its time is lost in rounding, to a neighbour of the same time. That neighbour must have a
/// predecessor itself, which rules out cycles. Repeat this until no node is left.
template <NodeWeight Weight>
FERMAT_HD std::uint16_t equal_neighbour(const GraphView& graph, const float* times,
                                        const std::uint16_t* predecessor, std::size_t place,
                                        Weight weight) {
    const float time = times[place];
    for (int e = 0; e < graph.edges; ++e) {
        const std::ptrdiff_t other = static_cast<std::ptrdiff_t>(place) + graph.step[e];
        if (times[other] == time && predecessor[other] != from_nowhere &&
            time + weight(e) == time) {
            return static_cast<std::uint16_t>(e);
        }
    }
    return from_nowhere;
}

}  // namespace fermat
