#pragma once

#include <span>

#include "graph/graph.hpp"

namespace fermat {

/// Relaxes tiles of nodes, in parallel, until nothing changes (papers 1 and 2). The result is the
/// same for any number of threads. Times and predecessors of `field` hold the source's links and
/// nothing else.
void bellman_ford(const Graph& graph, std::span<const Link> links, int threads, GraphField& field,
                  Monitor& monitor);

}  // namespace fermat
