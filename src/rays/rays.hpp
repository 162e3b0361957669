#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/graph.hpp"
#include "model/model.hpp"
#include "rays/bending/rays.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// How a ray is made (design 4.3).
enum class Tracer {
    descent,  ///< continuous descent of the time field: the default
    cells,    ///< straight through each cell, as in Hole's tomography (paper 4)
    grid,     ///< from node to node by the gradient's angle (paper 5; 2-D)
    bending,  ///< pseudo-bending from one point to the other, without a field (paper 3)
    graph,    ///< shortest paths on the grid graph (papers 1 and 2)
};
template <>
inline constexpr auto choices<Tracer> = choice_table<Tracer>("tracer",
                                                             {{"descent", Tracer::descent},
                                                              {"cells", Tracer::cells},
                                                              {"grid", Tracer::grid},
                                                              {"bending", Tracer::bending},
                                                              {"graph", Tracer::graph}});

/// Whether rays may be traced from the other end, by the receivers' fields.
enum class Reciprocity {
    automatic,  ///< with tracer `descent`, where the receivers are fewer than the sources
    off,
};
template <>
inline constexpr auto choices<Reciprocity> = choice_table<Reciprocity>(
    "reciprocity", {{"auto", Reciprocity::automatic}, {"off", Reciprocity::off}});

struct RayOptions {
    Tracer tracer = Tracer::descent;
    int directions = 16;       ///< of the grid tracer: 8 or 16
    EikonalOptions eikonal;    ///< of the field that rays descend
    BendingOptions bending{};  ///< of the bending tracer
    GraphOptions graph{};      ///< of the graph tracer
    Reciprocity reciprocity = Reciprocity::automatic;
};

void validate(const RayOptions& options, const Grid& grid);

/// Every source with every receiver, in that order.
std::vector<RayPair> all_pairs(std::size_t sources, std::size_t receivers);

/// Rays of one solved field to some receivers, in the order of `receivers`. `receiver_numbers`
/// become the rays' receiver indices.
RaySet trace_rays(const Model& model, const TimeField& field, std::int32_t source_number,
                  std::span<const Vec3> receivers, std::span<const std::int32_t> receiver_numbers,
                  const RayOptions& options, const Execution& execution = {});

/// Solves each source's field once, or each receiver's where reciprocity saves fields, and traces
/// its rays. `consume` gets one RaySet a source, in the order of the sources, one call at a time;
/// fields are not kept. Bent rays need no field and come
/// in the same order, some thousand a call. Sources in air and receivers in
/// air or outside reach give rays with a status, never an exception; points outside the model do.
void for_each_source_rays(const Model& model, std::span<const PointSource> sources,
                          std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                          const RayOptions& options, const Execution& execution,
                          const std::function<void(RaySet&&)>& consume);

/// The same, gathered. Rays come grouped by source; within a source in the order of `pairs`.
RaySet trace_rays(const Model& model, std::span<const PointSource> sources,
                  std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                  const RayOptions& options, const Execution& execution = {});

}  // namespace fermat
