#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/memory_cuda.hpp"
#include "rays/cells/descent.hpp"
#include "rays/descent.hpp"
#include "rays/grid_descent.hpp"
#include "rays/points_cuda.hpp"
#include "rays/rays_cuda.hpp"
#include "rays/trace.hpp"

namespace fermat {
namespace {

using View = TimeFieldView<float, Space::device>;

/// One shot of a batch: its field, and the indices of its rays.
struct ShotField {
    SourceFactor factor;
    double start_time;
    const float* tau;
    int first_ray;
    int rays;
};

/// Takes the place of the search for a way out of a local minimum, which the device does not do.
/// The walk stops there and marks the ray.
struct NoEscape {
    bool& met;

    struct Nowhere {
        __host__ __device__ const Index3* begin() const { return nullptr; }
        __host__ __device__ const Index3* end() const { return nullptr; }
    };
    __host__ __device__ Nowhere operator()(Index3, double) const {
        met = true;
        return {};
    }
};

template <Tracer tracer>
__device__ auto proposal_of(const View& field, int directions) {
    if constexpr (tracer == Tracer::cells) {
        return CellProposal<float, Space::device>{field};
    } else if constexpr (tracer == Tracer::grid) {
        return GridProposal<float, Space::device>{field, directions};
    } else {
        return DescentProposal<float, Space::device>{field};
    }
}

/// Memory for the points of rays of unknown length. Rays take chunks as they need them, and chunks
/// are linked. When no chunk is left, points are only counted, so that the next try allocates
/// enough.
struct PointPool {
    static constexpr int chunk_points = 32;

    Vec3* points = nullptr;
    int* next = nullptr;       ///< index of the chunk that follows each chunk
    unsigned* used = nullptr;  ///< number of chunks requested so far
    unsigned chunks = 0;
};

/// Walks each ray and keeps its points in chunks. One thread per ray, one row of blocks per shot.
template <Tracer tracer>
__global__ void __launch_bounds__(ray_threads)
    walk_rays(Grid grid, bool has_gaps, const ShotField* shots, int directions,
              const Vec3* receivers, PointPool pool, WalkedRay* walked, int* first_chunk,
              std::int64_t* points) {
    const ShotField& shot = shots[blockIdx.y];
    const int among = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (among >= shot.rays) return;
    const int n = shot.first_ray + among;
    const View field{grid, shot.factor, shot.start_time, {shot.tau, grid.shape}, has_gaps};
    WalkedRay ray{time_at(field, receivers[n]), RayStatus::ok, false};
    std::int64_t emitted = 0;
    unsigned chunk = 0;
    const auto emit = [&](Vec3 p) {
        const int place = static_cast<int>(emitted % PointPool::chunk_points);
        if (place == 0) {
            const unsigned taken = atomicAdd(pool.used, 1U);
            if (emitted == 0) {
                first_chunk[n] = static_cast<int>(taken);
            } else if (chunk < pool.chunks) {
                pool.next[chunk] = static_cast<int>(taken);
            }
            chunk = taken;
        }
        if (chunk < pool.chunks) {
            pool.points[static_cast<std::size_t>(chunk) * PointPool::chunk_points + place] = p;
        }
        ++emitted;
    };
    ray.status = trace_ray(field, receivers[n], proposal_of<tracer>(field, directions),
                           NoEscape{ray.local_minimum}, emit);
    walked[n] = ray;
    points[n] = emitted;
}

/// Joins the chunks of each ray, one warp per ray.
__global__ void __launch_bounds__(ray_threads)
    gather_points(int count, PointPool pool, const int* first_chunk,
                  const std::int64_t* first_point, Vec3* points) {
    const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / PointPool::chunk_points;
    if (n >= count) return;
    const int lane = static_cast<int>(threadIdx.x) % PointPool::chunk_points;
    int chunk = first_chunk[n];
    for (std::int64_t p = first_point[n] + lane; p - lane < first_point[n + 1];
         p += PointPool::chunk_points) {
        if (p < first_point[n + 1]) {
            points[p] =
                pool.points[static_cast<std::size_t>(chunk) * PointPool::chunk_points + lane];
        }
        if (p - lane + PointPool::chunk_points < first_point[n + 1]) chunk = pool.next[chunk];
    }
}

const void* walk_kernel(Tracer tracer) {
    switch (tracer) {
        case Tracer::cells:
            return reinterpret_cast<const void*>(&walk_rays<Tracer::cells>);
        case Tracer::grid:
            return reinterpret_cast<const void*>(&walk_rays<Tracer::grid>);
        default:
            return reinterpret_cast<const void*>(&walk_rays<Tracer::descent>);
    }
}

}  // namespace

struct CudaTracer::State {
    CudaArray<Vec3> receivers;
    CudaArray<ShotField> shots;
    CudaArray<std::int64_t> counts;
    CudaArray<int> first_chunk;
    CudaArray<Vec3> pool;
    CudaArray<int> pool_next;
    CudaArray<unsigned> pool_used{1};
    WalkedRays walked;
    DeviceRowMaker row_maker;
    CudaTimer timer;
    double seconds = 0;

    PointPool point_pool() const {
        return {pool.data(), pool_next.data(), pool_used.data(),
                static_cast<unsigned>(pool_next.size())};
    }
    void reserve_chunks(std::size_t chunks) {
        pool.reserve(chunks * PointPool::chunk_points);
        pool_next.reserve(chunks);
    }
    void walk(const Model& model, const CudaFim& fim, std::span<const ShotRays> batch,
              const RayOptions& options, const Execution& execution);
    void launch(const Model& model, const RayOptions& options, std::size_t shot_count,
                std::size_t most_rays);
    void finish_on_cpu(const Model& model, const CudaFim& fim, std::span<const ShotRays> batch,
                       const RayOptions& options, const Execution& execution);
};

/// Chunks for the first try. A ray takes a few points per cell that it crosses; where all could be
/// long and there is room, none is walked twice.
std::size_t first_chunks(const Grid& grid, std::size_t rays) {
    constexpr std::size_t room = std::size_t{256} << 20;  // bytes
    const auto across = static_cast<std::size_t>(grid.shape.x + grid.shape.y + grid.shape.z);
    const std::size_t each = 2 + 2 * across / PointPool::chunk_points;
    const std::size_t fit =
        room / (PointPool::chunk_points * sizeof(Vec3)) / std::max(rays, std::size_t{1});
    return rays * std::clamp(fit, std::size_t{2}, each);
}

/// Repeats the walk until there are enough chunks. The second try knows the number.
void CudaTracer::State::launch(const Model& model, const RayOptions& options,
                               std::size_t shot_count, std::size_t most_rays) {
    Grid grid = model.grid();
    bool has_gaps = model.has_air();
    const void* const kernel = walk_kernel(options.tracer);
    int directions = options.directions;
    const std::size_t count = walked.rays.size();
    // Spread few rays over many multiprocessors, one warp each.
    const std::size_t block = count < 132 * ray_threads ? 32 : ray_threads;
    const dim3 blocks(static_cast<unsigned>((most_rays + block - 1) / block),
                      static_cast<unsigned>(shot_count));
    for (std::size_t chunks = first_chunks(grid, count); chunks > 0;) {
        reserve_chunks(chunks);
        PointPool room = point_pool();
        check_cuda(cudaMemset(pool_used.data(), 0, sizeof(unsigned)), "tracing rays");
        const ShotField* fields = shots.data();
        const Vec3* places = receivers.data();
        WalkedRay* result = walked.device.data();
        int* chunk = first_chunk.data();
        std::int64_t* points = counts.data();
        void* arguments[] = {&grid, &has_gaps, &fields, &directions, &places,
                             &room, &result,   &chunk,  &points};
        timer.start();
        check_cuda(cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(block)), arguments,
                                    0, nullptr),
                   "tracing rays");
        walked.place(counts);
        seconds += timer.stop("tracing rays");
        unsigned used = 0;
        pool_used.download(std::span(&used, 1));
        if (used <= room.chunks) return;
        chunks = used;
    }
}

void CudaTracer::State::walk(const Model& model, const CudaFim& fim,
                             std::span<const ShotRays> batch, const RayOptions& options,
                             const Execution& execution) {
    seconds = 0;
    std::vector<ShotField> fields;
    std::vector<Vec3> places;
    std::size_t most_rays = 0;
    walked.rays.clear();
    for (const ShotRays& shot : batch) {
        const std::size_t rays = shot.to.positions.size();
        fields.push_back({shot.source, shot.start_time, fim.tau(fields.size()).data(),
                          static_cast<int>(places.size()), static_cast<int>(rays)});
        most_rays = std::max(most_rays, rays);
        for (std::size_t r = 0; r < rays; ++r) {
            places.push_back(model.grid().clamp(shot.to.positions[r]));
            RayInfo& ray = walked.rays.emplace_back();
            ray.source = shot.event;
            ray.receiver = shot.to.stations[r];
        }
    }
    const std::size_t count = walked.rays.size();
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw InputError(std::to_string(count) +
                         " rays at once are more than a CUDA device can number (trace fewer "
                         "sources at a time, or use `device=cpu`)");
    }
    walked.reserve(count);
    if (count == 0) return;
    receivers.reserve(count);
    shots.reserve(fields.size());
    counts.reserve(count + 1);
    first_chunk.reserve(count);
    receivers.upload(places);
    shots.upload(fields);
    launch(model, options, fields.size(), most_rays);
    walked.first_point.download(std::span(walked.starts));
    walked.points.reserve(static_cast<std::size_t>(walked.starts.back()));
    const auto warps =
        static_cast<unsigned>((count * PointPool::chunk_points + ray_threads - 1) / ray_threads);
    timer.start();
    gather_points<<<warps, ray_threads>>>(static_cast<int>(count), point_pool(), first_chunk.data(),
                                          walked.first_point.data(), walked.points.data());
    seconds += timer.stop("tracing rays");
    walked.fetch();
    if (is_judged(model, options.tracer)) {
        seconds += walked.integrate(model.grid(), fim.velocity());
    }
    finish_on_cpu(model, fim, batch, options, execution);
}

/// Traces the rays that need a search, those that are later than their field and those whose
/// receiver is in air. There are few of them.
void CudaTracer::State::finish_on_cpu(const Model& model, const CudaFim& fim,
                                      std::span<const ShotRays> batch, const RayOptions& options,
                                      const Execution& execution) {
    const bool judged = is_judged(model, options.tracer);
    std::vector<std::size_t> redone;
    RaySet finished;
    std::size_t first = 0;
    for (std::size_t s = 0; s < batch.size(); ++s) {
        const ShotRays& shot = batch[s];
        Listeners again;
        for (std::size_t r = 0; r < shot.to.positions.size(); ++r) {
            const RayInfo& ray = walked.rays[first + r];
            const bool late = judged && ray.status == RayStatus::ok &&
                              is_late(ray.time, ray.field_time - shot.start_time);
            const bool lost =
                late || walked.host[first + r].local_minimum || ray.status == RayStatus::stalled;
            const Vec3 place = model.grid().clamp(shot.to.positions[r]);
            if (!lost && !(model.has_air() && in_air(model, place))) continue;
            redone.push_back(first + r);
            again.positions.push_back(place);
            again.stations.push_back(shot.to.stations[r]);
        }
        first += shot.to.positions.size();
        if (again.positions.empty()) continue;
        TimeField copy{model.grid(), shot.source, shot.start_time,
                       Field<float>(model.grid().shape)};
        fim.download(s, copy.tau.view());
        finished.append(trace_rays(model, copy, shot.event, again, options, execution));
    }
    if (!redone.empty()) walked.replace(redone, finished);
}

CudaTracer::CudaTracer() : state_(std::make_unique<State>()) {}
CudaTracer::CudaTracer(CudaTracer&&) noexcept = default;
CudaTracer::~CudaTracer() = default;

double CudaTracer::seconds() const { return state_->seconds; }

std::vector<RaySet> CudaTracer::trace(const Model& model, const CudaFim& fim,
                                      std::span<const ShotRays> shots, const RayOptions& options,
                                      const Execution& execution) {
    State& s = *state_;
    s.walk(model, fim, shots, options, execution);
    if (s.walked.rays.empty()) return std::vector<RaySet>(shots.size());
    s.seconds += s.walked.integrate(model.grid(), fim.velocity());
    std::vector<Vec3> points(static_cast<std::size_t>(s.walked.starts.back()));
    s.walked.points.download(std::span(points));
    std::vector<RaySet> sets(shots.size());
    std::size_t n = 0;
    for (std::size_t shot = 0; shot < shots.size(); ++shot) {
        const std::size_t rays = shots[shot].to.positions.size();
        RaySet& set = sets[shot];
        const std::int64_t begin = s.walked.starts[n];
        const std::int64_t end = s.walked.starts[n + rays];
        if (shots.size() == 1) {
            set.points = std::move(points);
        } else {
            set.points.assign(points.begin() + begin, points.begin() + end);
        }
        set.rays.assign(s.walked.rays.begin() + static_cast<std::ptrdiff_t>(n),
                        s.walked.rays.begin() + static_cast<std::ptrdiff_t>(n + rays));
        set.first_point.resize(rays + 1);
        for (std::size_t r = 0; r < rays; ++r, ++n) {
            set.rays[r].time += shots[shot].start_time;
            set.first_point[r + 1] = s.walked.starts[n + 1] - begin;
        }
    }
    return sets;
}

CudaTracer::Crossed CudaTracer::cross_cells(const Model& model, const CudaFim& fim,
                                            std::span<const ShotRays> shots,
                                            const RayOptions& options, const Execution& execution) {
    State& s = *state_;
    s.walk(model, fim, shots, options, execution);
    if (s.walked.rays.empty()) return {};
    Crossed crossed;
    s.timer.start();
    crossed.rows = s.row_maker.make(model.grid(), s.walked);
    s.seconds += s.timer.stop("listing the cells of rays");
    crossed.rays = s.walked.rays;
    return crossed;
}

}  // namespace fermat
