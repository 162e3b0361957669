#include "rays/event_tracer.hpp"

#include <fmt/format.h>

#include <limits>
#include <span>

#include "core/stopwatch.hpp"
#include "eikonal/solve_factored.hpp"
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
        if (options.tracer != Tracer::descent) {
            require_plain(model, fmt::format("tracer '{}'", name_of(options.tracer)));
        }
        require_all_times(options.eikonal, "rays need whole fields: leave it out");
    }
    if (options.tracer == Tracer::bending) return;
    const TimeMethod method =
        options.tracer == Tracer::graph ? TimeMethod(options.graph) : TimeMethod(options.eikonal);
    solver_.emplace(model, method, execution);
}

RaySet EventTracer::trace(const PointSource& source, std::int32_t event, const Listeners& to,
                          const Execution& execution, EventWork* work) const {
    if (to.positions.empty()) return {};
    if (in_air(model_, model_.place().nearest(source.position)))
        return rays_of_dead_event(event, to);
    if (!solver_) return bend_event(model_, source, event, to, options_, execution);
    const Stopwatch watch;
    ArrivalField field = solver_->solve(source, execution);
    if (work != nullptr) work->field_seconds = watch.seconds();
    if (const MetricField* const metric = field.metric()) {
        if (work != nullptr) {
            work->first_order = metric->first_order;
            work->coarse_beside_jumps = metric->coarse_beside_jumps;
        }
        return trace_metric_rays(*metric, event, to, execution);
    }
    if (const ArrivalField::OnGraph on = field.on_graph(); on.graph != nullptr) {
        return trace_graph_rays(model_, *on.graph, *on.field, event, to);
    }
    return trace_rays(model_, *field.eikonal(), event, to, options_, execution);
}

void EventTracer::tell(Notes& notes) const {
    if (solver_) solver_->tell(notes);
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
