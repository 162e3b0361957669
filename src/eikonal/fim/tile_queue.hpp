#pragma once

#include "core/atomic.hpp"
#include "eikonal/fim/tile_visit.hpp"

namespace fermat {

/// Why and when a tile must be visited. A tile is in a list if and only if faces != 0.
struct TileState {
    float key = INFINITY;  ///< earliest arrival that it has not seen
    unsigned faces = 0;  ///< faces through which the wave comes; bits 6 and 7: by_itself, unsettled
    unsigned visits = 0;
    unsigned way = 0;  ///< of its next sweep (SweepWay::packed) if its last visit did not settle
};

/// The lists of active tiles of a batch of shots, and the passes over them.
///
/// A pass visits the tiles of one parity. They share no face, so none reads or writes another, and
/// the result does not depend on which warp takes which tile. Pass p adds tiles to the list of pass
/// p + 1 (neighbours, which have the other parity) or p + 2 (the tile itself). So between passes
/// the warps only wait for one another. Lists and minima exist in `ring` copies; each is cleared
/// during a pass in which nothing else reads or writes it.
///
/// Tiles that must be visited again wait (fim_waits) until no active tile of their shot is earlier
/// by more than `patience` times the time to cross a tile. A small value saves visits; a large one
/// keeps all warps busy. Measured in rough media: 1 needs 2.5 times the passes of 5 for as many
/// visits; 16 needs more visits.
///
/// A pass lasts as long as its slowest tile. In 2-D few tiles are active at a time, and in every
/// pass rays turn in one of them, which then needs a second sweep. So the first visits make one
/// sweep each and leave the next one to the pass after the next, while the wave goes on. Measured
/// on an H200: 513^2 in 0.66 ms instead of 0.90. In 3-D, where tiles are many, it would cost more
/// visits than it saves.
struct TileQueue {
    static constexpr int ring = 4;
    static constexpr unsigned by_itself = 64;
    static constexpr unsigned unsettled = 128;
    static constexpr unsigned short_visits = 3;
    static constexpr float patience = 5;  ///< in units of the time to cross a tile

    TileState* states = nullptr;     ///< [shot][tile]
    unsigned* list[ring] = {};       ///< indices of states
    unsigned* count = nullptr;       ///< [ring], length of each list
    unsigned* taken = nullptr;       ///< [ring], how many entries of each list warps have taken
    float* woken_least = nullptr;    ///< [ring][shot], the least key given to neighbours
    float* waiting_least = nullptr;  ///< [ring][shot], the least key of tiles that wait
    int shots = 1;
    unsigned processors = 1;  ///< multiprocessors of the device

    FERMAT_HD float& woken(int pass, int shot) const {
        return woken_least[(pass & (ring - 1)) * shots + shot];
    }
    FERMAT_HD float& waiting(int pass, int shot) const {
        return waiting_least[(pass & (ring - 1)) * shots + shot];
    }
    FERMAT_HD bool finished(int pass) const {
        return count[pass & (ring - 1)] == 0 && count[(pass + 1) & (ring - 1)] == 0;
    }
    /// Clears what the pass after the next will fill. One warp calls it during pass `pass`.
    template <class Block>
    FERMAT_HD void prepare(Block block, int pass) const {
        if (block.leads()) {
            count[(pass + 3) & (ring - 1)] = 0;
            taken[(pass + 3) & (ring - 1)] = 0;
        }
        block.for_each(shots, [&](int shot) {
            woken(pass + 1, shot) = INFINITY;
            waiting(pass + 1, shot) = INFINITY;
        });
    }

    FERMAT_HD void push(int pass, unsigned entry) const {
        const int slot = pass & (ring - 1);
        list[slot][atomic_add(count[slot], 1)] = entry;
    }
    FERMAT_HD void wake(int pass, int shot, unsigned entry, unsigned faces, float key) const {
        TileState& state = states[entry];
        atomic_least(state.key, key);
        atomic_least(woken(pass, shot), key);
        if (atomic_or(state.faces, faces) == 0) push(pass + 1, entry);
    }
    FERMAT_HD void wait(int pass, int shot, unsigned entry, float key) const {
        atomic_least(waiting(pass, shot), key);
        push(pass + 2, entry);
    }
    /// Puts a tile that did not settle on a list again. One lane calls it.
    FERMAT_HD void wait_again(int pass, int shot, unsigned entry, const TileState& why) const {
        TileState& state = states[entry];
        state.key = why.key;
        state.faces = why.faces;
        state.way = why.way;
        wait(pass, shot, entry, why.key);
    }

    /// The earliest arrival that an active tile of a shot has not seen. All active tiles were added
    /// by the last pass, or have waited since that pass or the one before it.
    FERMAT_HD float first_active(int pass, int shot) const {
        return least(woken(pass - 1, shot), waiting(pass - 1, shot), waiting(pass - 2, shot));
    }
    /// The state of a tile that is being visited: all lanes have read it before one writes.
    template <class Block>
    FERMAT_HD TileState state_of(Block block, unsigned entry) const {
        const TileState state = states[entry];
        block.sync();
        return state;
    }
    /// Whether a tile is to be visited now. It waits again, or is left as it is, if not. `crossing`
    /// is the length across a tile.
    template <class Block>
    FERMAT_HD bool admits(Block block, int pass, int shot, unsigned entry, const TileState& before,
                          float crossing) const {
        if (fim_waits(before.visits, before.key, first_active(pass, shot), patience * crossing)) {
            if (block.leads()) wait(pass, shot, entry, before.key);
            return false;
        }
        const bool more = before.visits < fim_most_visits;
        if (block.leads()) states[entry] = {INFINITY, 0, before.visits + (more ? 1U : 0U), 0};
        return more;
    }
    /// Wakes the tiles across faces (2 * axis + side) through which something is told, each with
    /// the key of its face; infinite where nothing is. Returns the least key. One lane per face:
    /// the answers of the lists are waited for once, not face after face.
    template <class Block>
    FERMAT_HD float wake_through(Block block, int pass, int shot, unsigned entry,
                                 const int (&tiles)[3], const float (&keys)[6]) const {
        block.for_each(6, [&](int face) {
            float key = INFINITY;
            for (int n = 0; n < 6; ++n) key = n == face ? keys[n] : key;  // keys stay in registers
            if (key < INFINITY) wake(pass, shot, across(entry, face, tiles), 1U << (face ^ 1), key);
        });
        return least(least(keys[0], keys[1], keys[2]), least(keys[3], keys[4], keys[5]));
    }
    FERMAT_HD static unsigned across(unsigned entry, int face, const int (&tiles)[3]) {
        const int stride = face < 2 ? tiles[1] * tiles[2] : face < 4 ? tiles[2] : 1;
        return static_cast<unsigned>(static_cast<int>(entry) + (face & 1 ? stride : -stride));
    }
};

/// The tiles of a batch and the memory of its passes, for who goes over them again.
struct TileBatch {
    TileProblem problem;
    TileQueue queue;
    std::size_t entries = 0;  ///< tiles of all shots
};

/// Processes one entry of the list of a pass.
template <int Dim, int Order, class Block>
FERMAT_HD void take_tile(Block block, const TileProblem& problem, const TileQueue& queue, int pass,
                         unsigned entry, TileStorage<Dim>& storage) {
    const auto tiles = static_cast<unsigned>(problem.tile_count());
    const int shot = static_cast<int>(entry / tiles);
    const int tile = static_cast<int>(entry % tiles);
    const TileShot source = problem.shots[shot];  // read beside the state
    const TileState before = queue.state_of(block, entry);
    if (!queue.admits(block, pass, shot, entry, before, problem.crossing)) return;
    TileVisit<Dim, Order, Block> visit(block, problem, source, tile, storage);
    visit.load();
    const bool goes_on = before.faces & TileQueue::unsettled;
    SweepWay way = goes_on ? SweepWay::unpacked(before.way) : visit.entry(before.faces);
    const bool hurried =
        Dim == 2 && before.faces != TileQueue::by_itself && before.visits < TileQueue::short_visits;
    const int sweeps = hurried ? 1 : visit.most_sweeps;
    const bool settled = visit.solve(way, sweeps, fim_only_falls(Order, before.visits));
    float keys[6];
    visit.earliest_through(keys);
    const float earliest = queue.wake_through(block, pass, shot, entry, problem.tiles, keys);
    visit.store();
    if (settled || !block.leads()) return;
    const float key = earliest < INFINITY ? earliest : before.key;
    queue.wait_again(pass, shot, entry, {key, TileQueue::unsettled, 0, way.packed()});
}

}  // namespace fermat
