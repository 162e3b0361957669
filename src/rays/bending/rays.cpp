#include "rays/bending/rays.hpp"

#include <fmt/format.h>

#include <map>

#include "core/error.hpp"
#include "rays/bending/driver.hpp"

namespace fermat {
namespace detail {

void resample(std::span<const Vec3> path, int segments, Vec3* points) {
    double length = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) length += distance(path[i], path[i + 1]);
    std::size_t at = 0;
    double passed = 0;
    for (int n = 0; n <= segments; ++n) {
        const double wanted = length * n / segments;
        double here = at + 1 < path.size() ? distance(path[at], path[at + 1]) : 0;
        while (at + 2 < path.size() && passed + here < wanted) {
            passed += here;
            ++at;
            here = distance(path[at], path[at + 1]);
        }
        const double share = here > 0 ? std::min(1.0, (wanted - passed) / here) : 0;
        points[n] = path[at] + share * (path[at + 1] - path[at]);
    }
    points[0] = path.front();
    points[segments] = path.back();
}

std::vector<std::vector<std::size_t>> tasks_of(const Survey& survey,
                                               std::span<const std::int32_t> arrivals,
                                               BendingTasks kind) {
    std::vector<std::vector<std::size_t>> tasks;
    std::map<std::int32_t, std::size_t> task_of;
    for (std::size_t n = 0; n < arrivals.size(); ++n) {
        std::size_t task = tasks.size();
        if (kind != BendingTasks::pairs) {
            const Arrival& arrival = survey.arrivals[static_cast<std::size_t>(arrivals[n])];
            const std::int32_t key = kind == BendingTasks::sources ? std::int32_t{arrival.event}
                                                                   : std::int32_t{arrival.station};
            task = task_of.try_emplace(key, task).first->second;
        }
        if (task == tasks.size()) tasks.emplace_back();
        tasks[task].push_back(n);
    }
    return tasks;
}

}  // namespace detail

namespace {

constexpr RayStart seed_starts[] = {RayStart::descent, RayStart::graph};

void require_no_seeds(const BendingOptions& options) {
    for (const RayStart start : seed_starts) {
        if (options.starts.has(start)) {
            throw InputError(fmt::format(
                "start '{}' needs a model on a grid (use straight, deep and sides for other "
                "velocities)",
                name_of(start)));
        }
    }
}

template <BendingMedium Medium>
RaySet bend_all(const Medium& medium, const Box& box, const Survey& survey,
                const BendingOptions& options, const Execution& execution) {
    validate(options);
    const int threads = resolve_threads(execution.threads);
    Monitor& monitor = execution.monitor;
    require_no_seeds(options);
    const auto check = [&](Vec3 p, std::string_view what, const auto& point) {
        if (!box.contains(p)) {
            throw InputError(fmt::format("{} {} at ({:g}, {:g}, {:g}) is outside the bounds", what,
                                         name_of(survey, point), p.x, p.y, p.z));
        }
    };
    for (const Event& event : survey.events) check(event.position, "source", event);
    for (const Station& station : survey.stations) check(station.position, "receiver", station);
    validate(survey);
    RaySet all;
    monitor.begin("rays", static_cast<std::int64_t>(survey.arrivals.size()));
    detail::for_each_batch(survey, [&](std::span<const std::int32_t> some) {
        const detail::BendingBatch<Medium> batch{
            medium, survey, some, {}, options.starts, options.segment, options.relaxations};
        const RaySet set = detail::bend_batch(batch, options.tasks, threads, monitor);
        for (std::size_t r = 0; r < set.size(); ++r) all.append(set.rays[r], set.path(r));
    });
    monitor.end();
    return all;
}

/// Diagonal of the box that holds all points: the length scale of the survey.
double extent_of(const Survey& survey) {
    Vec3 low{INFINITY, INFINITY, INFINITY};
    Vec3 high = -1.0 * low;
    const auto take = [&](Vec3 p) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    };
    for (const Event& event : survey.events) take(event.position);
    for (const Station& station : survey.stations) take(station.position);
    return norm(high - low);
}

}  // namespace

StartSet parse_starts(std::string_view names) {
    StartSet starts;
    for (std::size_t begin = 0; begin < names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        starts.add(parse_choice<RayStart>(names.substr(begin, end - begin)));
        begin = end + 1;
    }
    return starts;
}

std::string to_string(const StartSet& starts) {
    std::string names;
    for (const auto& [name, start] : choices<RayStart>.entries) {
        if (start == RayStart::none || !starts.has(start)) continue;
        if (!names.empty()) names += ',';
        names += name;
    }
    return names;
}

void validate(const BendingOptions& options) {
    if (options.starts.empty()) throw InputError("no start is given (use straight, at least)");
    if (options.starts.has(RayStart::none)) {
        throw InputError("start 'none' is no start (use straight, deep, sides or descent)");
    }
    validate_options(options);
}

void bend_rays(const Model& model, const Survey& survey, const BendingOptions& options,
               const Execution& execution, const SeedRays& seed,
               const std::function<void(RaySet&&)>& consume) {
    validate(options);
    const int threads = resolve_threads(execution.threads);
    Monitor& monitor = execution.monitor;
    validate(survey);
    const Field<float> slowness = detail::slowness_of(model);
    using OnGrid = GridMedium<Space::host>;
    const OnGrid medium(model.grid(), model.velocity(), slowness.view(), model.has_air());
    const double segment = detail::segment_length(options, model.grid());
    monitor.begin("rays", static_cast<std::int64_t>(survey.arrivals.size()));
    detail::for_each_batch(survey, [&](std::span<const std::int32_t> some) {
        std::vector<detail::SeedSet> seeds;
        for (const RayStart start : seed_starts) {
            if (options.starts.has(start)) seeds.push_back({start, seed(start, some)});
        }
        const detail::BendingBatch<OnGrid> batch{
            medium, survey, some, seeds, options.starts, segment, options.relaxations};
        consume(detail::bend_batch(batch, options.tasks, threads, monitor));
    });
    monitor.end();
}

RaySet bend_rays(const VelocityField& field, const Survey& survey, const BendingOptions& options,
                 const Execution& execution) {
    const FunctionMedium medium(field.velocity, field.box, field.is_2d, 1e-5 * extent_of(survey));
    return bend_all(medium, field.box, survey, options, execution);
}

RaySet bend_rays(const DepthMedium& medium, const Survey& survey, const BendingOptions& options,
                 const Execution& execution) {
    return bend_all(medium, medium.box(), survey, options, execution);
}

}  // namespace fermat
