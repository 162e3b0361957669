#pragma once

#include <vector>

#include "core/monitor.hpp"
#include "graph/graph_view.hpp"
#include "model/model.hpp"

namespace fermat {

// What a graph computes once, before its first source.

/// Slowness in the graph's memory: infinite in air and in the border.
std::vector<float> make_slowness(const Model& model, const GraphView& graph);

/// The mean slowness of all nodes in rock.
double mean_slowness(const GraphView& graph);

/// For every eight consecutive nodes in memory, a lower bound of the slowness in the boxes of the
/// star's radius round them. An edge of these nodes takes at least its length times this bound; the
/// bound allows for rounding of weights.
std::vector<float> make_least_slowness(const GraphView& graph);

/// Computes the times of all edges, each once, at its lower end. Infinite at the border.
void make_weights(const GraphView& graph, float* weights, int threads, Monitor& monitor);

}  // namespace fermat
