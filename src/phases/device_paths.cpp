#include "phases/device_paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/parallel.hpp"
#include "phases/leg_media.hpp"
#include "phases/phases_cuda.hpp"

namespace fermat {
namespace {

BranchRay ray_of(const DeviceRay& found, const Vec3* points, const Legs& legs) {
    BranchRay ray;
    ray.status = BranchStatus::ok;
    ray.time = found.time;
    ray.doubt = found.doubt;
    ray.length = found.length;
    ray.maxima = found.maxima;
    ray.segments = found.segments;
    ray.legs = legs;
    const std::size_t last = legs.size() * static_cast<std::size_t>(found.segments);
    ray.places.assign(points, points + last + 1);
    ray.joints.assign(found.joints, found.joints + 2 * (legs.size() - 1));
    return ray;
}

/// Pairs of one way.
struct PairsOfWay {
    const Way& way;
    const Ends& from;
    const Ends& to;
    std::span<const RayPair> pairs;
    std::vector<std::size_t> numbers;  ///< those of the way

    void prepare(std::size_t first, std::size_t count, int threads, DeviceBatch& out) const {
        std::vector<std::vector<PathStart>> starts(count);
        out.pairs.assign(count, {});
        const bool gives_starts = !CudaPaths::finds_starts(way.lattice);
        parallel_for(static_cast<std::int64_t>(count), threads, [&](std::int64_t k) {
            const auto n = static_cast<std::size_t>(k);
            const RayPair& pair = pairs[numbers[first + n]];
            out.pairs[n].source = from.places[static_cast<std::size_t>(pair.source)];
            out.pairs[n].receiver = to.places[static_cast<std::size_t>(pair.receiver)];
            if (!gives_starts) return;
            starts[n] = starts_on_device(way.lattice, way.sources.at(pair.source),
                                         way.receivers.at(pair.receiver));
        });
        out.start_joints.clear();
        out.start_times.clear();
        for (std::size_t n = 0; n < count; ++n) {
            out.pairs[n].starts = static_cast<std::int32_t>(starts[n].size());
            out.pairs[n].first_start = static_cast<std::int32_t>(out.start_times.size());
            for (const PathStart& start : starts[n]) {
                out.start_times.push_back(start.time);
                out.start_joints.insert(out.start_joints.end(), start.joints.begin(),
                                        start.joints.end());
            }
        }
    }
};

}  // namespace

std::string device_obstacle(const LayeredMedium& medium, const Ways& ways,
                            const PhaseOptions& options) {
    if (options.arrivals == Arrivals::all) return "all arrivals of a phase are found on the CPU";
    if (form_of(medium) == LayerForm::mapped) {
        return "later phases in graded or terrain-following coordinates are found on the CPU";
    }
    for (const auto& [kinds, list] : ways) {
        if (list.size() != 1 || list.front()->lattice.has_bounces() ||
            !list.front()->level.empty()) {
            return "phases with several ways, as of waves that turn, are found on the CPU";
        }
        if (list.front()->legs.size() > CudaPaths::most_legs) {
            return fmt::format("phases of more than {} legs are found on the CPU",
                               CudaPaths::most_legs);
        }
    }
    return {};
}

std::vector<PathStart> starts_on_device(const StartLattice& lattice,
                                        const StartLattice::Table& source,
                                        const StartLattice::Table& receiver) {
    std::vector<PathStart> starts = lattice.starts(source, receiver, most_starts);
    if (starts.empty() || !starts.front().least) return {};
    const auto is_late = [&](const PathStart& start) {
        return !start.least || start.time > (1 + near_least) * starts.front().time;
    };
    starts.erase(std::find_if(starts.begin(), starts.end(), is_late), starts.end());
    if (starts.size() > static_cast<std::size_t>(device_starts)) return {};
    return starts;
}

std::vector<std::size_t> find_on_device(const LayeredMedium& medium, Ways& ways, const Ends& from,
                                        const Ends& to, std::span<const RayPair> pairs,
                                        const PhaseOptions& options, int threads, Rays& out) {
    std::vector<std::size_t> left;
    for (const auto& [kinds, list] : ways) {
        const Way& way = *list.front();
        PairsOfWay some{way, from, to, pairs, {}};
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (from.kind_of(pairs[i].source) == kinds.first &&
                to.kind_of(pairs[i].receiver) == kinds.second) {
                some.numbers.push_back(i);
            }
        }
        if (!CudaPaths::finds_starts(way.lattice)) {
            fill_tables(ways, from, to, pairs, some.numbers, threads);
        }
        const CudaPaths device(medium, way.legs, way.kinds, way.lattice, options);
        device.find(
            some.numbers.size(),
            [&](std::size_t first, std::size_t count, DeviceBatch& batch) {
                some.prepare(first, count, threads, batch);
            },
            [&](const CudaPaths::Batch& batch) {
                const auto take = [&](std::int64_t k) {
                    const auto n = static_cast<std::size_t>(k);
                    if (batch.rays[n].segments == 0) return;
                    out[some.numbers[batch.first + n]].push_back(
                        ray_of(batch.rays[n], batch.points + n * batch.stride, way.legs));
                };
                parallel_for(static_cast<std::int64_t>(batch.rays.size()), threads, take);
            });
        for (const std::size_t i : some.numbers) {
            if (out[i].empty()) left.push_back(i);
        }
    }
    std::sort(left.begin(), left.end());
    return left;
}

}  // namespace fermat
