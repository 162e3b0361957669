#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "core/atomic.hpp"
#include "core/block.hpp"
#include "core/host_device.hpp"
#include "graph/graph_view.hpp"

// Tiles as a GPU relaxes them. Each lane has one node and keeps the weights of its edges during a
// visit, so a round reads only the times of the tile.

#if defined(__CUDA_ARCH__)
#define FERMAT_UNROLL _Pragma("unroll")
#define FERMAT_UNROLL_BY_FOUR _Pragma("unroll 4")
#else
#define FERMAT_UNROLL
#define FERMAT_UNROLL_BY_FOUR
#endif

namespace fermat {

/// The number of nodes of a tile, and of threads of a block.
inline constexpr int tile_lanes = 256;

/// How a graph is divided into tiles.
struct NodeTiles {
    GraphView graph;
    Shape size;    ///< of a tile, in nodes; tile_lanes in all
    Shape tiles;   ///< number of tiles along each axis
    Shape memory;  ///< shape of a tile's copy of the times, with a border as wide as the star
    Index3 reach;  ///< how many tiles away an edge can lead
    const std::int32_t* step = nullptr;  ///< steps of the star's edges in the copy
    /// [tile][edge][lane], or null if each visit computes them. The weights of a tile are
    /// contiguous, so a visit reads them in one go.
    const float* weights = nullptr;
    int rounds = 1;    ///< largest number of relaxation rounds in a visit
    float window = 0;  ///< tiles whose changes are later than the first by more than this wait
    bool all = false;  ///< a pass visits every tile as long as anything changes

    FERMAT_HD unsigned tile_count() const { return static_cast<unsigned>(tiles.count()); }
    FERMAT_HD int directions() const {
        return (2 * reach.x + 1) * (2 * reach.y + 1) * (2 * reach.z + 1);
    }
    FERMAT_HD int own_direction() const { return directions() / 2; }
    /// The offset to a neighbour, in tiles.
    FERMAT_HD Index3 direction(int d) const {
        const int across = 2 * reach.z + 1;
        const int row = d / across;
        const int deep = 2 * reach.y + 1;
        return {row / deep - reach.x, row % deep - reach.y, d % across - reach.z};
    }
    FERMAT_HD Index3 tile_index(unsigned tile) const {
        const auto n = static_cast<int>(tile);
        const int row = n / tiles.z;
        return {row / tiles.y, row % tiles.y, n % tiles.z};
    }
    /// Node `lane` of a tile, relative to its first node.
    FERMAT_HD Index3 node_of(int lane) const {
        const int row = lane / size.z;
        return {row / size.y, row % size.y, lane % size.z};
    }
    /// The number of weights of a tile.
    FERMAT_HD std::size_t tile_weights() const {
        return static_cast<std::size_t>(graph.edges) * tile_lanes;
    }
    FERMAT_HD Index3 first_node(unsigned tile) const {
        const Index3 t = tile_index(tile);
        return {t.x * size.x, t.y * size.y, t.z * size.z};
    }
    FERMAT_HD bool inside(Index3 node) const {
        return node.x < graph.shape.x && node.y < graph.shape.y && node.z < graph.shape.z;
    }
    /// Index of a node in the graph's memory. Tiles at the far faces may extend beyond whether the
    /// node lies in the grid; nodes there get the index of the first node of whether the node lies
    /// in the grid.
    FERMAT_HD std::size_t place_of(Index3 first, int lane) const {
        const Index3 n = node_of(lane);
        const Index3 node{first.x + n.x, first.y + n.y, first.z + n.z};
        return graph.at(inside(node) ? node : Index3{});
    }
    /// Whether an edge from node `n` of a tile may lead into the tile that is `to` tiles away along
    /// an axis.
    FERMAT_HD bool sees(int axis, int n, int to) const {
        const int first = to * size[axis];
        const int r = graph.border[axis];
        return n + r >= first && n - r < first + size[axis];
    }
    /// Calls visit(direction, whether edges of node `n` lead there) for all directions, in order.
    template <class Visit>
    FERMAT_HD void for_each_direction(Index3 n, Visit visit) const {
        int d = 0;
        for (int i = -reach.x; i <= reach.x; ++i) {
            const bool in_x = sees(0, n.x, i);
            for (int j = -reach.y; j <= reach.y; ++j) {
                const bool in_xy = in_x && sees(1, n.y, j);
                for (int k = -reach.z; k <= reach.z; ++k) visit(d++, in_xy && sees(2, n.z, k));
            }
        }
    }
};

/// Steps, in the tile's copy, of the edges whose weights lanes keep. As a parameter of a kernel
/// they are constants that instructions read directly.
template <int Held>
struct HeldSteps {
    std::int32_t step[Held] = {};
};

/// What a lane keeps during a visit. On a GPU these are registers.
template <int Held>
struct NodeLane {
    float weight[Held];
    std::size_t place;  ///< index of its node in the graph's memory
    int here;           ///< in the tile's copy
    float before;       ///< time of the node at the beginning of the visit
    float best;
    bool inside;  ///< the grid
};

/// lanes[n] is what lane n keeps: an array on a CPU, the thread's own lane on a GPU.
template <class Lanes, int Held>
concept NodeLanes = requires(Lanes& lanes, int n) {
    { lanes[n] } -> std::same_as<NodeLane<Held>&>;
};

/// Memory that the lanes of a tile share.
struct TileRoom {
    float* times = nullptr;     ///< NodeTiles::memory
    float* earliest = nullptr;  ///< one per direction
    int* changed = nullptr;     ///< one per round
    int* waits = nullptr;       ///< one
    float* weights = nullptr;   ///< NodeTiles::tile_weights() values, if each visit computes them
};

FERMAT_HD inline std::size_t room_bytes(const NodeTiles& tiles) {
    return tiles.memory.count() * sizeof(float) +
           static_cast<std::size_t>(tiles.directions()) * sizeof(float) +
           static_cast<std::size_t>(tiles.rounds + 1) * sizeof(int);
}
/// Divides `memory`, of room_bytes(), among the arrays of a TileRoom; the weights are not in it.
FERMAT_HD inline TileRoom room_in(const NodeTiles& tiles, float* memory) {
    TileRoom room;
    room.times = memory;
    room.earliest = memory + tiles.memory.count();
    room.changed = reinterpret_cast<int*>(room.earliest + tiles.directions());
    room.waits = room.changed + tiles.rounds;
    return room;
}

namespace detail {

FERMAT_HD inline float earlier(float a, float b) {
#if defined(__CUDA_ARCH__)
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
}

/// Puts the minimum of the values of all lanes into `least`. Every lane of the block must call it.
FERMAT_HD inline void least_into(const HostBlock&, float& least, float value) {
    least = earlier(least, value);
}
#if defined(__CUDACC__)
__device__ inline void least_into(const CudaBlock&, float& least, float value) {
    const CudaWarp warp;
    const float first = warp.least(value);
    if (warp.leads() && first < INFINITY) atomic_least(least, first);
}
#endif

template <int Held>
FERMAT_HD_INLINE void begin_lane(const NodeTiles& tiles, Index3 first, const float* weights,
                                 int number, NodeLane<Held>& lane) {
    const Index3 n = tiles.node_of(number);
    const Index3 r = tiles.graph.border;
    lane.inside = tiles.inside({first.x + n.x, first.y + n.y, first.z + n.z});
    lane.place = tiles.place_of(first, number);
    lane.here = static_cast<int>(tiles.memory.offset(n.x + r.x, n.y + r.y, n.z + r.z));
    FERMAT_UNROLL
    for (int e = 0; e < Held; ++e) {
        lane.weight[e] = e < tiles.graph.edges ? weights[e * tile_lanes + number] : INFINITY;
    }
}

/// The minimum of a node's own time and of the times by way of its neighbours.
template <int Held>
FERMAT_HD_INLINE float pulled(const NodeTiles& tiles, const HeldSteps<Held>& steps,
                              const NodeLane<Held>& lane, const float* times,
                              const float* weights) {
    static_assert(Held % 2 == 0);
    const float* const here = times + lane.here;
    float best = *here;
    FERMAT_UNROLL
    for (int e = 0; e < Held; e += 2) {
        best = earlier(best, earlier(here[steps.step[e]] + lane.weight[e],
                                     here[steps.step[e + 1]] + lane.weight[e + 1]));
    }
    FERMAT_UNROLL_BY_FOUR
    for (int e = Held; e < tiles.graph.edges; ++e) {
        best = earlier(best, here[tiles.step[e]] + weights[e * tile_lanes]);
    }
    return best;
}

template <class Block>
FERMAT_HD void load_times(Block block, const NodeTiles& tiles, const float* times, Index3 first,
                          const TileRoom& room) {
    const Shape all = tiles.graph.memory;
    const Shape copy = tiles.memory;
    block.for_each(static_cast<int>(copy.count()), [&](int n) {
        const int row = n / copy.z;
        const Index3 at{first.x + row / copy.y, first.y + row % copy.y, first.z + n % copy.z};
        const bool inside = at.x < all.x && at.y < all.y && at.z < all.z;
        room.times[n] = inside ? read_fresh(times[all.offset(at)]) : INFINITY;
    });
}

}  // namespace detail

/// Computes the weights of a tile's edges, [edge][lane]. Each thread handles four nodes, so it
/// reads the terms of an edge once for all four.
template <class Block>
FERMAT_HD void make_tile_weights(Block block, const NodeTiles& tiles, unsigned tile, float* out) {
    constexpr int each = 4;
    constexpr int lanes = tile_lanes / each;
    const GraphView& graph = tiles.graph;
    const Index3 first = tiles.first_node(tile);
    block.for_each(tile_lanes, [&](int number) {
        const int lane = number % lanes;
        const float* slowness[each];
        FERMAT_UNROLL
        for (int k = 0; k < each; ++k) {
            slowness[k] = graph.slowness + tiles.place_of(first, lane + k * lanes);
        }
        for (int e = number / lanes; e < graph.edges; e += each) {
            float sum[each] = {};
            const int end = graph.first_term[e + 1] - 1;
            FERMAT_UNROLL_BY_FOUR
            for (int n = graph.first_term[e]; n < end; ++n) {
                const EdgeTerm term = graph.terms[n];
                FERMAT_UNROLL
                for (int k = 0; k < each; ++k) {
                    sum[k] = multiply_add(term.weight, slowness[k][term.step], sum[k]);
                }
            }
            FERMAT_UNROLL
            for (int k = 0; k < each; ++k) out[e * tile_lanes + lane + k * lanes] = sum[k];
        }
    });
}

/// Visits a tile: runs rounds of pull relaxation until nothing changes or the limit is reached.
/// Returns the number of rounds; room.changed of the last round tells whether the limit ended the
/// visit. Sets room.earliest to the earliest change that each direction can see; infinite if there
/// is none.
///
/// Tiles that run at the same time may read each other's times before or after a change. A tile
/// that must see the change is woken after it has been written. The result does not depend on this
/// order: the final time of a node is the minimum of the rounded sums along all paths.
template <int Held, class Block, NodeLanes<Held> Lanes>
FERMAT_HD_INLINE int visit_node_tile(Block block, const NodeTiles& tiles,
                                     const HeldSteps<Held>& steps, float* times, unsigned tile,
                                     Lanes& lanes, const TileRoom& room) {
    const Index3 first = tiles.first_node(tile);
    if (tiles.weights == nullptr) make_tile_weights(block, tiles, tile, room.weights);
    const float* const weights =
        tiles.weights == nullptr ? room.weights : tiles.weights + tile * tiles.tile_weights();
    // Load weights first: they come from slow memory, and nothing waits for them until they are
    // used.
    block.for_each(tile_lanes,
                   [&](int n) { detail::begin_lane(tiles, first, weights, n, lanes[n]); });
    detail::load_times(block, tiles, times, first, room);
    block.for_each(tiles.rounds, [&](int round) { room.changed[round] = 0; });
    block.for_each(tiles.directions(), [&](int d) { room.earliest[d] = INFINITY; });
    block.for_each(tile_lanes, [&](int n) { lanes[n].before = room.times[lanes[n].here]; });
    int round = 0;
    bool resting = false;
    while (round < tiles.rounds && !resting) {
        block.for_each(tile_lanes, [&](int n) {
            lanes[n].best = detail::pulled(tiles, steps, lanes[n], room.times, weights + n);
        });
        block.for_each(tile_lanes, [&](int n) {
            const NodeLane<Held>& lane = lanes[n];
            if (!lane.inside || !(lane.best < room.times[lane.here])) return;
            room.times[lane.here] = lane.best;
            room.changed[round] = 1;
        });
        resting = room.changed[round] == 0;
        ++round;
    }
    block.for_each(tile_lanes, [&](int n) {
        const NodeLane<Held>& lane = lanes[n];
        const float time = room.times[lane.here];
        const bool changed = time < lane.before;
        if (changed) times[lane.place] = time;
        tiles.for_each_direction(tiles.node_of(n), [&](int d, bool seen) {
            detail::least_into(block, room.earliest[d], changed && seen ? time : INFINITY);
        });
    });
    return round;
}

}  // namespace fermat
