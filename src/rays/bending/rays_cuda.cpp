#include <fmt/format.h>

#include "core/error.hpp"
#include "rays/bending/bending_cuda.hpp"
#include "rays/bending/lots.hpp"

namespace fermat {
namespace {

/// Bends the rays of one batch. Rays whose source or receiver is in air only get a status.
RaySet bend_batch(CudaBender& bender, const Model& model, const Survey& survey,
                  std::span<const std::int32_t> arrivals, const BendingOptions& options,
                  double& seconds) {
    constexpr std::size_t no_task = static_cast<std::size_t>(-1);
    const Grid& grid = model.grid();
    const double segment = detail::segment_length(options, grid);
    const auto arrival_of = [&](std::size_t n) -> const Arrival& {
        return survey.arrivals[static_cast<std::size_t>(arrivals[n])];
    };
    std::vector<RayInfo> rays(arrivals.size());
    std::vector<std::size_t> task_of(arrivals.size(), no_task);
    std::vector<BendTask> tasks;
    std::int64_t point_count = 0;
    for (std::size_t n = 0; n < arrivals.size(); ++n) {
        const Arrival& arrival = arrival_of(n);
        const Vec3 from = grid.clamp(survey.station_of(arrival).position);
        const Vec3 to = grid.clamp(survey.event_of(arrival).position);
        rays[n].source = arrival.event;
        rays[n].receiver = arrival.station;
        if (model.has_air() && in_air(model, to)) {
            rays[n].status = RayStatus::source_in_air;
        } else if (model.has_air() && in_air(model, from)) {
            rays[n].status = RayStatus::receiver_in_air;
        } else if (distance(from, to) > 0) {
            const int segments = detail::segments_for(distance(from, to), segment);
            task_of[n] = tasks.size();
            tasks.push_back({from, to, segments, point_count});
            point_count += segments + 1;
        }
    }
    std::vector<BentRay> winners(tasks.size());
    std::vector<Vec3> points(static_cast<std::size_t>(point_count));
    seconds += bender.bend(tasks, options.starts, options.relaxations, winners, points);

    RaySet set;
    set.rays.reserve(arrivals.size());
    set.points.reserve(points.size());
    for (std::size_t n = 0; n < arrivals.size(); ++n) {
        RayInfo& ray = rays[n];
        const Vec3 from = grid.clamp(survey.station_of(arrival_of(n)).position);
        const Vec3 here[] = {from, from};
        std::span<const Vec3> path(here, 1);
        BentRay winner;
        if (task_of[n] != no_task) {
            const BendTask& task = tasks[task_of[n]];
            winner = winners[task_of[n]];
            if (winner.start == RayStart::none) {
                ray.status = RayStatus::unreachable;
            } else {
                path = std::span<const Vec3>(points).subspan(
                    static_cast<std::size_t>(task.first_point),
                    static_cast<std::size_t>(task.segments) + 1);
            }
        } else if (ray.status == RayStatus::ok) {
            winner = {0, RayStart::straight};
            path = here;
        }
        ray.start = winner.start;
        ray.time = survey.event_of(arrival_of(n)).origin_time + winner.time;
        ray.field_time = ray.time;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            ray.length += distance(path[i], path[i + 1]);
        }
        set.append(ray, path);
    }
    return set;
}

}  // namespace

double bend_rays_cuda(const Model& model, const Survey& survey, const BendingOptions& options,
                      Monitor& monitor, const std::function<void(RaySet&&)>& consume) {
    validate(options);
    for (const RayStart start : {RayStart::descent, RayStart::graph}) {
        if (options.starts.has(start)) {
            throw InputError(fmt::format(
                "start '{}' is made on the CPU (use straight, deep and sides on a CUDA device)",
                name_of(start)));
        }
    }
    validate(survey);
    CudaBender bender(model);
    double seconds = 0;
    monitor.begin("rays", static_cast<std::int64_t>(survey.arrivals.size()));
    detail::for_each_batch(survey, [&](std::span<const std::int32_t> some) {
        monitor.check();
        consume(bend_batch(bender, model, survey, some, options, seconds));
        monitor.advance(static_cast<std::int64_t>(some.size()));
    });
    monitor.end();
    return seconds;
}

}  // namespace fermat
