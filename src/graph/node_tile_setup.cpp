#include "graph/node_tile_setup.hpp"

#include <algorithm>
#include <cmath>

#include "graph/prepare.hpp"

namespace fermat {
namespace {

/// Chooses the length of rows of the copy so that the 32 lanes of a warp, which lie in rows of
/// `across` nodes, read from different banks of shared memory.
int row_length(int across, int border) {
    constexpr int banks = 32;
    int length = across + 2 * border;
    while (across < banks && length % (2 * across) != across) ++length;
    return length;
}

}  // namespace

NodeTiles cut_into_tiles(const GraphView& graph, int rounds) {
    NodeTiles tiles;
    const Index3 r = graph.border;
    const Shape size =
        graph.shape.y == 1 ? Shape{tile_lanes / 32, 1, 32} : Shape{tile_lanes / 64, 8, 8};
    tiles.graph = graph;
    tiles.size = size;
    tiles.tiles = {ceil_divide(graph.shape.x, size.x), ceil_divide(graph.shape.y, size.y),
                   ceil_divide(graph.shape.z, size.z)};
    tiles.memory = {size.x + 2 * r.x, size.y + 2 * r.y, row_length(size.z, r.z)};
    tiles.reach = {ceil_divide(r.x, size.x), ceil_divide(r.y, size.y), ceil_divide(r.z, size.z)};
    tiles.rounds = rounds;
    return tiles;
}

NodeTileSetup make_node_tiles(const GraphView& graph, const StarTable& star,
                              const NodeTileTuning& tuning) {
    NodeTileSetup setup{cut_into_tiles(graph, tuning.rounds), {}};
    NodeTiles& tiles = setup.tiles;
    const Vec3 h = graph.spacing;
    double crossing = std::min(tiles.size.x * h.x, tiles.size.z * h.z);
    if (graph.shape.y > 1) crossing = std::min(crossing, tiles.size.y * h.y);
    tiles.window = tuning.visits == TileVisits::ordered
                       ? static_cast<float>(tuning.window * crossing * mean_slowness(graph))
                       : INFINITY;
    tiles.all = tuning.visits == TileVisits::none;
    for (const Index3& o : star.offset) {
        setup.step.push_back((o.x * tiles.memory.y + o.y) * tiles.memory.z + o.z);
    }
    return setup;
}

}  // namespace fermat
