#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/block.hpp"
#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/tile_kernels.cuh"
#include "eikonal/fim/tile_passes.cuh"
#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/fim/tile_setup.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {
namespace {

constexpr int warps = 4;
constexpr int threads = warps * CudaWarp::lanes;
/// Blocks per multiprocessor: as many as shared memory allows. They share its registers.
constexpr int resident_blocks = 4;

template <int Dim, int Order>
__global__ void __launch_bounds__(threads, resident_blocks)
    run_passes(TileProblem problem, TileQueue queue, int* passes) {
    extern __shared__ char shared[];
    auto* const tiles = reinterpret_cast<TileStorage<Dim>*>(shared);
    TileStorage<Dim>& storage = tiles[threadIdx.x / CudaWarp::lanes];
    *passes = run_over_tiles(queue, [&](int pass, unsigned entry) {
        take_tile<Dim, Order>(CudaWarp(), problem, queue, pass, entry, storage);
    });
}

__global__ void set_starts(TileProblem problem, int shots, const float* start_tau) {
    for (int s = static_cast<int>(blockIdx.x); s < shots; s += static_cast<int>(gridDim.x)) {
        const TileShot shot = problem.shots[s];
        for (int n = static_cast<int>(threadIdx.x); n < shot.start_count;
             n += static_cast<int>(blockDim.x)) {
            const Index3 node = problem.starts[shot.first_start + n];
            shot.tau[problem.offset(node.x, node.y, node.z)] = start_tau[shot.first_start + n];
        }
    }
}

__global__ void times_of(TimeFieldView<float, Space::device> field, CudaFim::Keep keep,
                         float* times) {
    const Shape shape = field.grid.shape;
    const std::size_t count = shape.count();
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        const std::size_t line = n / static_cast<std::size_t>(shape.z);
        const int k = static_cast<int>(n % static_cast<std::size_t>(shape.z));
        const int j = static_cast<int>(line % static_cast<std::size_t>(shape.y));
        const int i = static_cast<int>(line / static_cast<std::size_t>(shape.y));
        const FactorLine through = line_of_nodes(field.grid, field.factor, i, j);
        const float time = node_time(through, field.start_time, k, field.tau[n]);
        times[n] = keep == CudaFim::Keep::all ? time : fminf(times[n], time);
    }
}

/// Activates every tile of every shot, each in the list of its parity.
__global__ void activate_all(TileProblem problem, TileQueue queue, std::size_t entries) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const auto tiles = static_cast<std::size_t>(problem.tile_count());
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < entries; n += step) {
        queue.states[n].faces = TileQueue::by_itself;
        queue.states[n].key = 0;
        queue.push(problem.parity(static_cast<int>(n % tiles)), static_cast<unsigned>(n));
    }
}

}  // namespace

struct CudaFim::State {
    Grid grid;
    int order = 2;
    std::size_t batch = 0;
    int blocks = 0;
    unsigned processors = 1;
    CudaArray<float> own_velocity;
    const float* velocity = nullptr;  ///< own_velocity, or that of a CudaModel
    CudaArray<float> held_velocity;   ///< for a front: velocity with 0 at its nodes
    CudaArray<float> tau;
    CudaArray<TileState> states;
    CudaArray<unsigned> lists;
    CudaArray<unsigned> counters;
    CudaArray<float> minima;
    CudaArray<std::uint16_t> steps;
    CudaArray<TileShot> shots;
    CudaArray<Index3> starts;
    CudaArray<float> start_tau;
    CudaArray<unsigned> active;
    CudaArray<int> passes;
    TileProblem problem;  ///< of the last solve
    int shot_count = 0;   ///< likewise
    std::size_t entries = 0;
    int last_passes = 0;

    const void* kernel(int wanted) const {
        if (grid.is_2d()) {
            return wanted == 1 ? reinterpret_cast<const void*>(&run_passes<2, 1>)
                               : reinterpret_cast<const void*>(&run_passes<2, 2>);
        }
        return wanted == 1 ? reinterpret_cast<const void*>(&run_passes<3, 1>)
                           : reinterpret_cast<const void*>(&run_passes<3, 2>);
    }
    /// The orders of accuracy to solve with, one after the other.
    std::vector<int> orders() const {
        return order == 2 && has_long_cells(grid) ? std::vector{1, 2} : std::vector{order};
    }
    /// Puts the times of a front into tau of the first shot. Returns velocities that keep the
    /// solver from changing them.
    const float* hold_front(const FactoredSource& source) {
        Field<float> values(grid.shape, unreached<float>);
        for (const StartNode& start : source.starts) {
            values(start.node) = static_cast<float>(start.tau);
        }
        copy_and_wait(tau.data(), values.data(), values.size() * sizeof(float),
                      cudaMemcpyHostToDevice, "sending a front");
        copy_and_wait(values.data(), velocity, values.size() * sizeof(float),
                      cudaMemcpyDeviceToHost, "fetching velocities");
        for (const StartNode& start : source.starts) values(start.node) = 0;
        held_velocity.reserve(values.size());
        held_velocity.upload(std::span(values.data(), values.size()));
        return held_velocity.data();
    }
    std::size_t shared_bytes() const {
        return warps * (grid.is_2d() ? sizeof(TileStorage<2>) : sizeof(TileStorage<3>));
    }
    TileQueue queue(int shot_count) const {
        TileQueue q;
        q.states = states.data();
        for (int i = 0; i < TileQueue::ring; ++i) {
            q.list[i] = lists.data() + static_cast<std::size_t>(i) * states.size();
        }
        q.count = counters.data();
        q.taken = counters.data() + TileQueue::ring;
        q.woken_least = minima.data();
        q.waiting_least = minima.data() + static_cast<std::size_t>(TileQueue::ring) * batch;
        q.shots = shot_count;
        q.processors = processors;
        return q;
    }
};

namespace {

/// A point source has at most three start nodes along each axis.
constexpr std::size_t most_starts = 27;

std::size_t shots_that_fit(const Grid& grid, std::size_t tiles, std::size_t wanted,
                           std::size_t model_bytes) {
    const std::size_t free = device_memory().free;
    const std::size_t nodes = grid.node_count();
    const std::size_t shot = nodes * sizeof(float) +
                             tiles * (sizeof(TileState) + TileQueue::ring * sizeof(unsigned)) +
                             4096;
    const auto usable = static_cast<std::size_t>(0.95 * static_cast<double>(free));
    const std::size_t most = usable > model_bytes ? (usable - model_bytes) / shot : 0;
    return std::clamp(std::min(wanted, most), std::size_t{1}, std::size_t{4096});
}

}  // namespace

CudaFim::CudaFim(const Model& model, int order, std::size_t most_shots)
    : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    const std::size_t nodes = model.grid().node_count();
    prepare(model.grid(), order, most_shots, nodes * sizeof(float));
    state_->own_velocity = CudaArray<float>(nodes);
    state_->velocity = state_->own_velocity.data();
    set_velocity(model);
}

CudaFim::CudaFim(const CudaModel& model, int order, std::size_t most_shots)
    : state_(std::make_unique<State>()) {
    prepare(model.grid(), order, most_shots, 0);
    state_->velocity = model.velocity().data();
}

void CudaFim::prepare(const Grid& grid, int order, std::size_t most_shots,
                      std::size_t model_bytes) {
    State& s = *state_;
    s.grid = grid;
    s.order = order;
    const TileSetup shape = make_tile_setup(s.grid, {}, order);
    // Offsets inside a tile are int, and a tile spans up to ten planes of a 3-D grid.
    const double plane = static_cast<double>(s.grid.shape.y) * s.grid.shape.z;
    if (10 * plane > std::numeric_limits<int>::max()) {
        throw InputError("a plane of " + std::to_string(static_cast<long long>(plane)) +
                         " nodes across x is more than a CUDA tile can reach (the limit is " +
                         std::to_string(std::numeric_limits<int>::max() / 10) +
                         ": lay the longest axis along x, or use `device=cpu`)");
    }
    const auto tiles = static_cast<std::size_t>(shape.problem.tile_count());
    s.batch = shots_that_fit(s.grid, tiles, most_shots, model_bytes);
    s.tau = CudaArray<float>(s.grid.node_count() * s.batch);
    s.states = CudaArray<TileState>(tiles * s.batch);
    s.lists = CudaArray<unsigned>(TileQueue::ring * tiles * s.batch);
    s.counters = CudaArray<unsigned>(2 * TileQueue::ring + 1);
    s.minima = CudaArray<float>(2 * TileQueue::ring * s.batch);
    s.steps = CudaArray<std::uint16_t>(shape.steps->nodes.size());
    s.shots = CudaArray<TileShot>(s.batch);
    s.starts = CudaArray<Index3>(most_starts * s.batch);
    s.start_tau = CudaArray<float>(most_starts * s.batch);
    s.active = CudaArray<unsigned>(most_starts * 27 * s.batch);
    s.passes = CudaArray<int>(1);
    s.steps.upload(shape.steps->nodes);
    const std::size_t shared = s.shared_bytes();
    int device = 0;
    int processors = 0;
    int resident = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
               "asking for the device");
    s.processors = static_cast<unsigned>(processors);
    s.blocks = std::numeric_limits<int>::max();
    for (const int each : s.orders()) {
        check_cuda(cudaFuncSetAttribute(s.kernel(each), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)),
                   "setting up the eikonal solver");
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, s.kernel(each), threads,
                                                                 shared),
                   "setting up the eikonal solver");
        s.blocks = std::min(s.blocks, std::max(1, resident) * processors);
    }
    // A pass visits the tiles of one parity. Warps without one would only make all others wait
    // longer for each other.
    const std::size_t busy = (tiles * s.batch + 2 * warps - 1) / (2 * warps);
    s.blocks = static_cast<int>(std::min(static_cast<std::size_t>(s.blocks), busy));
}

CudaFim::CudaFim(CudaFim&&) noexcept = default;
CudaFim::~CudaFim() = default;

std::size_t CudaFim::batch() const { return state_->batch; }

void CudaFim::set_velocity(const Model& model) {
    state_->own_velocity.upload(std::span(model.velocity().data(), model.velocity().size()));
}

void CudaFim::set_velocity(FieldView<const float, Space::device> velocity) {
    check_cuda(
        cudaMemcpyAsync(state_->own_velocity.data(), velocity.data(),
                        velocity.size() * sizeof(float), cudaMemcpyDeviceToDevice, cuda_stream()),
        "copying velocities");
}

double CudaFim::solve(std::span<const FactoredSource> sources) {
    State& s = *state_;
    const bool front = !sources.empty() && sources.front().is_front();
    if (front && sources.size() > 1) throw InputError("a CUDA device solves one front at a time");
    TileSetup setup = make_tile_setup(s.grid, sources, s.order);
    TileProblem& problem = setup.problem;
    const std::size_t nodes = s.grid.node_count();
    for (std::size_t n = 0; n < setup.shots.size(); ++n) {
        setup.shots[n].tau = s.tau.data() + n * nodes;
    }
    problem.velocity = front ? s.hold_front(sources.front()) : s.velocity;
    problem.shots = s.shots.data();
    problem.starts = s.starts.data();
    problem.steps = s.steps.data();
    s.shots.upload(setup.shots);
    s.starts.upload(setup.starts);
    s.start_tau.upload(setup.start_tau);
    std::vector<unsigned> active = setup.active[0];
    active.insert(active.end(), setup.active[1].begin(), setup.active[1].end());
    s.active.reserve(active.size());
    s.active.upload(active);
    const int shot_count = static_cast<int>(sources.size());
    TileQueue queue = s.queue(shot_count);
    s.problem = problem;
    s.shot_count = shot_count;
    s.entries = sources.size() * static_cast<std::size_t>(problem.tile_count());

    CudaTimer timer;
    timer.start();
    if (!front)
        fill<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), nodes * sources.size(),
                                              unreached<float>);
    set_starts<<<std::min(shot_count, wide), 32, 0, cuda_stream()>>>(problem, shot_count,
                                                                     s.start_tau.data());
    reset<<<wide, 256, 0, cuda_stream()>>>(queue, s.entries);
    activate<<<1, 256, 0, cuda_stream()>>>(queue, s.active.data(),
                                           static_cast<unsigned>(setup.active[0].size()),
                                           static_cast<unsigned>(active.size()));
    int* passes = s.passes.data();
    void* arguments[] = {&problem, &queue, &passes};
    const std::vector<int> orders = s.orders();
    for (std::size_t n = 0; n < orders.size(); ++n) {
        if (n > 0) {
            reset<<<wide, 256, 0, cuda_stream()>>>(queue, s.entries);
            activate_all<<<wide, 256, 0, cuda_stream()>>>(problem, queue, s.entries);
        }
        check_cuda(
            cudaLaunchCooperativeKernel(s.kernel(orders[n]), dim3(static_cast<unsigned>(s.blocks)),
                                        dim3(threads), arguments, s.shared_bytes(), cuda_stream()),
            "starting the eikonal solver");
    }
    mark_unreached<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), nodes * sources.size());
    const double seconds = timer.stop("solving the eikonal equation");
    s.passes.download(std::span(&s.last_passes, 1));
    return seconds;
}

void CudaFim::download(std::size_t number, FieldView<float> tau) const {
    const std::size_t nodes = state_->grid.node_count();
    copy_and_wait(tau.data(), state_->tau.data() + number * nodes, nodes * sizeof(float),
                  cudaMemcpyDeviceToHost, "fetching a time field");
}

FieldView<float, Space::device> CudaFim::tau(std::size_t number) const {
    return {state_->tau.data() + number * state_->grid.node_count(), state_->grid.shape};
}

FieldView<const float, Space::device> CudaFim::velocity() const {
    return {state_->velocity, state_->grid.shape};
}

TileBatch CudaFim::tiles() const {
    return {state_->problem, state_->queue(state_->shot_count), state_->entries};
}

void CudaFim::write_times(std::size_t number, const FactoredSource& source, double start_time,
                          Keep keep, FieldView<float, Space::device> times) const {
    const State& s = *state_;
    times_of<<<wide, 256, 0, cuda_stream()>>>({s.grid, source, start_time, tau(number), true}, keep,
                                              times.data());
    check_cuda(cudaGetLastError(), "making times");
    check_cuda(cudaStreamSynchronize(cuda_stream()), "making times");
}

CudaFim::Work CudaFim::work() const {
    const State& s = *state_;
    unsigned* const sum = s.counters.data() + 2 * TileQueue::ring;
    check_cuda(cudaMemsetAsync(sum, 0, sizeof(unsigned), cuda_stream()), "counting visits");
    count_visits<<<wide, 256, 0, cuda_stream()>>>(s.queue(1), s.entries, sum);
    unsigned visits = 0;
    copy_and_wait(&visits, sum, sizeof visits, cudaMemcpyDeviceToHost, "counting visits");
    return {static_cast<double>(visits) / static_cast<double>(std::max<std::size_t>(s.entries, 1)),
            s.last_passes};
}

}  // namespace fermat
