#include "graph/node_tile_setup.hpp"

#include <algorithm>

#include "graph/prepare.hpp"

namespace fermat {
namespace {

int ceil_divide(int a, int b) { return (a + b - 1) / b; }

/// Rows of the copy are this long so that the 32 lanes of a warp, which stand in rows of `across`,
/// read from as many banks of shared memory.
int row_length(int across, int border) {
    constexpr int banks = 32;
    int length = across + 2 * border;
    while (across < banks && length % (2 * across) != across) ++length;
    return length;
}

}  // namespace

NodeTileSetup make_node_tiles(const GraphView& graph, const StarTable& star,
                              const NodeTileTuning& tuning) {
    NodeTileSetup setup;
    NodeTiles& tiles = setup.tiles;
    const Index3 r = graph.border;
    tiles.graph = graph;
    tiles.size = graph.shape.y == 1 ? Shape{tile_lanes / 32, 1, 32} : Shape{tile_lanes / 64, 8, 8};
    const Shape size = tiles.size;
    tiles.tiles = {ceil_divide(graph.shape.x, size.x), ceil_divide(graph.shape.y, size.y),
                   ceil_divide(graph.shape.z, size.z)};
    tiles.memory = {size.x + 2 * r.x, size.y + 2 * r.y, row_length(size.z, r.z)};
    tiles.reach = {ceil_divide(r.x, size.x), ceil_divide(r.y, size.y), ceil_divide(r.z, size.z)};
    tiles.rounds = tuning.rounds;
    const Vec3 h = graph.spacing;
    const double crossing = std::min(
        size.x * h.x, graph.shape.y == 1 ? size.z * h.z : std::min(size.y * h.y, size.z * h.z));
    tiles.window = static_cast<float>(tuning.window * crossing * mean_slowness(graph));
    for (const Index3& o : star.offset) {
        setup.step.push_back((o.x * tiles.memory.y + o.y) * tiles.memory.z + o.z);
    }
    return setup;
}

}  // namespace fermat
