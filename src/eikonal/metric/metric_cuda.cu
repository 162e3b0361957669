#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/block.hpp"
#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "eikonal/fim/tile_kernels.cuh"
#include "eikonal/fim/tile_passes.cuh"
#include "eikonal/metric/metric_cuda.hpp"
#include "eikonal/metric/metric_tile_setup.hpp"

namespace fermat {
namespace {

constexpr int warps = 4;
constexpr int threads = warps * CudaWarp::lanes;
constexpr std::size_t shared_bytes = warps * sizeof(MetricTileStorage);

template <bool Full, int Order, bool ByNeighbours>
__global__ void __launch_bounds__(threads, 3)
    run_metric_passes(MetricTileProblem problem, TileQueue queue, int* passes) {
    extern __shared__ char shared[];
    auto* const tiles = reinterpret_cast<MetricTileStorage*>(shared);
    MetricTileStorage& storage = tiles[threadIdx.x / CudaWarp::lanes];
    *passes = run_over_tiles(queue, [&](int pass, unsigned entry) {
        take_metric_tile<Full, Order, ByNeighbours>(CudaWarp(), problem, queue, pass, entry,
                                                    storage);
    });
}

__global__ void activate(TileQueue queue, const unsigned* entries, unsigned even, unsigned all) {
    activate_part(queue, entries, even, all);
}

const void* kernel(bool full, int order, bool by_neighbours) {
    const auto of = [&](auto is_full) {
        constexpr bool f = decltype(is_full)::value;
        if (by_neighbours) return reinterpret_cast<const void*>(&run_metric_passes<f, 1, true>);
        return order == 1 ? reinterpret_cast<const void*>(&run_metric_passes<f, 1, false>)
                          : reinterpret_cast<const void*>(&run_metric_passes<f, 2, false>);
    };
    return full ? of(std::true_type{}) : of(std::false_type{});
}

/// Numbers come from the host one after the other; each goes into its part of the quads.
enum QuadPart { x_part, y_part, z_part, w_part };

__global__ void put_numbers(const float* values, std::size_t count, QuadPart part, Quad* quads) {
    auto* const to = reinterpret_cast<float*>(quads);
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        to[4 * n + part] = values[n];
    }
}

__global__ void make_relative(Quad* diagonal, std::size_t count, float mean) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        diagonal[n].w = relative_mean(mean, diagonal[n].w);
    }
}

__global__ void put_reach(const Quad* diagonal, std::size_t count, Quad* cross) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        const Quad d = diagonal[n];
        const Quad c = cross[n];
        cross[n].w = coupling_reach(SymmetricTensor<float>{d.x, d.y, d.z, c.x, c.y, c.z});
    }
}

/// Start nodes have their tau and are not computed.
__global__ void put_starts(const std::size_t* at, const float* values, unsigned count, float* tau,
                           Quad* source) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    tau[at[n]] = values[n];
    source[at[n]].w = -1;
}

/// Gamma and f^2 of a source, made from its T0 and the columns of nodes. In 2-D the axes of the
/// sweeps are not those of the grid.
__global__ void make_source(const NodeColumn* columns, const NodeRow* rows, unsigned row_count,
                            const float* mean, std::size_t count, MetricShotFactor factor,
                            Quad* source) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        const NodeFrame frame = frame_of(columns[n / row_count], rows[n % row_count]);
        const Vec3 d = frame.place - factor.place;
        const SourceNumber number =
            source_number(frame.along, factor.square.at(d.x, d.y, d.z), mean[n], factor.steps);
        const int first = factor.is_2d ? 1 : 0;
        source[n] = {number.gamma[first], number.gamma[1 - first], number.gamma[2], number.f2};
    }
}

__global__ void fill(float* values, std::size_t count, float value) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        values[n] = value;
    }
}

/// What mark_unreached marked, as kernels want it.
__global__ void clear_unreached(float* tau, std::size_t count) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        if (!(tau[n] < reached_limit<float>)) tau[n] = unreached<float>;
    }
}

__global__ void most_visits(TileQueue queue, std::size_t entries, unsigned* most) {
    unsigned mine = 0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < entries; n += step) {
        mine = max(mine, queue.states[n].visits);
    }
    atomicMax(most, mine);
}

std::size_t shots_that_fit(std::size_t nodes, std::size_t tiles, bool full, std::size_t wanted) {
    const std::size_t model = nodes * (2 * sizeof(float) + (full ? 2 : 1) * sizeof(Quad));
    const std::size_t shot = nodes * (sizeof(float) + sizeof(Quad)) +
                             tiles * (sizeof(TileState) + TileQueue::ring * sizeof(unsigned)) +
                             4096;
    const auto usable = static_cast<std::size_t>(0.9 * static_cast<double>(device_memory().free));
    const std::size_t most = usable > model ? (usable - model) / shot : 0;
    return std::clamp(std::min(wanted, most), std::size_t{1}, std::size_t{256});
}

}  // namespace

struct CudaMetric::State {
    std::size_t nodes = 0;
    std::size_t tiles = 0;
    std::size_t batch = 1;
    bool full = false;
    int order = 2;
    int blocks = 0;
    unsigned processors = 1;
    CudaArray<float> sent;  ///< numbers on their way
    CudaArray<Quad> diagonal;
    CudaArray<Quad> cross;
    CudaArray<NodeColumn> columns;  ///< empty where the host makes the numbers of sources
    CudaArray<NodeRow> rows;
    CudaArray<float> mean;
    CudaArray<Quad> source;
    CudaArray<float> tau;
    CudaArray<TileState> states;
    CudaArray<unsigned> lists;
    CudaArray<unsigned> counters;
    CudaArray<float> minima;
    CudaArray<std::uint16_t> steps;
    CudaArray<MetricTileShot> shots;
    CudaArray<unsigned> active;
    CudaArray<int> passes;
    MetricTileProblem problem;  ///< of the last solve
    unsigned even = 0;          ///< active tiles of the first parity, and all, likewise
    unsigned all = 0;
    std::size_t shot_count = 0;
    bool swung = false;  ///< in the last wave of the last solve
    Work work;

    std::size_t entries() const { return shot_count * tiles; }
    TileQueue queue() const {
        TileQueue q;
        q.states = states.data();
        for (int i = 0; i < TileQueue::ring; ++i) {
            q.list[i] = lists.data() + static_cast<std::size_t>(i) * states.size();
        }
        q.count = counters.data();
        q.taken = counters.data() + TileQueue::ring;
        q.woken_least = minima.data();
        q.waiting_least = minima.data() + static_cast<std::size_t>(TileQueue::ring) * batch;
        q.shots = static_cast<int>(shot_count);
        q.processors = processors;
        return q;
    }

    void send(const float* values, QuadPart part, Quad* quads) {
        sent.upload(std::span(values, nodes));
        put_numbers<<<wide, 256, 0, cuda_stream()>>>(sent.data(), nodes, part, quads);
    }
    void set_source(const Shot& of, std::size_t shot) {
        Quad* const to = source.data() + shot * nodes;
        const NodeNumbers& numbers = of.numbers;
        if (numbers.values[at(NodeNumber::tau)] == nullptr) {
            make_source<<<wide, 256, 0, cuda_stream()>>>(columns.data(), rows.data(),
                                                         static_cast<unsigned>(rows.size()),
                                                         mean.data(), nodes, of.factor, to);
            return;
        }
        send(numbers.values[at(NodeNumber::gamma_x)], x_part, to);
        send(numbers.values[at(NodeNumber::gamma_y)], y_part, to);
        send(numbers.values[at(NodeNumber::gamma_z)], z_part, to);
        send(numbers.values[at(NodeNumber::f2)], w_part, to);
    }

    /// Waves from the start nodes, one with each kernel. A wave over known times visits every tile.
    void run(bool by_neighbours, bool visit_all) {
        TileQueue q = queue();
        reset<<<wide, 256, 0, cuda_stream()>>>(q, entries());
        activate<<<1, 256, 0, cuda_stream()>>>(q, active.data(), even, all);
        problem.visit_all = visit_all;
        int* out = passes.data();
        void* arguments[] = {&problem, &q, &out};
        CudaTimer timer;
        timer.start();
        check_cuda(cudaLaunchCooperativeKernel(kernel(full, order, by_neighbours),
                                               dim3(static_cast<unsigned>(blocks)), dim3(threads),
                                               arguments, shared_bytes, cuda_stream()),
                   "starting the eikonal solver");
        work.seconds += timer.stop("solving the eikonal equation");
        count();
    }
    void count() {
        int ran = 0;
        passes.download(std::span(&ran, 1));
        work.passes += ran;
        work.visits_per_tile +=
            static_cast<double>(number_of([&](unsigned* to) {
                count_visits<<<wide, 256, 0, cuda_stream()>>>(queue(), entries(), to);
            })) /
            static_cast<double>(entries());
    }
    /// Whether times swing between two solutions.
    bool swings() {
        return number_of([&](unsigned* to) {
                   most_visits<<<wide, 256, 0, cuda_stream()>>>(queue(), entries(), to);
               }) > static_cast<unsigned>(fim_free_visits);
    }
    /// What kernels make of a number that is 0 at first.
    template <class Make>
    unsigned number_of(Make make) {
        unsigned* const on_device = counters.data() + 2 * TileQueue::ring;
        check_cuda(cudaMemsetAsync(on_device, 0, sizeof(unsigned), cuda_stream()),
                   "counting visits");
        make(on_device);
        unsigned number = 0;
        copy_and_wait(&number, on_device, sizeof number, cudaMemcpyDeviceToHost, "counting visits");
        return number;
    }

    void start(std::span<const Shot> of, const std::vector<MetricTileSetup>& setups) {
        fill<<<wide, 256, 0, cuda_stream()>>>(tau.data(), nodes * of.size(), unreached<float>);
        std::vector<std::size_t> places;
        std::vector<float> values;
        for (std::size_t n = 0; n < of.size(); ++n) {
            for (const StartNode& start : setups[n].starts) {
                places.push_back(n * nodes + of[n].numbers.shape.offset(start.node));
                values.push_back(static_cast<float>(start.tau));
            }
        }
        if (places.empty()) return;
        CudaArray<std::size_t> to(places.size());
        CudaArray<float> what(values.size());
        to.upload(places);
        what.upload(values);
        const auto number = static_cast<unsigned>(places.size());
        put_starts<<<(number + 255) / 256, 256, 0, cuda_stream()>>>(to.data(), what.data(), number,
                                                                    tau.data(), source.data());
        check_cuda(cudaStreamSynchronize(cuda_stream()), "sending start nodes");
    }
    void fetch(std::span<const Shot> of) const {
        for (std::size_t n = 0; n < of.size(); ++n) {
            const FieldView<float> to = of[n].tau;
            copy_and_wait(to.data(), tau.data() + n * nodes, nodes * sizeof(float),
                          cudaMemcpyDeviceToHost, "fetching a time field");
        }
    }
};

CudaMetric::CudaMetric(const NodeNumbers& numbers, const NodeFrames* frames, int order,
                       std::size_t most_shots)
    : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    State& s = *state_;
    s.full = numbers.full();
    s.order = order;
    s.nodes = numbers.shape.count();
    const MetricTileSetup setup = make_metric_tiles(numbers);
    s.tiles = static_cast<std::size_t>(setup.problem.tile_count());
    s.batch = shots_that_fit(s.nodes, s.tiles, s.full, most_shots);
    s.sent = CudaArray<float>(s.nodes);
    s.diagonal = CudaArray<Quad>(s.nodes);
    if (s.full) s.cross = CudaArray<Quad>(s.nodes);
    s.source = CudaArray<Quad>(s.nodes * s.batch);
    s.tau = CudaArray<float>(s.nodes * s.batch);
    s.states = CudaArray<TileState>(s.tiles * s.batch);
    s.lists = CudaArray<unsigned>(TileQueue::ring * s.tiles * s.batch);
    s.counters = CudaArray<unsigned>(2 * TileQueue::ring + 1);
    s.minima = CudaArray<float>(2 * TileQueue::ring * s.batch);
    s.steps = CudaArray<std::uint16_t>(setup.steps->nodes.size());
    s.shots = CudaArray<MetricTileShot>(s.batch);
    s.passes = CudaArray<int>(1);
    s.steps.upload(setup.steps->nodes);
    replace_tensors(numbers);
    if (frames != nullptr) {
        s.columns = CudaArray<NodeColumn>(frames->columns.size());
        s.rows = CudaArray<NodeRow>(frames->rows.size());
        s.mean = CudaArray<float>(s.nodes);
        s.columns.upload(frames->columns);
        s.rows.upload(frames->rows);
        s.mean.upload(std::span(numbers.mean, s.nodes));
    }
    int device = 0;
    int processors = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
               "asking for the device");
    s.processors = static_cast<unsigned>(processors);
    s.blocks = std::numeric_limits<int>::max();
    for (const bool by_neighbours : {true, false}) {
        const void* const each = kernel(s.full, order, by_neighbours);
        int resident = 0;
        check_cuda(cudaFuncSetAttribute(each, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)),
                   "setting up the eikonal solver");
        check_cuda(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, each, threads, shared_bytes),
            "setting up the eikonal solver");
        s.blocks = std::min(s.blocks, std::max(1, resident) * processors);
    }
    // A pass visits the tiles of one parity. Warps without one would only make all others wait.
    const std::size_t busy = (s.tiles * s.batch + 2 * warps - 1) / (2 * warps);
    s.blocks = static_cast<int>(std::min(static_cast<std::size_t>(s.blocks), busy));
}

CudaMetric::CudaMetric(CudaMetric&&) noexcept = default;
CudaMetric::~CudaMetric() = default;

std::size_t CudaMetric::batch() const { return state_->batch; }

void CudaMetric::replace_tensors(const NodeNumbers& numbers) {
    State& s = *state_;
    Quad* const d = s.diagonal.data();
    s.send(numbers.values[at(NodeNumber::xx)], x_part, d);
    s.send(numbers.values[at(NodeNumber::yy)], y_part, d);
    s.send(numbers.values[at(NodeNumber::zz)], z_part, d);
    s.send(numbers.mean, w_part, d);
    make_relative<<<wide, 256, 0, cuda_stream()>>>(d, s.nodes,
                                                   static_cast<float>(medium_mean(numbers)));
    if (s.full) {
        Quad* const c = s.cross.data();
        s.send(numbers.values[at(NodeNumber::xy)], x_part, c);
        s.send(numbers.values[at(NodeNumber::xz)], y_part, c);
        s.send(numbers.values[at(NodeNumber::yz)], z_part, c);
        put_reach<<<wide, 256, 0, cuda_stream()>>>(d, s.nodes, c);
    }
    check_cuda(cudaStreamSynchronize(cuda_stream()), "sending tensors");
}

double CudaMetric::solve(std::span<const Shot> shots) {
    State& s = *state_;
    s.work = {};
    if (shots.empty()) return 0;
    s.shot_count = shots.size();
    std::vector<MetricTileSetup> setups;
    std::vector<MetricTileShot> of_tiles;
    std::vector<unsigned> active[2];
    for (std::size_t n = 0; n < shots.size(); ++n) {
        setups.push_back(make_metric_tiles(shots[n].numbers));
        MetricTileSetup& setup = setups.back();
        setup.shot.tau = s.tau.data() + n * s.nodes;
        setup.shot.source = s.source.data() + n * s.nodes;
        of_tiles.push_back(setup.shot);
        for (int parity = 0; parity < 2; ++parity) {
            for (const unsigned tile : setup.active[parity]) {
                active[parity].push_back(static_cast<unsigned>(n * s.tiles) + tile);
            }
        }
        s.set_source(shots[n], n);
    }
    s.problem = setups.front().problem;
    s.problem.diagonal = s.diagonal.data();
    s.problem.cross = s.full ? s.cross.data() : nullptr;
    s.problem.shots = s.shots.data();
    s.problem.steps = s.steps.data();
    s.shots.upload(of_tiles);
    s.even = static_cast<unsigned>(active[0].size());
    active[0].insert(active[0].end(), active[1].begin(), active[1].end());
    s.all = static_cast<unsigned>(active[0].size());
    s.active.reserve(active[0].size());
    s.active.upload(active[0]);
    s.start(shots, setups);
    bool from_first_order = shots.front().numbers.long_cells;
    if (!from_first_order) {
        s.run(false, false);
        from_first_order = s.swings();
        if (from_first_order) s.start(shots, setups);
    }
    if (from_first_order) {
        s.run(true, false);
        s.run(false, true);
    }
    s.swung = from_first_order && s.swings();
    mark_unreached<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), s.nodes * shots.size());
    s.fetch(shots);
    return s.work.seconds;
}

std::vector<std::size_t> CudaMetric::unsettled(std::span<const Shot> shots, float most) {
    State& s = *state_;
    std::vector<std::size_t> out;
    if (!s.swung) return out;
    clear_unreached<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), s.nodes * shots.size());
    s.run(false, true);
    std::vector<float> after(s.nodes);
    for (std::size_t n = 0; n < shots.size(); ++n) {
        copy_and_wait(after.data(), s.tau.data() + n * s.nodes, s.nodes * sizeof(float),
                      cudaMemcpyDeviceToHost, "fetching a time field");
        const FieldView<float> before = shots[n].tau;
        float change = 0;
        for (std::size_t i = 0; i < s.nodes; ++i) {
            if (!std::isfinite(before[i])) continue;
            change = std::max(change, std::abs(after[i] / before[i] - 1));
        }
        if (change > most) out.push_back(n);
    }
    return out;
}

float CudaMetric::settle_again(const Shot& shot) {
    State& s = *state_;
    s.set_source(shot, 0);
    const FieldView<float> tau = shot.tau;
    const std::vector<float> before(tau.data(), tau.data() + tau.size());
    clear_unreached<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), s.nodes);
    s.run(false, true);
    mark_unreached<<<wide, 256, 0, cuda_stream()>>>(s.tau.data(), s.nodes);
    s.fetch(std::span(&shot, 1));
    float most = 0;
    for (std::size_t n = 0; n < before.size(); ++n) {
        if (std::isfinite(before[n])) most = std::max(most, std::abs(tau[n] / before[n] - 1));
    }
    return most;
}

CudaMetric::Work CudaMetric::work() const { return state_->work; }

}  // namespace fermat
