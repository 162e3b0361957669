#pragma once

#include "graph/graph_view.hpp"

namespace fermat {

/// The time along an edge as the graph holds it.
inline float edge_weight(const GraphView& graph, std::size_t place, int edge) {
    return graph.stored != nullptr ? *stored_weight(graph, place, edge)
                                   : computed_weight(graph, place, edge);
}

}  // namespace fermat
