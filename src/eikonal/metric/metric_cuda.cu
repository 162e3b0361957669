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

template <bool Full, int Order, bool ByNeighbours>
__global__ void __launch_bounds__(threads, 4)
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

constexpr std::size_t shared_bytes = warps * sizeof(MetricTileStorage);

}  // namespace

struct CudaMetric::State {
    Shape shape;
    bool full = false;
    int order = 2;
    int blocks = 0;
    unsigned processors = 1;
    CudaArray<Quad> diagonal;
    CudaArray<Quad> cross;
    CudaArray<Quad> source;
    CudaArray<float> tau;
    CudaArray<TileState> states;
    CudaArray<unsigned> lists;
    CudaArray<unsigned> counters;
    CudaArray<float> minima;
    CudaArray<std::uint16_t> steps;
    CudaArray<MetricTileShot> shot;
    CudaArray<unsigned> active;
    CudaArray<int> passes;
    MetricTileSetup setup;
    Work work;

    TileQueue queue() const {
        TileQueue q;
        q.states = states.data();
        for (int i = 0; i < TileQueue::ring; ++i) {
            q.list[i] = lists.data() + static_cast<std::size_t>(i) * states.size();
        }
        q.count = counters.data();
        q.taken = counters.data() + TileQueue::ring;
        q.woken_least = minima.data();
        q.waiting_least = minima.data() + TileQueue::ring;
        q.shots = 1;
        q.processors = processors;
        return q;
    }

    /// Waves from the start nodes, one with each kernel. Later ones visit every tile.
    void run(bool by_neighbours) {
        TileQueue q = queue();
        const auto even = static_cast<unsigned>(setup.active[0].size());
        const auto all = static_cast<unsigned>(even + setup.active[1].size());
        reset<<<wide, 256>>>(q, states.size());
        activate<<<1, 256>>>(q, active.data(), even, all);
        MetricTileProblem problem = setup.problem;
        problem.visit_all = !by_neighbours;
        int* out = passes.data();
        void* arguments[] = {&problem, &q, &out};
        check_cuda(cudaLaunchCooperativeKernel(kernel(full, order, by_neighbours),
                                               dim3(static_cast<unsigned>(blocks)), dim3(threads),
                                               arguments, shared_bytes, nullptr),
                   "starting the eikonal solver");
    }
    void fetch(FieldView<float> to) const {
        tau.download(std::span(to.data(), to.size()));
        for (float& value : to) {
            if (!(value < reached_limit<float>)) value = std::numeric_limits<float>::infinity();
        }
    }
    void count() {
        int ran = 0;
        passes.download(std::span(&ran, 1));
        unsigned* const sum = counters.data() + 2 * TileQueue::ring;
        check_cuda(cudaMemset(sum, 0, sizeof(unsigned)), "counting visits");
        count_visits<<<wide, 256>>>(queue(), states.size(), sum);
        unsigned visits = 0;
        check_cuda(cudaMemcpy(&visits, sum, sizeof visits, cudaMemcpyDeviceToHost),
                   "counting visits");
        work.passes += ran;
        work.visits_per_tile += static_cast<double>(visits) / static_cast<double>(states.size());
    }
};

CudaMetric::CudaMetric(const NodeNumbers& numbers, int order) : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    State& s = *state_;
    s.shape = numbers.shape;
    s.full = numbers.full();
    s.order = order;
    const std::size_t nodes = s.shape.count();
    const MetricTileSetup setup = make_metric_tiles(numbers);
    const auto tiles = static_cast<std::size_t>(setup.problem.tile_count());
    s.diagonal = CudaArray<Quad>(nodes);
    if (s.full) s.cross = CudaArray<Quad>(nodes);
    s.source = CudaArray<Quad>(nodes);
    s.tau = CudaArray<float>(nodes);
    s.states = CudaArray<TileState>(tiles);
    s.lists = CudaArray<unsigned>(TileQueue::ring * tiles);
    s.counters = CudaArray<unsigned>(2 * TileQueue::ring + 1);
    s.minima = CudaArray<float>(2 * TileQueue::ring);
    s.steps = CudaArray<std::uint16_t>(setup.steps->nodes.size());
    s.shot = CudaArray<MetricTileShot>(1);
    s.passes = CudaArray<int>(1);
    s.steps.upload(setup.steps->nodes);
    replace_tensors(numbers);
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
    const std::size_t busy = (tiles + 2 * warps - 1) / (2 * warps);
    s.blocks = static_cast<int>(std::min(static_cast<std::size_t>(s.blocks), busy));
}

CudaMetric::CudaMetric(CudaMetric&&) noexcept = default;
CudaMetric::~CudaMetric() = default;

void CudaMetric::replace_tensors(const NodeNumbers& numbers) {
    State& s = *state_;
    s.diagonal.upload(diagonal_quads(numbers));
    if (s.full) s.cross.upload(cross_quads(numbers));
    check_cuda(cudaStreamSynchronize(nullptr), "sending tensors");
}

double CudaMetric::solve(const NodeNumbers& numbers, FieldView<float> tau) {
    State& s = *state_;
    s.setup = make_metric_tiles(numbers);
    MetricTileProblem& problem = s.setup.problem;
    problem.diagonal = s.diagonal.data();
    problem.cross = s.full ? s.cross.data() : nullptr;
    problem.shots = s.shot.data();
    problem.steps = s.steps.data();
    s.setup.shot.tau = s.tau.data();
    s.setup.shot.source = s.source.data();
    s.shot.upload(std::span(&s.setup.shot, 1));
    std::vector<unsigned> active = s.setup.active[0];
    active.insert(active.end(), s.setup.active[1].begin(), s.setup.active[1].end());
    s.active.reserve(active.size());
    s.active.upload(active);
    s.source.upload(source_quads(numbers));
    s.tau.upload(
        std::span(numbers.values[static_cast<std::size_t>(NodeNumber::tau)], s.shape.count()));
    check_cuda(cudaStreamSynchronize(nullptr), "sending a source");
    s.work = {};
    CudaTimer timer;
    timer.start();
    s.run(true);
    s.work.seconds = timer.stop("solving the eikonal equation");
    s.count();
    timer.start();
    s.run(false);
    s.work.seconds += timer.stop("solving the eikonal equation");
    s.count();
    s.fetch(tau);
    return s.work.seconds;
}

float CudaMetric::settle_again(const NodeNumbers& numbers, FieldView<float> tau) {
    State& s = *state_;
    s.source.upload(source_quads(numbers));
    const std::vector<float> before(tau.data(), tau.data() + tau.size());
    CudaTimer timer;
    timer.start();
    s.run(false);
    s.work.seconds += timer.stop("solving the eikonal equation");
    s.count();
    s.fetch(tau);
    float most = 0;
    for (std::size_t n = 0; n < before.size(); ++n) {
        if (std::isfinite(before[n])) most = std::max(most, std::abs(tau[n] / before[n] - 1));
    }
    return most;
}

CudaMetric::Work CudaMetric::work() const { return state_->work; }

}  // namespace fermat
