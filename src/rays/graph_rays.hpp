#pragma once

#include <span>

#include "core/execution.hpp"
#include "eikonal/time_field.hpp"
#include "graph/graph.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Rays of one source, from its tree of shortest paths to receivers in the closed box. The source
/// must not be in air. `receiver_numbers` become the receiver indices of the rays.
RaySet trace_graph_rays(const Model& model, const Graph& graph, const PointSource& source,
                        std::int32_t source_number, std::span<const Vec3> receivers,
                        std::span<const std::int32_t> receiver_numbers, const Execution& execution);

}  // namespace fermat
