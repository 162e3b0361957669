#pragma once

#include "eikonal/adjoint/back_order.hpp"

namespace fermat {

/// A batch of back substitutions on tiles: first those that have an order (BackOrder), the others
/// in the passes of TileQueue. The key of a tile is how long before the latest node of its field
/// the latest one is that it has not seen.
template <class Real>
struct BackProblem {
    TileProblem tiles;
    const BackShot<Real>* fields = nullptr;
    /// J asks something of nodes everywhere: then all tiles are visited. Otherwise those to which
    /// something comes.
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

/// Sweeps of a visit in a pass. A pass lasts as long as its slowest tile, and what the first sweeps
/// leave is small: it follows the wave two passes later.
template <int Dim>
inline constexpr int back_sweeps = Dim == 3 ? 2 : 1;

/// Settles a tile as far as it can be by itself. Returns the faces through which it has told
/// something.
template <int Dim, class Real, class Block>
FERMAT_HD unsigned settle_back_tile(Block block, const BackProblem<Real>& problem,
                                    const BackOrder& order, const TileQueue& queue, unsigned entry,
                                    unsigned marks, BackStorage<Dim, Real>& storage) {
    const auto tiles = static_cast<unsigned>(problem.tiles.tile_count());
    const unsigned shot = entry / tiles;
    BackVisit<Dim, Real, Block> visit(block, problem.tiles, problem.tiles.shots[shot],
                                      problem.fields[shot], static_cast<int>(entry % tiles),
                                      storage);
    const unsigned visits = queue.states[entry].visits;
    const bool asks = marks & BackMark::asks;
    visit.load({BackMark::fed_through(marks), asks, visits > 0, false});
    SweepWay way = visit.way();
    const bool settled = visit.solve(way, back_most_visits);
    visit.store();
    const bool first = problem.everywhere && visits == 0;
    const unsigned told = first ? marks & BackMark::faces : visit.told();
    visit.hand_on(told);
    order.feed(block, entry, told);
    if (block.leads()) {
        queue.states[entry].visits = visits + 1;
        if (!settled || visits >= back_most_visits) atomic_add(*problem.unsettled, 1);
    }
    return told;
}

/// Settles the tiles of a group, the latest first, until none tells another something new.
template <int Dim, class Real, class Block>
FERMAT_HD void settle_back_group(Block block, const BackProblem<Real>& problem,
                                 const BackOrder& order, const TileQueue& queue, unsigned active,
                                 BackStorage<Dim, Real>& storage) {
    const BackGroup& group = storage.group;
    for (unsigned visits = 0; active != 0; ++visits) {
        int next = 0;
        float latest = -1;
        for (int n = 0; n < group.count; ++n) {
            const float time = order.latest[group.tile[n]];
            if (!(active >> n & 1) || time <= latest) continue;
            latest = time;
            next = n;
        }
        active &= ~(1U << next);
        const unsigned entry = group.tile[next];
        const unsigned told = settle_back_tile<Dim, Real>(block, problem, order, queue, entry,
                                                          read_fresh(order.marks[entry]), storage);
        for (int face = 0; face < 6; ++face) {
            if (!(told >> face & 1)) continue;
            const int other = group.find(order.across(entry, face));
            if (other < group.count) active |= 1U << other;
        }
        block.sync();
        if (visits > back_most_visits) {
            if (block.leads()) atomic_add(*problem.unsettled, 1);
            return;
        }
    }
}

/// Processes a group whose turn it is.
template <int Dim, class Real, class Block>
FERMAT_HD void take_back_group(Block block, const BackProblem<Real>& problem,
                               const BackOrder& order, const TileQueue& queue, unsigned leader,
                               BackStorage<Dim, Real>& storage) {
    const auto lively = [&](unsigned marks) {
        return problem.everywhere || marks & BackMark::asks || BackMark::fed_through(marks) != 0;
    };
    const unsigned marks = read_fresh(order.marks[leader]);
    if (!(marks & BackMark::grouped)) {
        if (lively(marks)) {
            settle_back_tile<Dim, Real>(block, problem, order, queue, leader, marks, storage);
        }
        publish();
        block.sync();
        order.release(block, leader, marks & BackMark::faces);
    } else {
        BackGroup& group = storage.group;
        if (block.leads()) order.find_group(leader, group);
        block.sync();
        unsigned active = 0;
        for (int n = 0; n < group.count; ++n) {
            if (lively(read_fresh(order.marks[group.tile[n]]))) active |= 1U << n;
        }
        settle_back_group<Dim, Real>(block, problem, order, queue, active, storage);
        publish();
        block.sync();
        for (int n = 0; n < group.count; ++n) {
            const unsigned entry = group.tile[n];
            unsigned faces = order.marks[entry] & BackMark::faces;
            for (int face = 0; face < 6; ++face) {
                const bool leaves = faces >> face & 1 && !group.holds(order.across(entry, face));
                if (!leaves) faces &= ~(1U << face);
            }
            order.release(block, entry, faces);
        }
    }
    if (block.leads()) atomic_add(order.finished(), 1);
}

/// Puts a tile that has no order on the list of its parity if the passes begin in it: if something
/// came or is asked, or if it is later than all tiles without an order that hand on to it.
template <class Real>
FERMAT_HD void start_back_tile(const BackProblem<Real>& problem, const BackOrder& order,
                               const TileQueue& queue, unsigned entry) {
    const unsigned marks = order.marks[entry];
    if (marks & BackMark::done) return;
    bool starts = BackMark::fed_through(marks) != 0;
    const float latest = order.latest[entry];
    if (problem.everywhere) {
        const unsigned needs = order.needs(entry);
        bool last = true;
        for (int face = 0; face < 6; ++face) {
            if (!(needs >> face & 1)) continue;
            const unsigned other = order.across(entry, face);
            const float its = order.latest[other];
            last &= its < latest || (its == latest && other < entry);
        }
        starts |= last;
    } else {
        starts |= (marks & BackMark::asks) != 0;
    }
    if (!starts) return;
    const auto tiles = static_cast<unsigned>(problem.tiles.tile_count());
    const int shot = static_cast<int>(entry / tiles);
    const float before = problem.fields[shot].latest - latest;
    const float key = before > 0 ? before : 0;
    queue.states[entry] = {key, TileQueue::by_itself, 0, 0};
    // Passes 0 and 1 look for the least key here.
    atomic_least(queue.waiting(-1, shot), key);
    queue.push(problem.tiles.parity(static_cast<int>(entry % tiles)), entry);
}

/// Processes one entry of the list of a pass.
template <int Dim, class Real, class Block>
FERMAT_HD void take_back_tile(Block block, const BackProblem<Real>& problem, const BackOrder& order,
                              const TileQueue& queue, int pass, unsigned entry,
                              BackStorage<Dim, Real>& storage) {
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
    const unsigned marks = read_fresh(order.marks[entry]);
    const bool asks = marks & BackMark::asks;
    const bool visited = before.visits > 0;
    visit.load({BackMark::fed_through(marks), asks, visited, problem.everywhere && !visited});
    const bool goes_on = before.faces & TileQueue::unsettled;
    SweepWay way = goes_on ? SweepWay::unpacked(before.way) : visit.way();
    const bool settled = visit.solve(way, back_sweeps<Dim>);
    visit.store();
    float keys[6];
    visit.find_keys(keys);
    unsigned told = 0;
    for (int face = 0; face < 6; ++face) told |= (keys[face] < INFINITY ? 1U : 0U) << face;
    visit.hand_on(told);
    order.feed(block, entry, told);
    const float earliest = queue.wake_through(block, pass, shot, entry, problem.tiles.tiles, keys);
    if (settled || !block.leads()) return;
    const float key = earliest < INFINITY ? earliest : before.key;
    queue.wait_again(pass, shot, entry, {key, TileQueue::unsettled, 0, way.packed()});
}

}  // namespace fermat
