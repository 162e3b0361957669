#include <cub/device/device_scan.cuh>

#include <cstdint>
#include <limits>

#include "core/cuda_memory.hpp"
#include "rays/cell_descent.hpp"
#include "rays/descent.hpp"
#include "rays/grid_descent.hpp"
#include "rays/rays_cuda.hpp"
#include "rays/segments.hpp"
#include "rays/trace.hpp"

namespace fermat {
namespace {

using View = TimeFieldView<float, Space::device>;

/// What is learnt of a ray when it is walked for the first time.
struct Walked {
    double field_time;
    double time;  ///< of the way, without the source's start time
    double length;
    RayStatus status;
    bool dent;  ///< the walk needs the CPU's search for a way out
};

/// A walk on the device cannot search: it says so and stops.
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

constexpr int threads = 128;

__device__ int ray_of_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Room for the points of rays whose numbers nobody knows beforehand: chunks taken as they are
/// needed and linked. When they run out, points are counted on, so that the next try has enough.
struct PointPool {
    static constexpr int chunk_points = 32;

    Vec3* points = nullptr;
    int* next = nullptr;       ///< chunk after each chunk
    unsigned* used = nullptr;  ///< chunks asked for so far
    unsigned chunks = 0;
};

/// Walks each ray, one thread a ray, and keeps its points in chunks.
template <class Proposal>
__global__ void __launch_bounds__(threads)
    walk_rays(Proposal proposal, const Vec3* receivers, int count, PointPool pool, Walked* walked,
              int* first_chunk, std::int64_t* points) {
    const int n = ray_of_thread();
    if (n >= count) return;
    Walked ray{time_at(proposal.field, receivers[n]), 0, 0, RayStatus::ok, false};
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
    ray.status = trace_ray(proposal.field, receivers[n], proposal, NoEscape{ray.dent}, emit);
    walked[n] = ray;
    points[n] = emitted;
}

/// Puts the chunks of each ray together, a warp a ray.
__global__ void __launch_bounds__(threads)
    gather_points(int count, PointPool pool, const int* first_chunk,
                  const std::int64_t* first_point, Vec3* points) {
    const int n = ray_of_thread() / PointPool::chunk_points;
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

/// Slowness and length along each ray.
__global__ void __launch_bounds__(threads)
    integrate_rays(Grid grid, FieldView<const float, Space::device> velocity, int count,
                   const std::int64_t* first_point, const Vec3* points, Walked* walked) {
    const int n = ray_of_thread();
    if (n >= count) return;
    double time = 0;
    double length = 0;
    for (std::int64_t p = first_point[n]; p + 1 < first_point[n + 1]; ++p) {
        const Vec3 from = points[p];
        const Vec3 to = points[p + 1];
        length += distance(from, to);
        for_each_piece(grid, from, to, [&](const Piece& piece) {
            time += CellSlowness(grid, velocity, piece.cell).piece_time(piece);
        });
    }
    walked[n].time = time;
    walked[n].length = length;
}

/// Grows to what is asked for.
template <class T>
void reserve(CudaArray<T>& array, std::size_t count) {
    if (array.size() >= count) return;
    array = CudaArray<T>();
    array = CudaArray<T>(count);
}

}  // namespace

struct CudaTracer::State {
    explicit State(const Model& traced) : model(traced) {}

    const Model& model;
    CudaArray<Vec3> receivers;
    CudaArray<Walked> walked;
    CudaArray<std::int64_t> counts;
    CudaArray<std::int64_t> first_point;
    CudaArray<Vec3> points;
    CudaArray<int> first_chunk;
    CudaArray<Vec3> pool;
    CudaArray<int> pool_next;
    CudaArray<unsigned> pool_used{1};
    CudaArray<unsigned char> scratch;
    double seconds = 0;

    PointPool point_pool() const {
        return {pool.data(), pool_next.data(), pool_used.data(),
                static_cast<unsigned>(pool_next.size())};
    }
    void reserve_chunks(std::size_t chunks) {
        reserve(pool, chunks * PointPool::chunk_points);
        reserve(pool_next, chunks);
    }
};

void CudaTracer::place_points(State& s, int rays) {
    std::size_t bytes = 0;
    check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, s.counts.data(), s.first_point.data(),
                                             rays + 1),
               "placing the points of rays");
    reserve(s.scratch, bytes);
    check_cuda(cub::DeviceScan::ExclusiveSum(s.scratch.data(), bytes, s.counts.data(),
                                             s.first_point.data(), rays + 1),
               "placing the points of rays");
}

CudaTracer::CudaTracer(const Model& model) : state_(std::make_unique<State>(model)) {}
CudaTracer::CudaTracer(CudaTracer&&) noexcept = default;
CudaTracer::~CudaTracer() = default;

double CudaTracer::seconds() const { return state_->seconds; }

RaySet CudaTracer::trace(const CudaFim& fim, std::size_t number, const FactoredSource& source,
                         double start_time, std::int32_t source_number,
                         std::span<const Vec3> receivers,
                         std::span<const std::int32_t> receiver_numbers,
                         const RayOptions& options) {
    State& s = *state_;
    const Grid& grid = s.model.grid();
    const std::size_t count = receivers.size();
    if (count == 0) return {};
    std::vector<Vec3> places;
    places.reserve(count);
    for (const Vec3 p : receivers) places.push_back(grid.clamp(p));
    const FieldView<float, Space::device> tau = fim.tau(number);
    const View field{grid, {source.position, start_time}, source.slowness, tau, s.model.has_air()};
    reserve(s.receivers, count);
    reserve(s.walked, count);
    reserve(s.counts, count + 1);
    reserve(s.first_point, count + 1);
    reserve(s.first_chunk, count);
    s.receivers.upload(places);
    RaySet set;
    set.first_point.resize(count + 1);
    const auto trace_by = [&](auto proposal) {
        const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
        const int rays = static_cast<int>(count);
        CudaTimer timer;
        unsigned used = 0;
        // Two chunks a ray are a guess; what the first try lacks, the second has.
        for (std::size_t chunks = 2 * count; chunks > 0; chunks = used) {
            s.reserve_chunks(chunks);
            check_cuda(cudaMemset(s.pool_used.data(), 0, sizeof used), "tracing rays");
            timer.start();
            walk_rays<<<blocks, threads>>>(proposal, s.receivers.data(), rays, s.point_pool(),
                                           s.walked.data(), s.first_chunk.data(), s.counts.data());
            place_points(s, rays);
            s.seconds = timer.stop("tracing rays");
            s.pool_used.download(std::span(&used, 1));
            if (used <= s.point_pool().chunks) break;
        }
        s.first_point.download(set.first_point);
        reserve(s.points, static_cast<std::size_t>(set.first_point.back()));
        timer.start();
        const auto warps =
            static_cast<unsigned>((count * PointPool::chunk_points + threads - 1) / threads);
        gather_points<<<warps, threads>>>(rays, s.point_pool(), s.first_chunk.data(),
                                          s.first_point.data(), s.points.data());
        integrate_rays<<<blocks, threads>>>(grid, fim.velocity(), rays, s.first_point.data(),
                                            s.points.data(), s.walked.data());
        s.seconds += timer.stop("tracing rays");
    };
    switch (options.tracer) {
        case Tracer::cells:
            trace_by(CellProposal<float, Space::device>{field});
            break;
        case Tracer::grid:
            trace_by(GridProposal<float, Space::device>{field, options.directions});
            break;
        default:
            trace_by(DescentProposal<float, Space::device>{field});
    }
    const auto total = static_cast<std::size_t>(set.first_point.back());
    set.points.resize(total);
    s.points.download(set.points);
    std::vector<Walked> walked(count);
    s.walked.download(walked);

    std::vector<std::size_t> on_cpu;
    set.rays.resize(count);
    constexpr double never = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < count; ++n) {
        const Walked& ray = walked[n];
        const bool arrived = ray.status == RayStatus::ok;
        set.rays[n].source = source_number;
        set.rays[n].receiver = receiver_numbers[n];
        set.rays[n].field_time = ray.field_time;
        set.rays[n].time = arrived ? start_time + ray.time : never;
        set.rays[n].length = ray.length;
        set.rays[n].status = ray.status;
        const bool in_rock = !s.model.has_air() || !in_air(s.model, places[n]);
        const bool lost = ray.dent || ray.status == RayStatus::stalled;
        if (lost || !in_rock) on_cpu.push_back(n);
    }
    if (on_cpu.empty()) return set;

    // Few, if any: the CPU walks those again, and all are put together in order.
    TimeField copy{grid, {source.position, start_time}, source.slowness, Field<float>(grid.shape)};
    fim.download(number, copy.tau.view());
    std::vector<Vec3> again;
    std::vector<std::int32_t> numbers;
    for (const std::size_t n : on_cpu) {
        again.push_back(places[n]);
        numbers.push_back(receiver_numbers[n]);
    }
    const RaySet finished =
        trace_rays(s.model, copy, source_number, again, numbers, options, options.eikonal.threads);
    RaySet whole;
    std::size_t next = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const bool redone = next < on_cpu.size() && on_cpu[next] == n;
        const RaySet& from = redone ? finished : set;
        const std::size_t at = redone ? next++ : n;
        whole.append(from.rays[at], from.path(at));
    }
    return whole;
}

}  // namespace fermat
