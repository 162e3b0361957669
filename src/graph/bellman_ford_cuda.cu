#include <cooperative_groups.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "core/page_locked_cuda.hpp"
#include "graph/bellman_ford_cuda.hpp"
#include "graph/node_tile_queue.hpp"
#include "graph/node_tile_setup.hpp"
#include "graph/shortest_tree_cuda.hpp"

namespace fermat {
namespace {

/// Blocks per multiprocessor. With two, a lane would have 128 registers and would spill some of its
/// 96 weights, and a wavefront has hardly more tiles than one per block. On an H200, two took a
/// fifth longer.
constexpr int resident_blocks = 1;

/// On a GPU each thread is one lane and keeps its own values.
template <int Held>
struct OwnLane {
    NodeLane<Held> own;
    __device__ NodeLane<Held>& operator[](int) { return own; }
};

/// Runs all passes of a batch without the host.
template <int Held>
__global__ void __launch_bounds__(tile_lanes, resident_blocks)
    relax_tiles(const __grid_constant__ NodeTiles tiles,
                const __grid_constant__ HeldSteps<Held> steps,
                const __grid_constant__ NodeTileQueue queue, float* times, std::size_t stride,
                float* made_weights, int* passes) {
    extern __shared__ float shared[];
    TileRoom room = room_in(tiles, shared);
    room.weights = made_weights + blockIdx.x * tiles.tile_weights();
    const CudaBlock block;
    const auto grid = cooperative_groups::this_grid();
    OwnLane<Held> lane;
    int pass = 0;
    while (true) {
        const unsigned count = queue.length(pass);
        if (count == 0) break;
        if (blockIdx.x == 0) queue.prepare(block, pass);
        for (unsigned n = blockIdx.x; n < count; n += gridDim.x) {
            take_node_tile(block, tiles, steps, queue, pass, queue.entry(pass, n), times, stride,
                           lane, room);
        }
        grid.sync();
        ++pass;
    }
    if (grid.thread_rank() == 0) *passes = pass;
}

__global__ void __launch_bounds__(tile_lanes)
    make_weights(const __grid_constant__ NodeTiles tiles, float* weights) {
    for (unsigned tile = blockIdx.x; tile < tiles.tile_count(); tile += gridDim.x) {
        make_tile_weights(CudaBlock(), tiles, tile, weights + tile * tiles.tile_weights());
    }
}

__global__ void start(const __grid_constant__ NodeTiles tiles,
                      const __grid_constant__ NodeTileQueue queue, const ShotLink* links,
                      std::size_t count, float* times, std::size_t stride) {
    const std::size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    start_from(tiles, queue, links[n], times + static_cast<std::size_t>(links[n].shot) * stride);
}

/// Calls run(Held) with the number of weights that a lane keeps as a compile-time constant.
template <class Run>
void with_held(int edges, Run run) {
    if (edges <= 16) {
        run(std::integral_constant<int, 16>());
    } else if (edges <= 32) {
        run(std::integral_constant<int, 32>());
    } else if (edges <= 48) {
        run(std::integral_constant<int, 48>());
    } else {
        run(std::integral_constant<int, 96>());
    }
}

int attribute(cudaDeviceAttr which) {
    int device = 0;
    int value = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&value, which, device), "asking for the device");
    return value;
}

std::string gigabytes(std::size_t bytes) {
    const auto tenths = static_cast<long long>(static_cast<double>(bytes) * 1e-8 + 0.5);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

std::string cuda_obstacle(const GraphView& graph) {
    if (device_count() == 0) return {};
    const std::size_t needed = room_bytes(cut_into_tiles(graph));
    const auto most = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    if (needed <= most) return {};
    const Index3 r = graph.border;
    return "a tile of radius (" + std::to_string(r.x) + ", " + std::to_string(r.y) + ", " +
           std::to_string(r.z) + ") takes " + std::to_string(needed / 1024) +
           " KB and a multiprocessor has " + std::to_string(most / 1024);
}

struct CudaGraph::State {
    std::mutex one_at_a_time;
    NodeTileSetup setup;
    CudaArray<float> slowness;
    CudaArray<std::int32_t> step;
    CudaArray<std::int32_t> tile_step;
    CudaArray<std::int32_t> first_term;
    CudaArray<EdgeTerm> terms;
    CudaArray<float> weights;                    ///< of all tiles, if they are stored
    std::unique_ptr<PageLocked<float>> swapped;  ///< the same in the host's memory
    CudaArray<float> made_weights;               ///< of the tiles that blocks are visiting, if not
    int blocks = 0;

    // The work space of a batch.
    std::size_t shots = 0;
    CudaArray<float> times;
    CudaArray<std::uint16_t> predecessor;
    CudaArray<float> key;
    CudaArray<unsigned> counters;  ///< rounds and visits of entries, counts of lists, nodes left
    CudaArray<unsigned> lists;
    CudaArray<float> least;
    CudaArray<ShotLink> links;
    CudaArray<int> passes;

    std::size_t last_shots = 0;
    int last_passes = 0;
    std::vector<unsigned> last_counters;

    float* all_weights() const { return swapped ? swapped->data() : weights.data(); }
    std::size_t stride() const { return setup.tiles.graph.memory.count(); }
    std::size_t tile_count() const { return setup.tiles.tile_count(); }
    std::size_t shot_bytes() const {
        return stride() * (sizeof(float) + sizeof(std::uint16_t)) +
               tile_count() * (3 + NodeTileQueue::ring) * sizeof(float) + 4096;
    }
    void reserve(std::size_t wanted, std::size_t link_count) {
        if (links.size() < link_count) {
            links = {};
            links = CudaArray<ShotLink>(link_count);
        }
        if (shots >= wanted) return;
        shots = 0;
        times = {};
        predecessor = {};
        times = CudaArray<float>(wanted * stride());
        predecessor = CudaArray<std::uint16_t>(wanted * stride());
        key = CudaArray<float>(wanted * tile_count());
        counters = CudaArray<unsigned>(2 * wanted * tile_count() + NodeTileQueue::ring + 1);
        lists = CudaArray<unsigned>(NodeTileQueue::ring * wanted * tile_count());
        least = CudaArray<float>(NodeTileQueue::ring * wanted);
        passes = CudaArray<int>(1);
        shots = wanted;
    }
    NodeTileQueue queue(std::size_t shot_count) const {
        const std::size_t entries = shot_count * tile_count();
        NodeTileQueue q;
        q.key = key.data();
        q.rounds = counters.data();
        q.visits = counters.data() + entries;
        q.count = counters.data() + 2 * entries;
        for (int i = 0; i < NodeTileQueue::ring; ++i) {
            q.list[i] = lists.data() + static_cast<std::size_t>(i) * entries;
        }
        q.least_of_pass = least.data();
        q.shots = static_cast<int>(shot_count);
        q.entries = static_cast<unsigned>(entries);
        q.all = setup.tiles.all;
        return q;
    }
    void relax(std::size_t shot_count) {
        NodeTileQueue q = queue(shot_count);
        float* all = times.data();
        std::size_t apart = stride();
        float* made = made_weights.data();
        int* pass_count = passes.data();
        with_held(setup.tiles.graph.edges, [&](auto held) {
            constexpr int count = decltype(held)::value;
            HeldSteps<count> steps = setup.template held_steps<count>();
            void* arguments[] = {&setup.tiles, &steps, &q, &all, &apart, &made, &pass_count};
            check_cuda(
                cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&relax_tiles<count>),
                                            dim3(static_cast<unsigned>(blocks)), dim3(tile_lanes),
                                            arguments, room_bytes(setup.tiles), nullptr),
                "starting the shortest paths");
        });
    }
};

CudaGraph::CudaGraph(const GraphView& host, const StarTable& star, EdgeWeights weights,
                     const NodeTileTuning& tuning)
    : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    if (const std::string obstacle = cuda_obstacle(host); !obstacle.empty()) {
        throw InputError(obstacle);
    }
    State& s = *state_;
    s.setup = make_node_tiles(host, star, tuning);
    GraphView& graph = s.setup.tiles.graph;
    s.slowness = CudaArray<float>(host.memory.count());
    s.step = CudaArray<std::int32_t>(star.step.size());
    s.tile_step = CudaArray<std::int32_t>(s.setup.step.size());
    s.first_term = CudaArray<std::int32_t>(star.first_term.size());
    s.terms = CudaArray<EdgeTerm>(star.terms.size());
    s.step.upload(star.step);
    s.tile_step.upload(s.setup.step);
    s.first_term.upload(star.first_term);
    s.terms.upload(star.terms);
    graph.slowness = s.slowness.data();
    graph.step = s.step.data();
    graph.length = nullptr;
    graph.first_term = s.first_term.data();
    graph.terms = s.terms.data();
    graph.stored = nullptr;
    s.setup.tiles.step = s.tile_step.data();

    with_held(graph.edges, [&](auto held) {
        const auto kernel = reinterpret_cast<const void*>(&relax_tiles<decltype(held)::value>);
        const std::size_t shared = room_bytes(s.setup.tiles);
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)),
                   "setting up the shortest paths");
        int resident = 0;
        check_cuda(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, tile_lanes, shared),
            "setting up the shortest paths");
        s.blocks = std::max(1, resident) * attribute(cudaDevAttrMultiProcessorCount);
    });
    const std::size_t count = s.setup.tiles.tile_weights() * s.tile_count();
    const std::size_t bytes = count * sizeof(float);
    const std::size_t free = device_memory().free;
    if (weights == EdgeWeights::stored && bytes + s.shot_bytes() > free) {
        throw ComputeError(
            "the times of the graph's edges take " + gigabytes(bytes) +
            " of the CUDA device's memory (" + gigabytes(free) +
            " are free: use weights 'swapped' or 'computed', a smaller radius, or cpu)");
    }
    if (weights == EdgeWeights::stored ||
        (weights == EdgeWeights::automatic && bytes + s.shot_bytes() < free / 2)) {
        s.weights = CudaArray<float>(count);
        s.setup.tiles.weights = s.weights.data();
    } else if (weights == EdgeWeights::swapped) {
        s.swapped = std::make_unique<PageLocked<float>>(count);
        s.setup.tiles.weights = s.swapped->data();
    } else {
        s.made_weights =
            CudaArray<float>(s.setup.tiles.tile_weights() * static_cast<std::size_t>(s.blocks));
    }
    set_slowness({host.slowness, host.memory.count()});
}

CudaGraph::~CudaGraph() = default;

bool CudaGraph::stores_weights() const { return state_->all_weights() != nullptr; }

std::size_t CudaGraph::batch(std::size_t wanted) const {
    const State& s = *state_;
    constexpr std::size_t filling_nodes = std::size_t{1} << 25;
    const std::size_t filling = std::max<std::size_t>(1, filling_nodes / s.stride());
    const auto fit =
        static_cast<std::size_t>(0.9 * static_cast<double>(device_memory().free)) / s.shot_bytes() +
        s.shots;
    return std::clamp<std::size_t>(std::min({wanted, filling, fit}), 1, 256);
}

double CudaGraph::set_slowness(std::span<const float> slowness) {
    State& s = *state_;
    const std::lock_guard lock(s.one_at_a_time);
    s.slowness.upload(slowness);
    CudaTimer timer;
    timer.start();
    if (float* const all = s.all_weights(); all != nullptr) {
        make_weights<<<8 * wide, tile_lanes>>>(s.setup.tiles, all);
    }
    return timer.stop("making weights");
}

double CudaGraph::solve(std::span<const std::vector<Link>> sources,
                        const std::function<void(std::size_t)>& consume) {
    State& s = *state_;
    const std::lock_guard lock(s.one_at_a_time);
    std::vector<ShotLink> links;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        for (const Link& link : sources[n]) {
            links.push_back({link.place, link.time, static_cast<int>(n)});
        }
    }
    s.reserve(sources.size(), links.size());
    s.links.upload(links);
    NodeTiles& tiles = s.setup.tiles;
    const NodeTileQueue queue = s.queue(sources.size());
    const std::size_t entries = sources.size() * s.tile_count();
    const auto blocks_of_links = static_cast<unsigned>((links.size() + threads - 1) / threads);

    CudaTimer timer;
    timer.start();
    fill<<<wide, threads>>>(s.times.data(), sources.size() * s.stride(), INFINITY);
    fill<<<wide, threads>>>(s.key.data(), entries, INFINITY);
    fill<<<1, threads>>>(s.least.data(), NodeTileQueue::ring * sources.size(), INFINITY);
    check_cuda(cudaMemsetAsync(s.counters.data(), 0, s.counters.bytes()),
               "starting the shortest paths");
    start<<<blocks_of_links, threads>>>(tiles, queue, s.links.data(), links.size(), s.times.data(),
                                        s.stride());
    s.relax(sources.size());
    find_predecessors(tiles, static_cast<unsigned>(sources.size()), {s.links.data(), links.size()},
                      s.times.data(), s.predecessor.data(), queue.count + NodeTileQueue::ring);
    const double seconds = timer.stop("finding shortest paths");

    s.last_shots = sources.size();
    s.passes.download(std::span(&s.last_passes, 1));
    s.last_counters.resize(2 * entries);
    check_cuda(cudaMemcpy(s.last_counters.data(), s.counters.data(), 2 * entries * sizeof(unsigned),
                          cudaMemcpyDeviceToHost),
               "counting visits");
    for (std::size_t n = 0; n < sources.size(); ++n) consume(n);
    return seconds;
}

void CudaGraph::fetch(std::size_t number, GraphField& field) const {
    const State& s = *state_;
    const std::size_t nodes = s.stride();
    check_cuda(cudaMemcpy(field.times.data(), s.times.data() + number * nodes,
                          nodes * sizeof(float), cudaMemcpyDeviceToHost),
               "fetching a time field");
    check_cuda(cudaMemcpy(field.predecessor.data(), s.predecessor.data() + number * nodes,
                          nodes * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
               "fetching predecessors");
    field.passes = s.last_passes;
    field.relaxations = 0;
    for (std::size_t t = 0; t < s.tile_count(); ++t) {
        field.relaxations +=
            static_cast<std::int64_t>(s.last_counters[number * s.tile_count() + t]) * tile_lanes *
            s.setup.tiles.graph.edges;
    }
}

CudaGraph::Work CudaGraph::work() const {
    const State& s = *state_;
    const std::size_t entries = s.last_shots * s.tile_count();
    Work work;
    for (std::size_t n = 0; n < entries; ++n) {
        work.rounds_per_tile += s.last_counters[n];
        work.visits_per_tile += s.last_counters[entries + n];
    }
    work.rounds_per_tile /= static_cast<double>(entries);
    work.visits_per_tile /= static_cast<double>(entries);
    work.passes = s.last_passes;
    return work;
}

}  // namespace fermat
