#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/block.hpp"
#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "core/occupancy_cuda.hpp"
#include "core/pieces_cuda.hpp"
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

/// The fields and lists of a batch before its start nodes are known.
__global__ void clear_batch(float* tau, std::size_t nodes, TileQueue queue, std::size_t entries) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < nodes; n += step) {
        tau[n] = unreached<float>;
    }
    reset_part(queue, entries);
}

/// Start nodes, and the tiles that contain or read one.
struct Starts {
    const float* tau = nullptr;        ///< of each of TileProblem::starts
    const unsigned* active = nullptr;  ///< tiles, those of parity 0 first
    unsigned even = 0;
    unsigned all = 0;
};

/// The last block activates tiles, the others set start nodes.
__global__ void begin_waves(TileProblem problem, TileQueue queue, int shots, Starts starts) {
    if (blockIdx.x + 1 == gridDim.x) {
        activate_part(queue, starts.active, starts.even, starts.all);
        return;
    }
    for (int s = static_cast<int>(blockIdx.x); s < shots; s += static_cast<int>(gridDim.x) - 1) {
        const TileShot shot = problem.shots[s];
        for (int n = static_cast<int>(threadIdx.x); n < shot.start_count;
             n += static_cast<int>(blockDim.x)) {
            const Index3 node = problem.starts[shot.first_start + n];
            shot.tau[problem.offset(node.x, node.y, node.z)] = starts.tau[shot.first_start + n];
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
    const std::uint16_t* steps = nullptr;
    CudaArray<std::byte> memory;  ///< of all that follows, but what is sent
    float* tau = nullptr;
    TileState* states = nullptr;
    unsigned* lists = nullptr;
    unsigned* counters = nullptr;
    float* minima = nullptr;
    int* passes = nullptr;
    CudaArray<std::byte> sent;  ///< shots, start nodes and active tiles
    std::size_t tiles_of_shot = 0;
    std::size_t cleared = 0;  ///< shots that are ready for their start nodes
    TileProblem problem;      ///< of the last solve
    int shot_count = 0;       ///< likewise
    std::size_t entries = 0;

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
        copy_and_wait(tau, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice,
                      "sending a front");
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
        q.states = states;
        for (int i = 0; i < TileQueue::ring; ++i) {
            q.list[i] = lists + static_cast<std::size_t>(i) * tiles_of_shot * batch;
        }
        q.count = counters;
        q.taken = counters + TileQueue::ring;
        q.woken_least = minima;
        q.waiting_least = minima + static_cast<std::size_t>(TileQueue::ring) * batch;
        q.shots = shot_count;
        q.processors = processors;
        return q;
    }
    void clear(std::size_t shots, bool fields) {
        clear_batch<<<wide, 256, 0, cuda_stream()>>>(tau, fields ? shots * grid.node_count() : 0,
                                                     queue(static_cast<int>(shots)),
                                                     shots * tiles_of_shot);
        cleared = shots;
    }
    void launch(std::span<const FactoredSource> sources, CudaTimer* timer);
};

namespace {

/// The order of sweeps on the current device: sent there once, and kept as long as the process.
const std::uint16_t* steps_on_device(const TileSteps& steps) {
    static std::mutex mutex;
    static std::map<std::pair<int, const TileSteps*>, std::uint16_t*> known;
    int device = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    const std::lock_guard lock(mutex);
    std::uint16_t*& there = known[{device, &steps}];
    if (there != nullptr) return there;
    const std::size_t bytes = steps.nodes.size() * sizeof(std::uint16_t);
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "setting up the eikonal solver");
    copy_and_wait(memory, steps.nodes.data(), bytes, cudaMemcpyHostToDevice,
                  "setting up the eikonal solver");
    return there = static_cast<std::uint16_t*>(memory);
}

std::size_t shots_that_fit(const Grid& grid, std::size_t tiles, std::size_t wanted,
                           std::size_t model_bytes) {
    if (wanted <= 1) return 1;
    const std::size_t nodes = grid.node_count();
    const std::size_t shot = nodes * sizeof(float) +
                             tiles * (sizeof(TileState) + TileQueue::ring * sizeof(unsigned)) +
                             4096;
    constexpr double part = 0.95;  // the rest is for what is not counted here
    const double needed = static_cast<double>(wanted * shot + model_bytes) / part + 1;
    const std::size_t free = free_device_memory(static_cast<std::size_t>(needed));
    const auto usable = static_cast<std::size_t>(part * static_cast<double>(free));
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
    s.tiles_of_shot = tiles;
    s.batch = shots_that_fit(s.grid, tiles, most_shots, model_bytes);
    s.memory = memory_for([&](PieceCutter& cutter) {
        s.tau = cutter.cut<float>(s.grid.node_count() * s.batch);
        s.states = cutter.cut<TileState>(tiles * s.batch);
        s.lists = cutter.cut<unsigned>(TileQueue::ring * tiles * s.batch);
        s.counters = cutter.cut<unsigned>(2 * TileQueue::ring + 1);
        s.minima = cutter.cut<float>(2 * TileQueue::ring * s.batch);
        s.passes = cutter.cut<int>(1);
    });
    s.steps = steps_on_device(*shape.steps);
    s.blocks = std::numeric_limits<int>::max();
    for (const int each : s.orders()) {
        const Occupancy found = occupancy_of(s.kernel(each), threads, s.shared_bytes(),
                                             "setting up the eikonal solver");
        s.processors = static_cast<unsigned>(found.processors);
        s.blocks = std::min(s.blocks, found.blocks);
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

void CudaFim::clear(std::size_t shots) { state_->clear(shots, true); }

void CudaFim::start(std::span<const FactoredSource> sources) { state_->launch(sources, nullptr); }

double CudaFim::solve(std::span<const FactoredSource> sources) {
    CudaTimer timer;
    state_->launch(sources, &timer);
    return timer.stop("solving the eikonal equation");
}

void CudaFim::State::launch(std::span<const FactoredSource> sources, CudaTimer* timer) {
    const bool front = !sources.empty() && sources.front().is_front();
    if (front && sources.size() > 1) throw InputError("a CUDA device solves one front at a time");
    TileSetup setup = make_tile_setup(grid, sources, order);
    problem = setup.problem;
    const std::size_t nodes = grid.node_count();
    for (std::size_t n = 0; n < setup.shots.size(); ++n) setup.shots[n].tau = tau + n * nodes;
    std::vector<unsigned> active = setup.active[0];
    active.insert(active.end(), setup.active[1].begin(), setup.active[1].end());
    Parcel parcel;
    const std::size_t shots = parcel.add(setup.shots);
    const std::size_t places = parcel.add(setup.starts);
    const std::size_t start_tau = parcel.add(setup.start_tau);
    const std::size_t active_tiles = parcel.add(active);
    parcel.send(sent);
    problem.velocity = front ? hold_front(sources.front()) : velocity;
    problem.shots = in_parcel<const TileShot>(sent, shots);
    problem.starts = in_parcel<const Index3>(sent, places);
    problem.steps = steps;
    shot_count = static_cast<int>(sources.size());
    entries = sources.size() * tiles_of_shot;
    TileQueue lists_of_batch = queue(shot_count);

    if (timer != nullptr) timer->start();
    if (front || cleared != sources.size()) clear(sources.size(), !front);
    cleared = 0;
    begin_waves<<<static_cast<unsigned>(std::min(shot_count, wide) + 1), 128, 0, cuda_stream()>>>(
        problem, lists_of_batch, shot_count,
        {in_parcel<const float>(sent, start_tau), in_parcel<const unsigned>(sent, active_tiles),
         static_cast<unsigned>(setup.active[0].size()), static_cast<unsigned>(active.size())});
    void* arguments[] = {&problem, &lists_of_batch, &passes};
    const std::vector<int> each = orders();
    for (std::size_t n = 0; n < each.size(); ++n) {
        if (n > 0) {
            reset<<<wide, 256, 0, cuda_stream()>>>(lists_of_batch, entries);
            activate_all<<<wide, 256, 0, cuda_stream()>>>(problem, lists_of_batch, entries);
        }
        check_cuda(
            cudaLaunchCooperativeKernel(kernel(each[n]), dim3(static_cast<unsigned>(blocks)),
                                        dim3(threads), arguments, shared_bytes(), cuda_stream()),
            "starting the eikonal solver");
    }
    mark_unreached<<<wide, 256, 0, cuda_stream()>>>(tau, nodes * sources.size());
    check_cuda(cudaGetLastError(), "starting the eikonal solver");
}

void CudaFim::download(std::size_t number, FieldView<float> tau) const {
    const std::size_t nodes = state_->grid.node_count();
    copy_and_wait(tau.data(), state_->tau + number * nodes, nodes * sizeof(float),
                  cudaMemcpyDeviceToHost, "fetching a time field");
}

FieldView<float, Space::device> CudaFim::tau(std::size_t number) const {
    return {state_->tau + number * state_->grid.node_count(), state_->grid.shape};
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
}

CudaFim::Work CudaFim::work() const {
    const State& s = *state_;
    unsigned* const sum = s.counters + 2 * TileQueue::ring;
    check_cuda(cudaMemsetAsync(sum, 0, sizeof(unsigned), cuda_stream()), "counting visits");
    count_visits<<<wide, 256, 0, cuda_stream()>>>(s.queue(1), s.entries, sum);
    unsigned visits = 0;
    int passes = 0;
    copy_and_wait(&visits, sum, sizeof visits, cudaMemcpyDeviceToHost, "counting visits");
    copy_and_wait(&passes, s.passes, sizeof passes, cudaMemcpyDeviceToHost, "counting passes");
    return {static_cast<double>(visits) / static_cast<double>(std::max<std::size_t>(s.entries, 1)),
            passes};
}

}  // namespace fermat
