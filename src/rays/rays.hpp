#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/options.hpp"
#include "model/model.hpp"
#include "rays/bending/options.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// How a ray is made. See "Rays" in docs/methods.md.
enum class Tracer {
    descent,  ///< continuous descent of the time field (default)
    cells,    ///< straight through each cell, as in Hole's tomography (paper 4)
    grid,     ///< from node to node by the angle of the gradient (paper 5; 2-D)
    bending,  ///< pseudo-bending between two points, without a time field (paper 3)
    graph,    ///< shortest paths on the grid graph (papers 1 and 2)
};
template <>
inline constexpr auto choices<Tracer> = choice_table<Tracer>("tracer",
                                                             {{"descent", Tracer::descent},
                                                              {"cells", Tracer::cells},
                                                              {"grid", Tracer::grid},
                                                              {"bending", Tracer::bending},
                                                              {"graph", Tracer::graph}});

/// Whether rays of a tracer go down a time field; the others need none.
inline bool follows_a_field(Tracer tracer) {
    return tracer == Tracer::descent || tracer == Tracer::cells || tracer == Tracer::grid;
}

/// Whether the program may solve the receivers' fields and trace from the sources.
enum class Reciprocity {
    automatic,  ///< yes for tracer `descent` with fewer receivers than sources
    off,
};
template <>
inline constexpr auto choices<Reciprocity> = choice_table<Reciprocity>(
    "reciprocity", {{"auto", Reciprocity::automatic}, {"off", Reciprocity::off}});

struct RayOptions {
    Tracer tracer = Tracer::descent;
    int directions = 16;       ///< for tracer `grid`: 8 or 16
    EikonalOptions eikonal;    ///< for the time field
    BendingOptions bending{};  ///< for tracer `bending`
    GraphOptions graph{};      ///< for tracer `graph`
    Reciprocity reciprocity = Reciprocity::automatic;
};
inline bool is_directions(const int& directions) { return directions == 8 || directions == 16; }
template <>
inline constexpr auto options_of<RayOptions> =
    std::tuple{Option{"tracer", &RayOptions::tracer, "method of the rays"},
               Option{"directions", &RayOptions::directions, "of tracer grid",
                      Rule<int>{&is_directions, "8 or 16"}},
               OptionPart{&RayOptions::bending},
               Option{"reciprocity", &RayOptions::reciprocity,
                      "auto: tracer descent solves from the receivers where they are fewer"}};

void validate(const RayOptions& options, const Grid& grid);

/// Whether rays that are later than their field get the status `late`: those in cells, and those of
/// tracer `cells`. Tracers that are coarse by nature are not judged.
inline bool is_judged(const Model& model, Tracer tracer) {
    return tracer == Tracer::cells || (tracer == Tracer::descent && model.cells() != nullptr);
}

/// Whether fields are solved and rays traced on the CUDA device. Throws InputError if `device`
/// demands it and the model or the options rule it out. In other than plain models the device
/// solves fields (eikonal.hpp) and the CPU traces.
bool traces_on_cuda(const RayOptions& options, Device device, const Model& model);

/// Traces rays in the solved field of one event, one per listener and in their order.
RaySet trace_rays(const Model& model, const TimeField& field, std::int32_t event,
                  const Listeners& to, const RayOptions& options, const Execution& execution = {});

/// Solves the field of each event, or of each station where reciprocity needs fewer fields, and
/// traces the rays of its arrivals. `consume` gets one RaySet per event, in the order of the
/// events, one call at a time; within an event, rays have the order of the arrivals. With two
/// phases, all events of P come first. Fields are not kept. Bent rays need no field; they come in
/// the same order, some thousand per call. An event in air, and a station in air or out of reach,
/// gives a ray with a status. A point outside the model, or a phase that the medium does not have,
/// throws InputError. `told`, where given, gets what is to be told of the fields.
void for_each_event_rays(const Medium& medium, const Survey& survey, const RayOptions& options,
                         const Execution& execution, const std::function<void(RaySet&&)>& consume,
                         Notes* told = nullptr);

/// Traces the rays of all arrivals and returns them in one set, in the order of ray_order().
RaySet trace_rays(const Medium& medium, const Survey& survey, const RayOptions& options,
                  const Execution& execution = {}, Notes* told = nullptr);

}  // namespace fermat
