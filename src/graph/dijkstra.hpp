#pragma once

#include <span>

#include "graph/graph.hpp"

namespace fermat {

/// Settles nodes in the order of their times (Dijkstra 1959; Moser 1991). Before the call, `field`
/// must contain the times and predecessors of the links of the source and nothing else.
void dijkstra(const Graph& graph, std::span<const Link> links, GraphField& field, Monitor& monitor);

}  // namespace fermat
