#pragma once

#include <span>

#include "core/execution.hpp"
#include "eikonal/time_field.hpp"
#include "graph/graph.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Rays of one event, from its tree of shortest paths to listeners in the closed box. The source
/// must not be in air.
RaySet trace_graph_rays(const Model& model, const Graph& graph, const PointSource& source,
                        std::int32_t event, const Listeners& to, const Execution& execution);

}  // namespace fermat
