#pragma once

#include <cstdint>
#include <vector>

#include "graph/node_tile.hpp"
#include "graph/options.hpp"
#include "graph/star_table.hpp"

namespace fermat {

/// How a graph is divided into tiles for a GPU, and the steps of its star in a tile's copy. The
/// pointers are those of the graph on the host; tiles.step is null.
struct NodeTileSetup {
    NodeTiles tiles;
    std::vector<std::int32_t> step;

    template <int Held>
    HeldSteps<Held> held_steps() const {
        HeldSteps<Held> held;
        for (std::size_t e = 0; e < step.size() && e < static_cast<std::size_t>(Held); ++e) {
            held.step[e] = step[e];
        }
        return held;
    }
};

/// Parameters of the GPU solver; these values were fastest on an H200.
struct NodeTileTuning {
    int rounds = 8;     ///< largest number of relaxation rounds in a visit
    double window = 4;  ///< tiles later than the first by more than this many times the time to
                        ///< cross a tile wait
    TileVisits visits = TileVisits::ordered;  ///< for others the window has no meaning
};

/// Divides a graph into tiles; leaves steps and window unset.
NodeTiles cut_into_tiles(const GraphView& graph, int rounds = NodeTileTuning{}.rounds);

NodeTileSetup make_node_tiles(const GraphView& graph, const StarTable& star,
                              const NodeTileTuning& tuning);

}  // namespace fermat
