#pragma once

#include "graph/node_tile.hpp"

namespace fermat {

/// The update map (paper 2) and the lists of the tiles in it, for a batch of shots: an entry is
/// shot * tiles + tile. A pass takes all entries of one list and adds the tiles that it wakes to
/// the list of the next pass. So between passes the blocks only wait for one another. Lists exist
/// in `ring` copies; each is cleared during a pass in which nothing else reads or writes it.
/// Without an update map (NodeTiles::all) there are no lists: the count of a pass says whether
/// anything has changed, and a pass then takes all entries of the shots in which it did.
struct NodeTileQueue {
    static constexpr int ring = 4;

    float* key = nullptr;  ///< [entry]: its earliest unseen change; infinite if it is in no list
    unsigned* rounds = nullptr;  ///< [entry]: relaxation rounds so far
    unsigned* visits = nullptr;  ///< [entry]
    unsigned* list[ring] = {};
    unsigned* count = nullptr;       ///< [ring]
    float* least_of_pass = nullptr;  ///< [ring][shot]: the least key in a list
    int shots = 1;
    unsigned entries = 0;  ///< shots * tiles
    bool all = false;      ///< there are no lists

    /// How many entries a pass takes, and number n of them.
    FERMAT_HD unsigned length(int pass) const {
        const unsigned found = count[pass & (ring - 1)];
        return all && found > 0 ? entries : found;
    }
    FERMAT_HD unsigned entry(int pass, unsigned n) const {
        return all ? n : list[pass & (ring - 1)][n];
    }
    FERMAT_HD float& least(int pass, int shot) const {
        return least_of_pass[(pass & (ring - 1)) * shots + shot];
    }
    /// Clears what the pass after the next will fill. One block calls it during pass `pass`.
    template <class Block>
    FERMAT_HD void prepare(Block block, int pass) const {
        block.for_each(shots, [&](int shot) {
            least(pass + 2, shot) = INFINITY;
            if (shot == 0) count[(pass + 2) & (ring - 1)] = 0;
        });
    }
    FERMAT_HD void push(int pass, unsigned entry) const {
        const int slot = pass & (ring - 1);
        const unsigned place = atomic_add(count[slot], 1);
        if (!all) list[slot][place] = entry;
    }
    /// Adds an entry to the list of the next pass if it is in no list.
    FERMAT_HD void wake(int pass, int shot, unsigned entry, float time) const {
        atomic_least(least(pass + 1, shot), time);
        if (atomic_least(key[entry], time) == INFINITY) push(pass + 1, entry);
    }
    /// Moves an entry to the list of the next pass without a visit.
    FERMAT_HD void wait(int pass, int shot, unsigned entry, float time) const {
        atomic_least(least(pass + 1, shot), time);
        push(pass + 1, entry);
    }
};

/// Wakes the tile at offset `to` from `tile`, because of a change at `time`.
FERMAT_HD inline void wake_neighbour(const NodeTiles& tiles, const NodeTileQueue& queue, int pass,
                                     int shot, Index3 tile, Index3 to, float time) {
    const Index3 n{tile.x + to.x, tile.y + to.y, tile.z + to.z};
    const bool inside = n.x >= 0 && n.x < tiles.tiles.x && n.y >= 0 && n.y < tiles.tiles.y &&
                        n.z >= 0 && n.z < tiles.tiles.z;
    if (!inside) return;
    const auto number = static_cast<unsigned>(tiles.tiles.offset(n));
    queue.wake(pass, shot, static_cast<unsigned>(shot) * tiles.tile_count() + number, time);
}

/// A node that a source reaches by a straight link.
struct ShotLink {
    std::size_t place = 0;
    float time = 0;
    int shot = 0;
};

/// Sets the time of the node and wakes all tiles that can see it, for pass 0.
FERMAT_HD inline void start_from(const NodeTiles& tiles, const NodeTileQueue& queue,
                                 const ShotLink& link, float* times) {
    times[link.place] = link.time;
    const Index3 n = tiles.graph.node(link.place);
    const Index3 tile{n.x / tiles.size.x, n.y / tiles.size.y, n.z / tiles.size.z};
    const Index3 inner{n.x % tiles.size.x, n.y % tiles.size.y, n.z % tiles.size.z};
    tiles.for_each_direction(inner, [&](int d, bool seen) {
        if (!seen) return;
        wake_neighbour(tiles, queue, -1, link.shot, tile, tiles.direction(d), link.time);
    });
}

/// Processes one entry of the list of a pass. `times` contains the times of all shots one after
/// another, `stride` apart.
template <int Held, class Block, NodeLanes<Held> Lanes>
FERMAT_HD_INLINE void take_node_tile(Block block, const NodeTiles& tiles,
                                     const HeldSteps<Held>& steps, const NodeTileQueue& queue,
                                     int pass, unsigned entry, float* times, std::size_t stride,
                                     Lanes& lanes, const TileRoom& room) {
    const int shot = static_cast<int>(entry / tiles.tile_count());
    const unsigned tile = entry % tiles.tile_count();
    block.for_each(1, [&](int) {
        const float key = read_fresh(queue.key[entry]);
        const float least = read_fresh(queue.least(pass, shot));
        // A visit far ahead of the wave would be needless, because the times there will still
        // improve. Without an update map, only shots at rest are left out.
        const bool at_rest = tiles.all && least == INFINITY;
        *room.waits = at_rest || key > least + tiles.window ? 1 : 0;
        if (at_rest) {
            // nothing is left to be done
        } else if (*room.waits != 0) {
            queue.wait(pass, shot, entry, key);
        } else {
            // From here on, a change that this visit does not see wakes the tile again.
            atomic_exchange(queue.key[entry], INFINITY);
            publish();
        }
    });
    const bool waits = *room.waits != 0;
    block.sync();  // all lanes have read before the next entry is looked at
    if (waits) return;
    const int rounds = visit_node_tile(
        block, tiles, steps, times + static_cast<std::size_t>(shot) * stride, tile, lanes, room);
    const bool cut_short = room.changed[rounds - 1] != 0;
    block.for_each(tiles.directions(), [&](int d) {
        const bool own = d == tiles.own_direction();
        if (own) {
            queue.rounds[entry] += static_cast<unsigned>(rounds);
            ++queue.visits[entry];
        }
        if (!(room.earliest[d] < INFINITY) || (own && !cut_short)) return;
        publish();  // what all lanes wrote: a barrier lies between
        wake_neighbour(tiles, queue, pass, shot, tiles.tile_index(tile), tiles.direction(d),
                       room.earliest[d]);
    });
}

}  // namespace fermat
