#pragma once

#include <span>
#include <vector>

#include "eikonal/factored_source.hpp"
#include "eikonal/fim/tile.hpp"
#include "model/model.hpp"

namespace fermat {

/// What a batch of sources needs before its first pass, in host memory. The owner of the device
/// memory sets the pointers of `problem` and `shots`.
struct TileSetup {
    TileProblem problem;
    std::vector<TileShot> shots;
    std::vector<Index3> starts;       ///< by the axes of a tile
    std::vector<float> start_tau;     ///< one per start node
    std::vector<unsigned> active[2];  ///< tiles that contain or read a start node, per parity
    const TileSteps* steps = nullptr;
};

/// How many nodes before the grid the first tile begins. Nodes on both sides of the source depend
/// on each other, so the source is placed in the middle of a tile.
int tile_shift(double source_node, int size);

TileSetup make_tile_setup(const Grid& grid, std::span<const FactoredSource> sources, int order);

}  // namespace fermat
