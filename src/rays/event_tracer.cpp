#include "rays/event_tracer.hpp"

#include <limits>
#include <span>

#include "core/stopwatch.hpp"
#include "rays/graph_rays.hpp"
#include "rays/metric_rays.hpp"

namespace fermat {
namespace {

/// Bends the rays of one event, which keep the numbers that the caller gave them.
RaySet bend_event(const Model& model, const PointSource& source, std::int32_t event,
                  const Listeners& to, const RayOptions& options, const Execution& execution) {
    Monitor stop_only({}, [&] { return execution.monitor.stop_requested(); });
    RaySet rays;
    bend_survey(model, survey_of(std::span(&source, 1), to.positions), options,
                execution.heard_by(stop_only), [&](RaySet&& set) { rays.append(std::move(set)); });
    for (std::size_t r = 0; r < rays.size(); ++r) {
        rays.rays[r].source = event;
        rays.rays[r].receiver = to.stations[r];
    }
    return rays;
}

}  // namespace

EventTracer::EventTracer(const Model& model, const RayOptions& options, const Execution& execution)
    : model_(model), options_(options) {
    if (!model.is_plain()) {
        metric_.emplace(metric_solver(model, options, execution));
        return;
    }
    if (options.tracer == Tracer::graph) graph_.emplace(model, options.graph, execution);
}

RaySet EventTracer::trace(const PointSource& source, std::int32_t event, const Listeners& to,
                          const Execution& execution, EventWork* work) const {
    double* const field_seconds = work == nullptr ? nullptr : &work->field_seconds;
    if (to.positions.empty()) return {};
    if (metric_) return trace_metric_event(*metric_, source, event, to, execution, work);
    if (in_air(model_, model_.place().nearest(source.position)))
        return rays_of_dead_event(event, to);
    if (options_.tracer == Tracer::bending) {
        return bend_event(model_, source, event, to, options_, execution);
    }
    if (graph_) return trace_graph_rays(model_, *graph_, source, event, to, execution);
    const Stopwatch watch;
    const TimeField field = solve(model_, source, options_.eikonal, execution);
    if (field_seconds != nullptr) *field_seconds = watch.seconds();
    return trace_rays(model_, field, event, to, options_, execution);
}

RaySet rays_of_dead_event(std::int32_t event, const Listeners& to) {
    RaySet set;
    for (std::size_t n = 0; n < to.positions.size(); ++n) {
        constexpr double never = std::numeric_limits<double>::infinity();
        set.append({event, to.stations[n], never, never, 0, RayStatus::source_in_air},
                   std::span(&to.positions[n], 1));
    }
    return set;
}

}  // namespace fermat
