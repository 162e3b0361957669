#pragma once

#include <span>

#include "graph/graph.hpp"

namespace fermat {

/// Settles nodes in the order of their times (Dijkstra 1959; Moser 1991). Times and predecessors of
/// `field` hold the source's links and nothing else.
void dijkstra(const Graph& graph, std::span<const Link> links, GraphField& field, Monitor& monitor);

}  // namespace fermat
