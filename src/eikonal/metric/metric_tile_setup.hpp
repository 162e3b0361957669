#pragma once

#include <vector>

#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_numbers.hpp"

namespace fermat {

/// What tiles need of a problem, in host memory. The owner of the device memory sets the pointers.
struct MetricTileSetup {
    MetricTileProblem problem;
    MetricTileShot shot;
    std::vector<unsigned> active[2];  ///< tiles that contain or read a start node, per parity
    std::vector<StartNode> starts;
    const TileSteps* steps = nullptr;
};

/// Without start nodes, no tile is active.
MetricTileSetup make_metric_tiles(const NodeNumbers& numbers);

/// The mean of mu over nodes that are not air.
double medium_mean(const NodeNumbers& numbers);

}  // namespace fermat
