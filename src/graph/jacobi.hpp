#pragma once

#include <span>

#include "graph/graph.hpp"

namespace fermat {

/// Bellman and Ford's method as papers 1 and 2 have it (work_group.hpp), on the CPU: the work
/// groups of a pass in parallel. The result is the same for any number of threads. Before the call,
/// `field` must contain the times and predecessors of the links of the source and nothing else.
void jacobi(const Graph& graph, std::span<const Link> links, int threads, GraphField& field,
            Monitor& monitor);

}  // namespace fermat
