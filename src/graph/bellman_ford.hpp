#pragma once

#include <span>

#include "graph/graph.hpp"

namespace fermat {

/// Relaxes tiles of nodes, in parallel, until nothing changes (papers 1 and 2 of docs/papers.md).
/// The result is the same for any number of threads. Before the call, `field` must contain the
/// times and predecessors of the links of the source and nothing else.
void bellman_ford(const Graph& graph, std::span<const Link> links, int threads, GraphField& field,
                  Monitor& monitor);

}  // namespace fermat
