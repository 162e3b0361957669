#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/block.hpp"
#include "core/parallel.hpp"
#include "rays/bending/lots.hpp"
#include "rays/bending/pair.hpp"
#include "rays/bending/rays.hpp"
#include "rays/bending/section_team.hpp"

namespace fermat::detail {

// Rays of many pairs on the CPU, for any medium.

/// Working memory of one thread or team, reused from ray to ray.
class BendMemory {
  public:
    BendSpace space(int segments) {
        if (vectors_.size() < BendSpace::vectors(segments)) {
            vectors_.resize(BendSpace::vectors(segments));
            scalars_.resize(BendSpace::scalars(segments));
        }
        return {vectors_.data(), scalars_.data(), segments};
    }

  private:
    std::vector<Vec3> vectors_;
    std::vector<double> scalars_;
};

/// Points at equal distances along a polyline. The ends are kept.
void resample(std::span<const Vec3> path, int segments, Vec3* points);

struct SeedSet {
    RayStart start;
    RaySet rays;  ///< in the order of the arrivals
};

/// One batch of arrivals and what its rays share.
template <BendingMedium Medium>
struct BendingBatch {
    const Medium& medium;
    const Survey& survey;
    std::span<const std::int32_t> arrivals;
    std::span<const SeedSet> seeds;
    StartSet starts;
    double segment;  ///< longest segment; 0 means 64 segments
    int relaxations;
};

struct PathOfPair {
    RayInfo info;
    std::vector<Vec3> points;
};

/// Also bends the rays of other tracers (seeds). The fastest ray wins; an unbent seed wins if it is
/// faster than all bent rays.
template <class Block, BendingMedium Medium>
void bend_seeds(Block block, const BendingBatch<Medium>& batch, std::size_t number,
                BendSpace& space, const BendSettings& settings, BentRay& winner,
                std::vector<Vec3>& points) {
    for (const SeedSet& seed : batch.seeds) {
        if (!has_arrived(seed.rays.rays[number].status)) continue;
        const auto path = seed.rays.path(number);
        double unbent = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            unbent += batch.medium.segment_time(path[i], path[i + 1]);
        }
        resample(path, settings.segments, space.point);
        const double time = bend_ray(block, batch.medium, space, settings.segments, settings);
        if (time < winner.time && time <= unbent) {
            winner = {time, seed.start};
            points.assign(space.point, space.point + settings.segments + 1);
        } else if (unbent < winner.time) {
            winner = {unbent, seed.start};
            points.assign(path.begin(), path.end());
        }
    }
}

/// Bends the ray of one pair.
template <class Block, BendingMedium Medium>
PathOfPair bend_one(Block block, const BendingBatch<Medium>& batch, std::size_t number,
                    BendMemory& memory) {
    const Arrival& arrival =
        batch.survey.arrivals[static_cast<std::size_t>(batch.arrivals[number])];
    const Event& event = batch.survey.event_of(arrival);
    const Vec3 from = batch.medium.clamp(batch.survey.station_of(arrival).position);
    const Vec3 to = batch.medium.clamp(event.position);
    PathOfPair ray;
    ray.info.source = arrival.event;
    ray.info.receiver = arrival.station;
    BentRay winner;
    if (std::isinf(batch.medium.slowness(to))) {
        ray.info.status = RayStatus::source_in_air;
    } else if (std::isinf(batch.medium.slowness(from))) {
        ray.info.status = RayStatus::receiver_in_air;
    } else if (!(distance(from, to) > 0)) {
        winner = {0, RayStart::straight};
        ray.points = {from, to};
    } else {
        const double length = distance(from, to);
        BendSettings settings;
        if (batch.segment > 0) settings.segments = segments_for(length, batch.segment);
        settings.most_relaxations = batch.relaxations;
        BendSpace space = memory.space(settings.segments);
        winner = bend_pair(block, batch.medium, space, from, to, batch.starts, settings);
        if (winner.start != RayStart::none) {
            ray.points.assign(space.best, space.best + settings.segments + 1);
        }
        bend_seeds(block, batch, number, space, settings, winner, ray.points);
        if (winner.start == RayStart::none) ray.info.status = RayStatus::unreachable;
    }
    if (ray.points.empty()) ray.points = {from};
    ray.info.start = winner.start;
    ray.info.time = event.origin_time + winner.time;
    ray.info.field_time = ray.info.time;
    for (std::size_t i = 0; i + 1 < ray.points.size(); ++i) {
        ray.info.length += distance(ray.points[i], ray.points[i + 1]);
    }
    return ray;
}

/// The arrivals of each task, as indices into `arrivals`.
std::vector<std::vector<std::size_t>> tasks_of(const Survey& survey,
                                               std::span<const std::int32_t> arrivals,
                                               BendingTasks kind);

template <BendingMedium Medium>
RaySet bend_batch(const BendingBatch<Medium>& batch, BendingTasks tasks, int threads,
                  Monitor& monitor) {
    const std::size_t count = batch.arrivals.size();
    std::vector<PathOfPair> rays(count);
    std::vector<BendMemory> memories(static_cast<std::size_t>(threads));
    if (tasks == BendingTasks::sections && threads > 1 && !inside_parallel()) {
        SectionTeam team(threads);
        team.run([&] {
            for (std::size_t n = 0; n < count; ++n) {
                monitor.check();
                rays[n] = bend_one(TeamBlock(team), batch, n, memories.front());
                monitor.advance();
            }
        });
    } else {
        const auto lists = tasks_of(batch.survey, batch.arrivals, tasks);
        parallel_for(static_cast<std::int64_t>(lists.size()), threads, [&](std::int64_t task) {
            BendMemory& memory = memories[static_cast<std::size_t>(thread_index())];
            for (const std::size_t n : lists[static_cast<std::size_t>(task)]) {
                monitor.check();
                rays[n] = bend_one(HostBlock{}, batch, n, memory);
                monitor.advance();
            }
        });
    }
    RaySet set;
    set.rays.reserve(count);
    set.points.reserve(std::accumulate(
        rays.begin(), rays.end(), std::size_t{0},
        [](std::size_t sum, const PathOfPair& ray) { return sum + ray.points.size(); }));
    for (const PathOfPair& ray : rays) set.append(ray.info, ray.points);
    return set;
}

}  // namespace fermat::detail
