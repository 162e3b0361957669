#pragma once

#include "graph/graph.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Rays of one event, from its tree of shortest paths to listeners in the closed box.
RaySet trace_graph_rays(const Model& model, const Graph& graph, const GraphField& field,
                        std::int32_t event, const Listeners& to);

}  // namespace fermat
