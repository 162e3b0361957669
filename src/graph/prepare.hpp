#pragma once

#include <vector>

#include "core/monitor.hpp"
#include "graph/graph_view.hpp"
#include "model/model.hpp"

namespace fermat {

// What a graph makes once, before its first source.

/// Slowness in the graph's memory: infinite in air and in the border.
std::vector<float> make_slowness(const Model& model, const GraphView& graph);

/// Of all rock.
double mean_slowness(const GraphView& graph);

/// For every eight nodes in a row of memory, a lower bound of the slowness in the boxes of the
/// star's radius round them: no edge of theirs takes less than its length times this. Rounding of
/// weights is allowed for.
std::vector<float> make_least_slowness(const GraphView& graph);

/// Times of all edges, each once at its lower end. Infinite at the border.
void make_weights(const GraphView& graph, float* weights, int threads, Monitor& monitor);

}  // namespace fermat
