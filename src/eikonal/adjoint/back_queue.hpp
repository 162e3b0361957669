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

/// Sweeps of a visit. A pass lasts as long as its slowest tile, and what the first sweeps leave is
/// small: it follows the wave two passes later.
template <int Dim>
inline constexpr int back_sweeps = Dim == 3 ? 2 : 1;

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
    queue.states[entry] = {key, key < INFINITY ? TileQueue::by_itself : 0, 0, 0};
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
    BackVisit<Dim, Real, Block> visit(block, problem.tiles, problem.tiles.shots[shot],
                                      problem.fields[shot], tile, storage);
    const TileState before = queue.state_of(block, entry);
    const float first = queue.first_active(pass, shot);
    if (before.key > first + problem.patience * problem.tiles.crossing) {
        if (block.leads()) queue.wait(pass, shot, entry, before.key);
        return;
    }
    if (block.leads()) queue.states[entry] = {INFINITY, 0, before.visits + 1, 0};
    if (before.visits >= back_most_visits) {
        if (block.leads()) atomic_add(*problem.unsettled, 1);
        return;
    }
    visit.load(problem.everywhere && before.visits == 0);
    const bool goes_on = before.faces & TileQueue::unsettled;
    SweepWay way = goes_on ? SweepWay::unpacked(before.way) : visit.way();
    const bool settled = visit.solve(way, back_sweeps<Dim>);
    float keys[6];
    visit.store(keys);
    const float earliest = queue.wake_through(block, pass, shot, entry, problem.tiles.tiles, keys);
    if (settled || !block.leads()) return;
    const float key = earliest < INFINITY ? earliest : before.key;
    queue.wait_again(pass, shot, entry, {key, TileQueue::unsettled, 0, way.packed()});
}

}  // namespace fermat
