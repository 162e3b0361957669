#include "rays/rays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/solve_factored.hpp"
#include "rays/bending/rays.hpp"
#include "rays/cells/cell_rays.hpp"
#include "rays/cells/descent.hpp"
#include "rays/descent.hpp"
#include "rays/escape.hpp"
#include "rays/event_tracer.hpp"
#include "rays/grid_descent.hpp"
#include "rays/integrate.hpp"
#include "rays/metric_rays.hpp"
#include "rays/rays_cuda.hpp"
#include "rays/reciprocity.hpp"
#include "rays/trace.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

using View = TimeFieldView<float>;

/// Traces the rays of one field.
class FieldTracer {
  public:
    /// The model and the field must outlive this object.
    FieldTracer(const Model& model, const View& field, const RayOptions& options)
        : model_(model), field_(field), options_(options) {
        const bool settles = options.tracer != Tracer::grid && field.cells.exist();
        if (settles) in_cells_.emplace(model, field);
    }

    /// Traces a ray and adds it to a set.
    void trace(Vec3 receiver, RayInfo info, RaySet& set) const {
        const std::size_t first = set.points.size();
        info.field_time = time_at(field_, receiver);
        if (in_air(model_, receiver)) {
            info.status = RayStatus::receiver_in_air;
            set.points.push_back(receiver);
        } else if (in_cells_ && options_.tracer == Tracer::descent) {
            settle(receiver, info, set.points);
        } else {
            info.status = walk(receiver, options_.tracer, set.points);
        }
        finish(first, info, set);
        if (options_.tracer == Tracer::cells && info.status == RayStatus::ok && late(info)) {
            set.points.resize(first);
            if (in_cells_) {
                settle(receiver, info, set.points);
            } else {
                info.status = walk(receiver, Tracer::descent, set.points);
            }
            finish(first, info, set);
        }
        const bool judged = is_judged(model_, options_.tracer);
        if (judged && info.status == RayStatus::ok && late(info)) info.status = RayStatus::late;
        set.close(info);
    }

  private:
    RayStatus walk(Vec3 receiver, Tracer tracer, std::vector<Vec3>& points) const {
        const auto trace = [&](auto propose) {
            return trace_ray(field_, receiver, propose, BreadthFirstEscape<float>{field_},
                             [&](Vec3 p) { points.push_back(p); });
        };
        switch (tracer) {
            case Tracer::cells:
                return trace(CellProposal<float, Space::host>{field_});
            case Tracer::grid:
                return trace(GridProposal<float, Space::host>{field_, options_.directions});
            default:
                return trace(DescentProposal<float, Space::host>{field_});
        }
    }
    void settle(Vec3 receiver, RayInfo& info, std::vector<Vec3>& points) const {
        const CellRays::Ray ray = in_cells_->trace(receiver);
        info.status = ray.status;
        info.field_time = field_.start_time + ray.field_time;
        points.insert(points.end(), ray.points.begin(), ray.points.end());
    }
    /// Sets time and length of a ray by integrals along its path.
    void finish(std::size_t first, RayInfo& info, const RaySet& set) const {
        const PathIntegral along = integrate_path(model_, std::span(set.points).subspan(first));
        info.length = along.length;
        info.time = info.status == RayStatus::ok ? field_.start_time + along.time
                                                 : std::numeric_limits<double>::infinity();
    }
    bool late(const RayInfo& info) const {
        return is_late(info.time - field_.start_time, info.field_time - field_.start_time);
    }

    const Model& model_;
    const View& field_;
    const RayOptions& options_;
    std::optional<CellRays> in_cells_;
};

/// Passes finished sets on in the order of their indices.
class InOrder {
  public:
    explicit InOrder(const std::function<void(RaySet&&)>& consume) : consume_(consume) {}

    void put(std::size_t number, RaySet&& set) {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(number, std::move(set));
        for (auto it = waiting_.find(next_); it != waiting_.end(); it = waiting_.find(next_)) {
            consume_(std::move(it->second));
            waiting_.erase(it);
            ++next_;
        }
    }

  private:
    const std::function<void(RaySet&&)>& consume_;
    std::mutex mutex_;
    std::map<std::size_t, RaySet> waiting_;
    std::size_t next_ = 0;
};

/// Skips events in air and events without arrivals, which need no field.
void trace_on_cuda(const Model& model, const Survey& survey, const ArrivalLists& lists,
                   const RayOptions& options, const Execution& execution, InOrder& in_order) {
    std::vector<std::size_t> alive;
    for (std::size_t e = 0; e < lists.size(); ++e) {
        if (lists[e].empty()) {
            in_order.put(e, {});
        } else if (in_air(model, model.grid().clamp(survey.events[e].position))) {
            in_order.put(e, rays_of_dead_event(static_cast<std::int32_t>(e),
                                               listeners_of(survey, lists[e])));
            execution.monitor.advance(static_cast<std::int64_t>(lists[e].size()));
        } else {
            alive.push_back(e);
        }
    }
    if (alive.empty()) return;
    trace_each_on_cuda(model, survey, alive, lists, options, execution,
                       [&](std::size_t e, RaySet&& set) { in_order.put(e, std::move(set)); });
}

/// Solves the field of each event and traces its rays, in parallel over events. If there are fewer
/// events than threads, each event gets several threads.
void trace_each(const Model& model, const Survey& survey, const RayOptions& options,
                const Execution& execution, const std::function<void(RaySet&&)>& consume,
                Notes& notes) {
    Monitor& monitor = execution.monitor;
    const ArrivalLists lists = by_event(survey);
    const auto count = static_cast<std::int64_t>(lists.size());
    InOrder in_order(consume);
    // Of other than plain models the device solves the fields, and the CPU traces.
    if (model.is_plain() && options.tracer != Tracer::graph &&
        traces_on_cuda(options, execution.device, model)) {
        trace_on_cuda(model, survey, lists, options, execution, in_order);
        return;
    }
    const EventTracer tracer(model, options, execution);
    for_each_by_teams(count, resolve_threads(execution.threads), [&](std::int64_t i, int team) {
        monitor.check();
        const auto e = static_cast<std::size_t>(i);
        in_order.put(e, tracer.trace(survey.events[e].source(), static_cast<std::int32_t>(i),
                                     listeners_of(survey, lists[e]), execution.with_threads(team)));
        monitor.advance(static_cast<std::int64_t>(lists[e].size()));
    });
    tracer.tell(notes);
}

}  // namespace

void bend_survey(const Model& model, const Survey& survey, const RayOptions& options,
                 const Execution& execution, const std::function<void(RaySet&&)>& consume) {
    require_nodes(model, "tracer 'bending'");
    require_plain(model, "tracer 'bending'");
    const StartSet& starts = options.bending.starts;
    const bool seeded = starts.has(RayStart::descent) || starts.has(RayStart::graph);
    if (on_cuda(execution.device, seeded ? "seeded rays are bent on the CPU" : "")) {
        require_one_device("tracer 'bending'");
        bend_rays_cuda(model, survey, options.bending, execution.monitor, consume);
        return;
    }
    const SeedRays seed = [&](RayStart start, std::span<const std::int32_t> arrivals) {
        RayOptions other = options;
        other.tracer = parse_choice<Tracer>(name_of(start));
        Monitor stop_only({}, [&] { return execution.monitor.stop_requested(); });
        return trace_rays(model, subset(survey, arrivals), other, execution.heard_by(stop_only));
    };
    bend_rays(model, survey, options.bending, execution, seed, consume);
}

bool traces_on_cuda(const RayOptions& options, Device device, const Model& model) {
    if (model.is_plain()) return on_cuda(options.eikonal, device, model);
    return on_cuda(device, fmt::format("rays in {} are traced on the CPU", model.medium_name()));
}

void validate(const RayOptions& options, const Grid& grid) {
    validate(options.eikonal);
    validate(options.bending);
    if (options.tracer == Tracer::graph) validate(options.graph, grid);
    validate_options(options);
    if (options.tracer == Tracer::grid && !grid.is_2d()) {
        throw InputError("tracer 'grid' is for 2-D models (use 'descent' or 'cells' in 3-D)");
    }
}

RaySet trace_rays(const Model& model, const TimeField& field, std::int32_t event,
                  const Listeners& to, const RayOptions& options, const Execution& execution) {
    if (!follows_a_field(options.tracer)) {
        throw InputError(fmt::format("tracer '{}' does not follow a time field (use 'descent')",
                                     name_of(options.tracer)));
    }
    if (field.factor.is_front()) {
        throw InputError("the times are those of a front (rays lead back to a point source)");
    }
    require_all_times(options.eikonal, "rays need whole fields: leave it out");
    View view = field.view();
    view.has_gaps = model.has_air();
    view.cells = model.jumping_cells();
    const FieldTracer tracer(model, view, options);
    const int threads = resolve_threads(execution.threads);
    // A task holds several rays, so that scheduling costs little.
    constexpr std::int64_t share = 16;
    const auto count = static_cast<std::int64_t>(to.positions.size());
    const std::int64_t tasks = threads == 1 ? 1 : (count + share - 1) / share;
    std::vector<RaySet> parts(static_cast<std::size_t>(tasks));
    parallel_for(tasks, threads, [&](std::int64_t task) {
        const std::int64_t end = tasks == 1 ? count : std::min(count, (task + 1) * share);
        for (std::int64_t n = task * share; n < end; ++n) {
            if (n % share == 0) execution.monitor.check();
            const auto i = static_cast<std::size_t>(n);
            tracer.trace(model.grid().clamp(to.positions[i]), {event, to.stations[i]},
                         parts[static_cast<std::size_t>(task)]);
        }
    });
    RaySet set;
    for (RaySet& part : parts) set.append(std::move(part));
    return set;
}

namespace {

void trace_phase(const Model& model, const Survey& survey, const RayOptions& options,
                 const Execution& execution, const std::function<void(RaySet&&)>& consume,
                 Notes& notes) {
    Monitor& monitor = execution.monitor;
    if (options.tracer == Tracer::bending) {
        bend_survey(model, survey, options, execution, consume);
        return;
    }
    const bool exchange = model.is_plain() && options.tracer == Tracer::descent &&
                          options.reciprocity == Reciprocity::automatic &&
                          exchange_pays(model.grid(), survey);
    monitor.begin("rays", static_cast<std::int64_t>(survey.arrivals.size()));
    if (exchange) {
        RaySet all;
        trace_each(
            model, exchanged(survey), options, execution,
            [&](RaySet&& set) { all.append(std::move(set)); }, notes);
        turn_round(model, survey, all, consume);
    } else {
        trace_each(model, survey, options, execution, consume, notes);
    }
    monitor.end();
}

}  // namespace

void for_each_event_rays(const Medium& medium, const Survey& survey, const RayOptions& options,
                         const Execution& execution, const std::function<void(RaySet&&)>& consume,
                         Notes* told) {
    Notes unheard;
    Notes& notes = told != nullptr ? *told : unheard;
    validate(options, medium.grid());
    resolve_threads(execution.threads);
    validate(survey, medium.first());
    require_phases(medium, survey);
    const std::vector<Phase> phases = phases_of(survey);
    if (phases.size() < 2 && (phases.empty() || phases.front() == Phase::P)) {
        trace_phase(medium.first(), survey, options, execution, consume, notes);
        return;
    }
    for (const Phase phase : phases) {
        trace_phase(
            medium.of(phase), subset(survey, arrivals_of(survey, phase)), options, execution,
            [&](RaySet&& set) {
                for (RayInfo& ray : set.rays) ray.phase = phase;
                consume(std::move(set));
            },
            notes);
    }
}

RaySet trace_rays(const Medium& medium, const Survey& survey, const RayOptions& options,
                  const Execution& execution, Notes* told) {
    RaySet all;
    for_each_event_rays(
        medium, survey, options, execution, [&](RaySet&& set) { all.append(std::move(set)); },
        told);
    return all;
}

}  // namespace fermat
