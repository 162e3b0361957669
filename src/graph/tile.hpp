#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "core/host_device.hpp"
#include "graph/graph_view.hpp"

namespace fermat {

/// What changed in a row of a tile: the first and last changed node along z, and the earliest
/// changed time.
struct RowChange {
    int first;
    int last;
    float time;
};

/// A box of nodes that is relaxed as a unit, and its copy of the times: two buffers with a border
/// as wide as the star and `slack` after it. Rounds read one and write the other in turn (paper 1).
struct Tile {
    Index3 first;  ///< node, in the grid
    Shape size;
    float* times[2] = {nullptr, nullptr};
    std::uint16_t* predecessor = nullptr;  ///< without a border
    RowChange* rows = nullptr;             ///< one per row along z
    int* changed = nullptr;                ///< one flag per round
    const std::int32_t* step = nullptr;    ///< steps of the star's edges in the copy
};

/// Times of the whole graph. Tiles read `now` and write `next`, so they may run at the same time.
struct TileTimes {
    const float* now = nullptr;
    float* next = nullptr;
    std::uint16_t* predecessor = nullptr;
};

/// The 27 neighbours of a tile, including itself: 9 (dx + 1) + 3 (dy + 1) + (dz + 1).
inline constexpr int directions = 27;
inline constexpr int own_direction = 13;

FERMAT_HD inline Shape tile_memory(const GraphView& graph, Shape size) {
    return {size.x + 2 * graph.border.x, size.y + 2 * graph.border.y, size.z + 2 * graph.border.z};
}

/// row(edge, place, lane, buffer) returns the times of an edge for the nodes of a run that starts
/// at `place`. `lane` is the number of the run in its tile. The times may lie in `buffer`, which
/// has room for a run.
template <class Weights>
concept RunWeights = requires(const Weights& weights, std::size_t place, float* buffer) {
    { weights.row(0, place, 0, buffer) } -> std::same_as<const float*>;
};

/// Times of edges, read from the weights of the whole graph if they are stored, else computed.
template <int Run>
struct GraphWeights {
    GraphView graph;

    FERMAT_HD const float* row(int edge, std::size_t place, int /*lane*/, float* buffer) const {
        if (graph.stored != nullptr) return stored_weight(graph, place, edge);
        computed_weights<Run>(graph, place, edge, buffer);
        return buffer;
    }
};

namespace detail {

/// Copies a tile's times with their border, and its predecessors.
template <class Block>
FERMAT_HD void load_tile(Block block, const GraphView& graph, const TileTimes& all,
                         const Tile& tile, int rounds) {
    const Shape memory = tile_memory(graph, tile.size);
    const std::size_t origin = graph.memory.offset(tile.first);
    block.for_each(memory.x * memory.y, [&](int lane) {
        const std::size_t from = origin + graph.memory.offset(lane / memory.y, lane % memory.y, 0);
        const int to = lane * memory.z;
        for (int k = 0; k < memory.z; ++k) {
            const float time = all.now[from + static_cast<std::size_t>(k)];
            tile.times[0][to + k] = time;
            tile.times[1][to + k] = time;
        }
    });
    block.for_each(tile.size.x * tile.size.y, [&](int lane) {
        const std::size_t from = graph.at(
            {tile.first.x + lane / tile.size.y, tile.first.y + lane % tile.size.y, tile.first.z});
        for (int k = 0; k < tile.size.z; ++k) {
            tile.predecessor[lane * tile.size.z + k] =
                all.predecessor[from + static_cast<std::size_t>(k)];
        }
    });
    block.for_each(rounds, [&](int round) { tile.changed[round] = 0; });
}

/// One round of pull relaxation: every node takes the best time by way of its neighbours' previous
/// times. A lane is a run of `Run` <= slack nodes along z, which fills a few registers of a CPU.
template <int Run, class Block, RunWeights Weights>
FERMAT_HD void relax_once(Block block, const GraphView& graph, const Weights& weights,
                          const Tile& tile, const float* now, float* next, int* changed) {
    const Shape memory = tile_memory(graph, tile.size);
    const int runs = (tile.size.z + Run - 1) / Run;
    block.for_each(tile.size.x * tile.size.y * runs, [&](int lane) {
        const int row = lane / runs;
        const int z = lane % runs * Run;
        const int i = row / tile.size.y;
        const int j = row % tile.size.y;
        const int count = tile.size.z - z < Run ? tile.size.z - z : Run;
        const int here = static_cast<int>(
            memory.offset(i + graph.border.x, j + graph.border.y, z + graph.border.z));
        const std::size_t place = graph.at({tile.first.x + i, tile.first.y + j, tile.first.z + z});
        float best[Run];
        std::int32_t edge_of[Run];
        float buffer[Run];
        for (int k = 0; k < Run; ++k) {
            best[k] = now[here + k];
            edge_of[k] = -1;
        }
        for (int e = 0; e < graph.edges; ++e) {
            const float* const weight = weights.row(e, place, lane, buffer);
            const float* const from = now + here + tile.step[e];
            for (int k = 0; k < Run; ++k) {
                const float arrival = from[k] + weight[k];
                edge_of[k] = arrival < best[k] ? e : edge_of[k];
                best[k] = arrival < best[k] ? arrival : best[k];
            }
        }
        for (int k = 0; k < count; ++k) {
            next[here + k] = best[k];
            if (edge_of[k] < 0) continue;
            tile.predecessor[row * tile.size.z + z + k] = static_cast<std::uint16_t>(edge_of[k]);
            *changed = 1;
        }
    });
}

/// Writes a tile back. Sets earliest[d] to the earliest changed time that the neighbour in
/// direction d can see; infinite if there is none.
template <class Block>
FERMAT_HD void store_tile(Block block, const GraphView& graph, const TileTimes& all,
                          const Tile& tile, const float* result, float* earliest) {
    const Shape memory = tile_memory(graph, tile.size);
    const Index3 r = graph.border;
    const Shape n = tile.size;
    const float never = INFINITY;
    block.for_each(n.x * n.y, [&](int lane) {
        const std::size_t to =
            graph.at({tile.first.x + lane / n.y, tile.first.y + lane % n.y, tile.first.z});
        const float* const row = result + memory.offset(lane / n.y + r.x, lane % n.y + r.y, r.z);
        RowChange change{n.z, -1, never};
        for (int k = 0; k < n.z; ++k) {
            const std::size_t place = to + static_cast<std::size_t>(k);
            all.next[place] = row[k];
            if (row[k] < all.now[place]) {
                change.first = change.first < k ? change.first : k;
                change.last = k;
                change.time = row[k] < change.time ? row[k] : change.time;
                all.predecessor[place] = tile.predecessor[lane * n.z + k];
            }
        }
        tile.rows[lane] = change;
    });
    block.for_each(directions, [&](int d) {
        const Index3 to{d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
        earliest[d] = never;
        for (int lane = 0; lane < n.x * n.y; ++lane) {
            const RowChange& change = tile.rows[lane];
            const int i = lane / n.y;
            const int j = lane % n.y;
            const bool x = to.x < 0 ? i < r.x : to.x == 0 || i >= n.x - r.x;
            const bool y = to.y < 0 ? j < r.y : to.y == 0 || j >= n.y - r.y;
            const bool z = to.z < 0 ? change.first < r.z : to.z == 0 || change.last >= n.z - r.z;
            if (x && y && z && change.time < earliest[d]) earliest[d] = change.time;
        }
    });
}

}  // namespace detail

/// Visits a tile: runs rounds of relaxation until nothing changes, at most `most_rounds`. Returns
/// the number of rounds. Sets `earliest` to the earliest change that matters to each direction;
/// that of the tile itself is finite only if `most_rounds` ended the visit.
template <int Run, class Block, RunWeights Weights>
FERMAT_HD int visit_tile(Block block, const GraphView& graph, const Weights& weights,
                         const TileTimes& all, const Tile& tile, int most_rounds, float* earliest) {
    detail::load_tile(block, graph, all, tile, most_rounds);
    int round = 0;
    bool resting = false;
    while (round < most_rounds && !resting) {
        detail::relax_once<Run>(block, graph, weights, tile, tile.times[round % 2],
                                tile.times[(round + 1) % 2], tile.changed + round);
        resting = tile.changed[round] == 0;
        ++round;
    }
    detail::store_tile(block, graph, all, tile, tile.times[round % 2], earliest);
    block.for_each(1, [&](int) {
        if (resting) earliest[own_direction] = INFINITY;
    });
    return round;
}

}  // namespace fermat
