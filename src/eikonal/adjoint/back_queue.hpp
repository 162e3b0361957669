#pragma once

#include "eikonal/adjoint/back_tile.hpp"
#include "eikonal/fim/tile_queue.hpp"

namespace fermat {

/// A batch of back substitutions on tiles. The passes are those of TileQueue; the key of a tile is
/// how long before the latest node of its field the latest one is that it has not seen.
template <class Real>
struct BackProblem {
    TileProblem tiles;
    const BackShot<Real>* fields = nullptr;
    /// J asks something of nodes everywhere: then all tiles are visited, and the substitution
    /// begins at nodes of which no node is made. Otherwise it begins where J asks.
    bool everywhere = false;
    /// How much later than the latest active tile a tile may be visited, in units of the time to
    /// cross one. A small value saves visits, a large one passes. Measured on cubes and squares: 4
    /// is best or near it.
    float patience = 4;
    unsigned* unsettled = nullptr;  ///< the number of tiles given up
};

/// A tile that was visited so often is given up. Only where nodes draw on each other does a tile
/// come back at all.
inline constexpr unsigned back_most_visits = 2000;

/// Puts a tile on the list of its parity if the substitution begins in it.
template <int Dim, class Real, class Block>
FERMAT_HD void start_back_tile(Block block, const BackProblem<Real>& problem,
                               const TileQueue& queue, unsigned entry,
                               BackStorage<Dim, Real>& storage) {
    const auto tiles = static_cast<unsigned>(problem.tiles.tile_count());
    const int shot = static_cast<int>(entry / tiles);
    const int tile = static_cast<int>(entry % tiles);
    BackVisit<Dim, Real, Block> visit(block, problem.tiles, problem.tiles.shots[shot],
                                      problem.fields[shot], tile, storage);
    const float key = visit.start_key(problem.everywhere);
    if (!block.leads()) return;
    queue.states[entry] = {key, key < INFINITY ? TileQueue::by_itself : 0, 0};
    if (!(key < INFINITY)) return;
    // Passes 0 and 1 look for the least key here.
    atomic_least(queue.waiting(-1, shot), key);
    queue.push(problem.tiles.parity(tile), entry);
}

/// Processes one entry of the list of a pass.
template <int Dim, class Real, class Block>
FERMAT_HD void take_back_tile(Block block, const BackProblem<Real>& problem, const TileQueue& queue,
                              int pass, unsigned entry, BackStorage<Dim, Real>& storage) {
    const auto tiles = static_cast<unsigned>(problem.tiles.tile_count());
    const int shot = static_cast<int>(entry / tiles);
    const int tile = static_cast<int>(entry % tiles);
    TileState& state = queue.states[entry];
    const TileState before = state;
    block.for_each(0, [](int) {});  // all lanes have read before one writes
    const float first = least(queue.woken(pass - 1, shot), queue.waiting(pass - 1, shot),
                              queue.waiting(pass - 2, shot));
    if (before.key > first + problem.patience * problem.tiles.crossing) {
        if (block.leads()) queue.wait(pass, shot, entry, before.key);
        return;
    }
    if (block.leads()) state = {INFINITY, 0, before.visits + 1};
    if (before.visits >= back_most_visits) {
        if (block.leads()) atomic_add(*problem.unsettled, 1);
        return;
    }
    BackVisit<Dim, Real, Block> visit(block, problem.tiles, problem.tiles.shots[shot],
                                      problem.fields[shot], tile, storage);
    const auto taus = visit.load(problem.everywhere && before.visits == 0);
    const bool settled = visit.solve(visit.way());
    const auto keys = visit.keys(taus);
    float earliest = INFINITY;
    const auto wake_through = [&](int stride, unsigned face, float key) {
        if (!(key < INFINITY)) return;
        earliest = least(earliest, key);
        const int neighbour = static_cast<int>(entry) + stride;
        if (block.leads()) {
            queue.wake(pass, shot, static_cast<unsigned>(neighbour), 1U << face, key);
        }
    };
    const auto wake_along = [&](unsigned axis, int stride, const float(&through)[2]) {
        wake_through(-stride, 2U * axis + 1, through[0]);
        wake_through(stride, 2U * axis, through[1]);
    };
    if constexpr (Dim == 3) {
        wake_along(0, problem.tiles.tiles[1] * problem.tiles.tiles[2], keys.through[0]);
    }
    wake_along(1, problem.tiles.tiles[2], keys.through[1]);
    wake_along(2, 1, keys.through[2]);
    visit.store();
    if (!settled && block.leads()) {
        const float key = fim_unsettled_key(earliest);
        state.faces = TileQueue::by_itself;
        state.key = key;
        queue.wait(pass, shot, entry, key);
    }
}

}  // namespace fermat
