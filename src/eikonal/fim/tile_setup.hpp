#pragma once

#include <span>
#include <vector>

#include "eikonal/factored_source.hpp"
#include "eikonal/fim/tile.hpp"
#include "model/model.hpp"

namespace fermat {

/// All that a batch of sources needs before its first pass, in host memory. The pointers of
/// `problem` and `shots` are left for whoever owns the memory.
struct TileSetup {
    TileProblem problem;
    std::vector<TileShot> shots;
    std::vector<Index3> starts;       ///< along the axes of a tile
    std::vector<float> start_tau;     ///< one a start
    std::vector<unsigned> active[2];  ///< tiles that hold or look at a start, by parity
    TileSteps steps;
};

TileSetup make_tile_setup(const Grid& grid, std::span<const FactoredSource> sources, int order);

}  // namespace fermat
