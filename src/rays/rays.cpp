#include "rays/rays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/solve_factored.hpp"
#include "eikonal/source_paths.hpp"
#include "rays/cells/descent.hpp"
#include "rays/cells/jumping_descent.hpp"
#include "rays/cells/relax.hpp"
#include "rays/descent.hpp"
#include "rays/escape.hpp"
#include "rays/graph_rays.hpp"
#include "rays/grid_descent.hpp"
#include "rays/integrate.hpp"
#include "rays/rays_cuda.hpp"
#include "rays/reciprocity.hpp"
#include "rays/trace.hpp"

namespace fermat {
namespace {

using View = TimeFieldView<float>;

RayStatus trace_points(const View& field, Vec3 receiver, const RayOptions& options,
                       std::vector<Vec3>& points) {
    const auto trace = [&](auto propose) {
        return trace_ray(field, receiver, propose, BreadthFirstEscape<float>{field},
                         [&](Vec3 p) { points.push_back(p); });
    };
    switch (options.tracer) {
        case Tracer::cells:
            return trace(CellProposal<float, Space::host>{field});
        case Tracer::grid:
            return trace(GridProposal<float, Space::host>{field, options.directions});
        default:
            return field.cells.exist() ? trace(JumpingDescent<float, Space::host>{field})
                                       : trace(DescentProposal<float, Space::host>{field});
    }
}

/// Traces a ray and adds it to a set.
void trace_one(const Model& model, const View& field, const SourcePaths* near,
               const RayOptions& options, Vec3 receiver, RayInfo info, RaySet& set) {
    const std::size_t first = set.points.size();
    info.field_time = time_at(field, receiver);
    if (in_air(model, receiver)) {
        info.status = RayStatus::receiver_in_air;
        set.points.push_back(receiver);
    } else {
        info.status = trace_points(field, receiver, options, set.points);
        const bool arrived = info.status == RayStatus::ok;
        if (near != nullptr && arrived) settle_in_cells(model, *near, set.points, first);
    }
    const PathIntegral along = integrate_path(model, std::span(set.points).subspan(first));
    info.length = along.length;
    info.time = info.status == RayStatus::ok ? field.start_time + along.time
                                             : std::numeric_limits<double>::infinity();
    set.close(info);
}

RaySet rays_of_dead_source(std::int32_t source_number, std::span<const Vec3> receivers,
                           std::span<const std::int32_t> numbers) {
    RaySet set;
    for (std::size_t n = 0; n < receivers.size(); ++n) {
        constexpr double never = std::numeric_limits<double>::infinity();
        set.append({source_number, numbers[n], never, never, 0, RayStatus::source_in_air},
                   std::span(&receivers[n], 1));
    }
    return set;
}

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

/// The receivers of each source, in the order of the pairs.
std::vector<std::vector<std::int32_t>> by_source(std::span<const RayPair> pairs,
                                                 std::size_t sources, std::size_t receivers) {
    std::vector<std::vector<std::int32_t>> lists(sources);
    for (const RayPair& pair : pairs) {
        const bool good = pair.source >= 0 && static_cast<std::size_t>(pair.source) < sources &&
                          pair.receiver >= 0 && static_cast<std::size_t>(pair.receiver) < receivers;
        if (!good) {
            throw InputError(fmt::format(
                "pair ({}, {}) names a source or receiver that is not there (there are {} and {})",
                pair.source, pair.receiver, sources, receivers));
        }
        lists[static_cast<std::size_t>(pair.source)].push_back(pair.receiver);
    }
    return lists;
}

/// A survey sorted by source: the receivers of each source.
struct SourceLists {
    const Model& model;
    std::span<const PointSource> sources;
    std::span<const Vec3> receivers;
    std::vector<std::vector<std::int32_t>> lists;  ///< receivers of each source
    const Graph* graph = nullptr;                  ///< for tracer `graph`, else null
};

/// Skips sources in air and sources without receivers, which need no field.
void trace_on_cuda(const SourceLists& survey, const RayOptions& options, const Execution& execution,
                   InOrder& in_order) {
    std::vector<std::size_t> alive;
    for (std::size_t s = 0; s < survey.sources.size(); ++s) {
        const std::vector<std::int32_t>& list = survey.lists[s];
        const Vec3 place = survey.model.grid().clamp(survey.sources[s].position);
        if (list.empty()) {
            in_order.put(s, {});
        } else if (in_air(survey.model, place)) {
            std::vector<Vec3> places;
            for (const std::int32_t r : list) {
                places.push_back(survey.receivers[static_cast<std::size_t>(r)]);
            }
            in_order.put(s, rays_of_dead_source(static_cast<std::int32_t>(s), places, list));
            execution.monitor.advance(static_cast<std::int64_t>(list.size()));
        } else {
            alive.push_back(s);
        }
    }
    if (alive.empty()) return;
    trace_each_on_cuda(survey.model, survey.sources, alive, survey.receivers, survey.lists, options,
                       execution,
                       [&](std::size_t s, RaySet&& set) { in_order.put(s, std::move(set)); });
}

/// Solves the field of each source and traces its rays, in parallel over sources. If there are
/// fewer sources than threads, each source gets several threads.
void trace_each(const SourceLists& survey, const RayOptions& options, const Execution& execution,
                const std::function<void(RaySet&&)>& consume) {
    Monitor& monitor = execution.monitor;
    const Model& model = survey.model;
    const auto count = static_cast<std::int64_t>(survey.sources.size());
    InOrder in_order(consume);
    if (survey.graph == nullptr && on_cuda(options.eikonal, execution.device, model)) {
        trace_on_cuda(survey, options, execution, in_order);
        return;
    }
    for_each_by_teams(count, resolve_threads(execution.threads), [&](std::int64_t i, int team) {
        monitor.check();
        const Execution own = execution.with_threads(team);
        const auto s = static_cast<std::size_t>(i);
        const PointSource& source = survey.sources[s];
        const std::vector<std::int32_t>& list = survey.lists[s];
        std::vector<Vec3> places;
        for (const std::int32_t r : list) {
            places.push_back(survey.receivers[static_cast<std::size_t>(r)]);
        }
        const auto number = static_cast<std::int32_t>(i);
        if (places.empty()) {
            in_order.put(s, {});
        } else if (in_air(model, model.grid().clamp(source.position))) {
            in_order.put(s, rays_of_dead_source(number, places, list));
        } else if (survey.graph != nullptr) {
            in_order.put(s,
                         trace_graph_rays(model, *survey.graph, source, number, places, list, own));
        } else {
            const TimeField field = solve(model, source, options.eikonal, own);
            in_order.put(s, trace_rays(model, field, number, places, list, options, own));
        }
        monitor.advance(static_cast<std::int64_t>(places.size()));
    });
}

/// Bends rays. The tracer named by a start makes its seeds.
void bend(const Model& model, const RayJob& job, const RayOptions& options,
          const Execution& execution, const std::function<void(RaySet&&)>& consume) {
    require_nodes(model, "tracer 'bending'");
    const StartSet& starts = options.bending.starts;
    const bool seeded = starts.has(RayStart::descent) || starts.has(RayStart::graph);
    if (on_cuda(execution.device, seeded ? "seeded rays are bent on the CPU" : "")) {
        bend_rays_cuda(model, job, options.bending, execution.monitor, consume);
        return;
    }
    const SeedRays seed = [&](RayStart start, std::span<const RayPair> pairs) {
        RayOptions other = options;
        other.tracer = parse_choice<Tracer>(name_of(start));
        Monitor stop_only({}, [&] { return execution.monitor.stop_requested(); });
        return trace_rays(model, job.sources, job.receivers, pairs, other,
                          execution.heard_by(stop_only));
    };
    bend_rays(model, job, options.bending, execution, seed, consume);
}

}  // namespace

void validate(const RayOptions& options, const Grid& grid) {
    validate(options.eikonal);
    validate(options.bending);
    if (options.tracer == Tracer::graph) validate(options.graph, grid);
    validate_options(options);
    if (options.tracer == Tracer::grid && !grid.is_2d()) {
        throw InputError("tracer 'grid' is for 2-D models (use 'descent' or 'cells' in 3-D)");
    }
}

std::vector<RayPair> all_pairs(std::size_t sources, std::size_t receivers) {
    std::vector<RayPair> pairs;
    pairs.reserve(sources * receivers);
    for (std::size_t s = 0; s < sources; ++s) {
        for (std::size_t r = 0; r < receivers; ++r) {
            pairs.push_back({static_cast<std::int32_t>(s), static_cast<std::int32_t>(r)});
        }
    }
    return pairs;
}

RaySet trace_rays(const Model& model, const TimeField& field, std::int32_t source_number,
                  std::span<const Vec3> receivers, std::span<const std::int32_t> receiver_numbers,
                  const RayOptions& options, const Execution& execution) {
    if (options.tracer == Tracer::bending || options.tracer == Tracer::graph) {
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
    std::optional<SourcePaths> near;
    if (options.tracer == Tracer::descent && view.cells.exist()) {
        near.emplace(model, field.factor.position);
        near->know_all();
    }
    const int threads = resolve_threads(execution.threads);
    // A task holds several rays, so that scheduling costs little.
    constexpr std::int64_t share = 16;
    const auto count = static_cast<std::int64_t>(receivers.size());
    const std::int64_t tasks = threads == 1 ? 1 : (count + share - 1) / share;
    std::vector<RaySet> parts(static_cast<std::size_t>(tasks));
    parallel_for(tasks, threads, [&](std::int64_t task) {
        const std::int64_t end = tasks == 1 ? count : std::min(count, (task + 1) * share);
        for (std::int64_t n = task * share; n < end; ++n) {
            if (n % share == 0) execution.monitor.check();
            const auto i = static_cast<std::size_t>(n);
            trace_one(model, view, near ? &*near : nullptr, options,
                      model.grid().clamp(receivers[i]), {source_number, receiver_numbers[i]},
                      parts[static_cast<std::size_t>(task)]);
        }
    });
    RaySet set;
    for (RaySet& part : parts) set.append(std::move(part));
    return set;
}

void for_each_source_rays(const Model& model, std::span<const PointSource> sources,
                          std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                          const RayOptions& options, const Execution& execution,
                          const std::function<void(RaySet&&)>& consume) {
    Monitor& monitor = execution.monitor;
    const Grid& grid = model.grid();
    validate(options, grid);
    resolve_threads(execution.threads);
    const auto require = [&](Vec3 place, const char* what, std::size_t number) {
        if (is_finite(place) && grid.contains(place)) return;
        require_inside(grid, place, fmt::format("{} {}", what, number));
    };
    for (std::size_t s = 0; s < sources.size(); ++s) require(sources[s].position, "source", s);
    for (std::size_t r = 0; r < receivers.size(); ++r) require(receivers[r], "receiver", r);
    if (options.tracer == Tracer::bending) {
        bend(model, {sources, receivers, pairs}, options, execution, consume);
        return;
    }
    const bool exchange = options.tracer == Tracer::descent &&
                          options.reciprocity == Reciprocity::automatic &&
                          exchange_pays(grid, pairs);
    const auto lists = by_source(pairs, sources.size(), receivers.size());
    monitor.begin("rays", static_cast<std::int64_t>(pairs.size()));
    if (options.tracer == Tracer::graph) {
        const Graph graph(model, options.graph, execution);
        trace_each({model, sources, receivers, lists, &graph}, options, execution, consume);
    } else if (exchange) {
        const ExchangedSurvey survey(sources, receivers, pairs);
        RaySet all;
        trace_each({model, survey.sources(), survey.receivers(),
                    by_source(survey.pairs(), receivers.size(), sources.size())},
                   options, execution, [&](RaySet&& set) { all.append(std::move(set)); });
        survey.turn_round(model, all, consume);
    } else {
        trace_each({model, sources, receivers, lists}, options, execution, consume);
    }
    monitor.end();
}

RaySet trace_rays(const Model& model, std::span<const PointSource> sources,
                  std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                  const RayOptions& options, const Execution& execution) {
    RaySet all;
    for_each_source_rays(model, sources, receivers, pairs, options, execution,
                         [&](RaySet&& set) { all.append(std::move(set)); });
    return all;
}

}  // namespace fermat
