#pragma once

#include <cooperative_groups.h>

#include "core/block.hpp"
#include "core/launch_cuda.hpp"
#include "eikonal/adjoint/back_queue.hpp"
#include "eikonal/adjoint/back_weigher.hpp"
#include "eikonal/fim/tile_passes.cuh"

namespace fermat::adjoint_kernels {

/// Warps per block of the substitution, and blocks per multiprocessor: as many as shared memory
/// allows. Warps wait for one another between passes only.
constexpr int warps = 4;
constexpr int resident_blocks = 3;
constexpr int substitution_threads = warps * CudaWarp::lanes;
constexpr int threads = 256;

/// A sum over the nodes of one source, in double precision and in a fixed order.
struct NodeSums {
    double slope[3] = {0, 0, 0};  ///< dJ/d(source position), by the axes of a tile
    double start_time = 0;
    double unsettled = 0;  ///< nodes

    FERMAT_HD void add(const NodeSums& other) {
        for (int axis = 0; axis < 3; ++axis) slope[axis] += other.slope[axis];
        start_time += other.start_time;
        unsettled += other.unsettled;
    }
};

__device__ inline double sum_of_block(double value) {
    __shared__ double parts[threads];
    parts[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    const double sum = parts[0];
    __syncthreads();
    return sum;
}

__device__ inline void keep_sums(const NodeSums& mine, NodeSums& of_block) {
    NodeSums sums;
    for (int axis = 0; axis < 3; ++axis) sums.slope[axis] = sum_of_block(mine.slope[axis]);
    sums.start_time = sum_of_block(mine.start_time);
    sums.unsettled = sum_of_block(mine.unsettled);
    if (threadIdx.x == 0) of_block = sums;
}

/// Calls visit(node, its place by the axes of a tile) for the nodes that a thread has.
template <class Visit>
__device__ void for_each_node(const TileProblem& problem, Visit visit) {
    // There are fewer than 2^32 nodes; small numbers are divided in a third of the time.
    const std::size_t nodes = problem.offset(problem.shape[0], 0, 0);
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const auto width = static_cast<unsigned>(problem.shape[2]);
    const auto height = static_cast<unsigned>(problem.shape[1]);
    for (std::size_t n = thread_number(); n < nodes; n += step) {
        const auto node = static_cast<unsigned>(n);
        const unsigned line = node / width;
        const unsigned plane = line / height;
        const int place[3] = {static_cast<int>(plane), static_cast<int>(line - plane * height),
                              static_cast<int>(node - line * width)};
        visit(n, place);
    }
}

/// Warps per block of weigh(), and blocks per multiprocessor: more would have too few registers.
constexpr int weigh_warps = 4;
constexpr int weigh_blocks = 5;

/// Weighs the nodes of all tiles, one warp per tile.
template <int Dim, int Order>
__global__ void __launch_bounds__(weigh_warps* CudaWarp::lanes, weigh_blocks)
    weigh(TileProblem problem, BackShot<float>* fields, BackOrder order, bool everywhere) {
    extern __shared__ char shared[];
    auto* const storages = reinterpret_cast<WeighStorage<Dim, float>*>(shared);
    WeighStorage<Dim, float>& storage = storages[threadIdx.x / CudaWarp::lanes];
    const CudaWarp warp;
    const auto tiles = static_cast<unsigned>(problem.tile_count());
    const unsigned first = blockIdx.x * weigh_warps + threadIdx.x / CudaWarp::lanes;
    for (unsigned entry = first; entry < order.entries; entry += gridDim.x * weigh_warps) {
        const unsigned number = entry / tiles;
        BackWeigher<Dim, Order, float, CudaWarp> weigher(warp, problem, problem.shots[number],
                                                         fields[number],
                                                         static_cast<int>(entry % tiles), storage);
        const auto found = weigher.weigh(everywhere);
        const unsigned latest = __reduce_max_sync(CudaWarp::all, __float_as_uint(found.latest));
        if (!warp.leads()) continue;
        order.marks[entry] = found.marks;
        order.latest[entry] = __uint_as_float(latest);
        atomicMax(reinterpret_cast<unsigned*>(&fields[number].latest), latest);
    }
}

/// Keeps the least number that any thread tells; 0 is none (told_number).
__device__ inline void tell_number(unsigned* least, std::size_t number) {
    atomicMax(least, ~static_cast<unsigned>(number));
}
inline unsigned told_number(unsigned least) { return ~least; }

/// What J asks of the nodes of one field: adds dJ/dw to `asked`.
template <class Number>
__global__ void ask(TileProblem problem, int number, const Number* by_times, double unit,
                    double slowness, const float* tau, float* asked, NodeSums* sums,
                    unsigned* not_finite) {
    const TileShot shot = problem.shots[number];
    NodeSums mine;
    for_each_node(problem, [&](std::size_t n, const int(&place)[3]) {
        const auto by = static_cast<double>(by_times[n]);
        if (by == 0 || !(tau[n] < reached_limit<float>)) return;
        if (!isfinite(by)) {
            tell_number(not_finite, n);
            return;
        }
        mine.start_time += by;
        double x[3];
        double r2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = shot.factor.coordinate(axis, place[axis]);
            r2 += x[axis] * x[axis];
        }
        if (r2 == 0) return;
        const double r = sqrt(r2);
        asked[n] += static_cast<float>(by * r * unit);
        const double part = by * slowness * static_cast<double>(tau[n]) / r;
        for (int axis = 0; axis < 3; ++axis) mine.slope[axis] -= part * x[axis];
    });
    keep_sums(mine, sums[blockIdx.x]);
}

/// lambda of some nodes, given as shot * nodes of the grid + offset of the node.
template <int Dim>
__global__ void pick(TileProblem problem, const BackShot<float>* fields, const std::size_t* at,
                     std::size_t count, float* values) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    const std::size_t nodes = problem.offset(problem.shape[0], 0, 0);
    const std::size_t shot = at[n] / nodes;
    const auto node = static_cast<unsigned>(at[n] % nodes);
    const auto width = static_cast<unsigned>(problem.shape[2]);
    const auto height = static_cast<unsigned>(problem.shape[1]);
    const int place[3] = {static_cast<int>(node / (width * height)),
                          static_cast<int>(node / width % height), static_cast<int>(node % width)};
    values[n] = fields[shot].lambda[place_in_tiles<Dim>(problem, problem.shots[shot].shift, place)];
}

__global__ inline void clear(TileQueue queue) {
    for (int n = static_cast<int>(threadIdx.x); n < TileQueue::ring * queue.shots;
         n += static_cast<int>(blockDim.x)) {
        queue.woken_least[n] = INFINITY;
        queue.waiting_least[n] = INFINITY;
    }
    if (threadIdx.x < TileQueue::ring) {
        queue.count[threadIdx.x] = 0;
        queue.taken[threadIdx.x] = 0;
    }
}

/// Takes groups of tiles in their order (BackOrder) until no more become ready.
template <class Take>
__device__ void run_in_order(const BackOrder& order, Take take) {
    const CudaWarp warp;
    for (;;) {
        unsigned group = BackOrder::none;
        if (warp.leads()) {
            const unsigned ticket = atomicAdd(&order.taken(), 1U);
            for (unsigned look = 0; ticket < order.entries; ++look) {
                group = *static_cast<volatile unsigned*>(order.ready + ticket);
                if (group != BackOrder::none) break;
                __nanosleep(100);
                if (look % 8 != 0) continue;
                // If all that were pushed before this moment are finished, none is pushed any more.
                const unsigned finished = *static_cast<volatile unsigned*>(&order.finished());
                __threadfence();
                if (finished == *static_cast<volatile unsigned*>(&order.pushed())) break;
            }
        }
        group = __shfl_sync(CudaWarp::all, group, 0);
        if (group == BackOrder::none) return;
        take(group);
        __syncwarp();
    }
}

/// Runs the whole substitution without the host.
template <int Dim>
__global__ void __launch_bounds__(substitution_threads, resident_blocks)
    run_back(BackProblem<float> problem, BackOrder order, TileQueue queue, int* passes) {
    extern __shared__ char shared[];
    auto* const tiles = reinterpret_cast<BackStorage<Dim, float>*>(shared);
    BackStorage<Dim, float>& storage = tiles[threadIdx.x / CudaWarp::lanes];
    const CudaWarp warp;
    const auto grid = cooperative_groups::this_grid();
    const unsigned all_threads = gridDim.x * blockDim.x;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned entry = thread; entry < order.entries; entry += all_threads) {
        queue.states[entry] = {};
        order.begin(entry);
    }
    grid.sync();
    if (!order.none_in_order) {
        run_in_order(order, [&](unsigned group) {
            take_back_group<Dim, float>(warp, problem, order, queue, group, storage);
        });
        grid.sync();
    }
    for (unsigned entry = thread; entry < order.entries; entry += all_threads) {
        start_back_tile(problem, order, queue, entry);
    }
    grid.sync();
    *passes = run_over_tiles(queue, [&](int pass, unsigned entry) {
        take_back_tile<Dim, float>(warp, problem, order, queue, pass, entry, storage);
    });
}

/// Adds what lambda says of the slownesses, source after source. `fresh`: to nothing.
template <int Dim>
__global__ void add_slowness(TileProblem problem, const BackShot<float>* fields, int count,
                             bool fresh, double* by_slowness) {
    for_each_node(problem, [&](std::size_t n, const int(&place)[3]) {
        double sum = fresh ? 0 : by_slowness[n];
        for (int number = 0; number < count; ++number) {
            const std::size_t at = place_in_tiles<Dim>(problem, problem.shots[number].shift, place);
            const float by = fields[number].lambda[at];
            if (by == 0) continue;
            const float weight = NodeWeight<float>::by_slowness(fields[number].by_slowness[at]);
            sum += static_cast<double>(by) * static_cast<double>(weight);
        }
        by_slowness[n] = sum;
    });
}

/// The warps of a block of `threads`.
constexpr int threads_warps = threads / CudaWarp::lanes;

/// What lambda says of the position of the source of block row `blockIdx.y`, if `by_position`, and
/// how many nodes are not settled. One warp per tile.
template <int Dim, int Order>
__global__ void __launch_bounds__(threads, 2)
    add_slopes(TileProblem problem, const BackShot<float>* fields, BackOrder order, double unit,
               bool by_position, NodeSums* sums) {
    using Tile = TileShape<Dim>;
    const TileShot shot = problem.shots[blockIdx.y];
    const BackShot<float> field = fields[blockIdx.y];
    const double scale = field.slowness / unit;
    const CudaWarp warp;
    const int tiles = problem.tile_count();
    const int first = static_cast<int>(blockIdx.x * threads_warps + threadIdx.x / CudaWarp::lanes);
    NodeSums mine;
    for (int tile = first; tile < tiles; tile += static_cast<int>(gridDim.x) * threads_warps) {
        if (order.latest[blockIdx.y * static_cast<unsigned>(tiles) + tile] == 0) continue;
        const int column = tile / problem.tiles[2];
        const int begin[3] = {column / problem.tiles[1] * Tile::size(0) - shot.shift[0],
                              column % problem.tiles[1] * Tile::size(1) - shot.shift[1],
                              tile % problem.tiles[2] * Tile::size(2) - shot.shift[2]};
        warp.for_each(tile_nodes<Dim>, [&](int code) {
            int place[3];
            for (int axis = 0; axis < 3; ++axis) place[axis] = begin[axis] + Tile::part(code, axis);
            if (!problem.contains(place[0], place[1], place[2])) return;
            const std::size_t n = problem.offset(place[0], place[1], place[2]);
            const WeighedNode<Dim, float> node(field, static_cast<std::size_t>(tile), code, n);
            if (node.lambda == 0 || node.by_slowness == 0) return;
            mine.unsettled += NodeWeight<float>::settled(node.by_slowness) ? 0 : 1;
            if (!by_position) return;
            const float slowness = shot.inverse_slowness / problem.velocity[n];
            float slope[3];
            weighed_slope<Dim, Order>(problem, shot.factor, field, node, slowness, place, slope);
            for (int axis = 0; axis < 3; ++axis) {
                mine.slope[axis] +=
                    static_cast<double>(node.lambda) * static_cast<double>(slope[axis]);
            }
        });
    }
    for (double& slope : mine.slope) slope *= scale;
    keep_sums(mine, sums[static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x]);
}

/// Sums up the blocks of each source, one block of threads per source.
__global__ inline void add_blocks(const NodeSums* sums, int blocks, NodeSums* of_shots) {
    NodeSums mine;
    for (int n = static_cast<int>(threadIdx.x); n < blocks; n += threads) {
        mine.add(sums[static_cast<std::size_t>(blockIdx.x) * blocks + n]);
    }
    keep_sums(mine, of_shots[blockIdx.x]);
}

/// by_slowness[node] += value, for nodes that are all different.
__global__ inline void add_values(const std::size_t* nodes, const double* values, std::size_t count,
                                  double* by_slowness) {
    const std::size_t n = thread_number();
    if (n < count) by_slowness[nodes[n]] += values[n];
}

/// Derivatives by slowness in single precision, or by velocity if it is given: 0 in air.
__global__ inline void hand_on(const double* by_slowness, std::size_t count, const float* velocity,
                               float* to) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = thread_number(); n < count; n += step) {
        const auto by = static_cast<float>(by_slowness[n]);
        if (velocity == nullptr) {
            to[n] = by;
            continue;
        }
        const float v = velocity[n];
        to[n] = v > 0 ? __fdiv_rn(-by, __fmul_rn(v, v)) : 0;  // as PyTorch rounds
    }
}

__global__ inline void count_visits(const TileState* states, std::size_t entries, unsigned* sum) {
    unsigned mine = 0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = thread_number(); n < entries; n += step) mine += states[n].visits;
    atomicAdd(sum, mine);
}

}  // namespace fermat::adjoint_kernels
