#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "graph/graph_view.hpp"

// Predecessors from times that are at rest: a function of the times alone, whatever order they were
// found in.

namespace fermat {

/// The first edge by which an earlier neighbour gives a node its very time; from_nowhere where no
/// wave arrives, where the source itself gives it, and where the waves that give it took no time.
/// weight(edge) is one of the node's.
template <class Weight>
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

/// The same of a node that it left out: edges so short that rounding swallows their time lead to a
/// neighbour of the same time. Only one that has a predecessor itself will do, which rules out
/// going in circles; to be repeated until no node is left.
template <class Weight>
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
