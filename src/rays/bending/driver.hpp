#pragma once

#include <algorithm>
#include <numeric>
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
    RaySet rays;  ///< in the order of the pairs
};

/// One batch of pairs and what its rays share.
template <BendingMedium Medium>
struct BendingLot {
    const Medium& medium;
    std::span<const PointSource> sources;
    std::span<const Vec3> receivers;
    std::span<const RayPair> pairs;
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
void bend_seeds(Block block, const BendingLot<Medium>& lot, std::size_t number, BendSpace& space,
                const BendSettings& settings, BentRay& winner, std::vector<Vec3>& points) {
    for (const SeedSet& seed : lot.seeds) {
        if (seed.rays.rays[number].status != RayStatus::ok) continue;
        const auto path = seed.rays.path(number);
        double unbent = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            unbent += lot.medium.segment_time(path[i], path[i + 1]);
        }
        resample(path, settings.segments, space.point);
        const double time = bend_ray(block, lot.medium, space, settings.segments, settings);
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
PathOfPair bend_one(Block block, const BendingLot<Medium>& lot, std::size_t number,
                    BendMemory& memory) {
    const RayPair pair = lot.pairs[number];
    const PointSource& source = lot.sources[static_cast<std::size_t>(pair.source)];
    const Vec3 from = lot.medium.clamp(lot.receivers[static_cast<std::size_t>(pair.receiver)]);
    const Vec3 to = lot.medium.clamp(source.position);
    PathOfPair ray;
    ray.info.source = pair.source;
    ray.info.receiver = pair.receiver;
    BentRay winner;
    if (std::isinf(lot.medium.slowness(to))) {
        ray.info.status = RayStatus::source_in_air;
    } else if (std::isinf(lot.medium.slowness(from))) {
        ray.info.status = RayStatus::receiver_in_air;
    } else if (!(distance(from, to) > 0)) {
        winner = {0, RayStart::straight};
        ray.points = {from, to};
    } else {
        const double length = distance(from, to);
        BendSettings settings;
        if (lot.segment > 0) settings.segments = segments_for(length, lot.segment);
        settings.most_relaxations = lot.relaxations;
        BendSpace space = memory.space(settings.segments);
        winner = bend_pair(block, lot.medium, space, from, to, lot.starts, settings);
        if (winner.start != RayStart::none) {
            ray.points.assign(space.best, space.best + settings.segments + 1);
        }
        bend_seeds(block, lot, number, space, settings, winner, ray.points);
        if (winner.start == RayStart::none) ray.info.status = RayStatus::unreachable;
    }
    if (ray.points.empty()) ray.points = {from};
    ray.info.start = winner.start;
    ray.info.time = source.start_time + winner.time;
    ray.info.field_time = ray.info.time;
    for (std::size_t i = 0; i + 1 < ray.points.size(); ++i) {
        ray.info.length += distance(ray.points[i], ray.points[i + 1]);
    }
    return ray;
}

/// Indices of the pairs of each task.
std::vector<std::vector<std::size_t>> tasks_of(std::span<const RayPair> pairs, BendingTasks kind);

template <BendingMedium Medium>
RaySet bend_lot(const BendingLot<Medium>& lot, BendingTasks tasks, int threads, Monitor& monitor) {
    const std::size_t count = lot.pairs.size();
    std::vector<PathOfPair> rays(count);
    std::vector<BendMemory> memories(static_cast<std::size_t>(threads));
    if (tasks == BendingTasks::sections && threads > 1 && !inside_parallel()) {
        SectionTeam team(threads);
        team.run([&] {
            for (std::size_t n = 0; n < count; ++n) {
                monitor.check();
                rays[n] = bend_one(TeamBlock(team), lot, n, memories.front());
                monitor.advance();
            }
        });
    } else {
        const auto lists = tasks_of(lot.pairs, tasks);
        parallel_for(static_cast<std::int64_t>(lists.size()), threads, [&](std::int64_t task) {
            BendMemory& memory = memories[static_cast<std::size_t>(thread_index())];
            for (const std::size_t n : lists[static_cast<std::size_t>(task)]) {
                monitor.check();
                rays[n] = bend_one(HostBlock{}, lot, n, memory);
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
