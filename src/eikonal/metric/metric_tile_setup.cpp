#include "eikonal/metric/metric_tile_setup.hpp"

#include <algorithm>
#include <cmath>

#include "eikonal/fim/tile_setup.hpp"

namespace fermat {

double medium_mean(const NodeNumbers& numbers) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t n = 0; n < numbers.shape.count(); ++n) {
        if (!(numbers.mean[n] > 0)) continue;
        sum += numbers.mean[n];
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 1;
}

namespace {

/// Given ones, or those of the field tau.
std::vector<StartNode> start_nodes(const NodeNumbers& numbers) {
    const float* const tau = numbers.values[at(NodeNumber::tau)];
    if (tau == nullptr) return {numbers.starts.begin(), numbers.starts.end()};
    const Shape shape = numbers.shape;
    std::vector<StartNode> starts;
    Index3 low;
    Index3 high;
    for (int axis = 0; axis < 3; ++axis) {
        const int near = static_cast<int>(std::lround(numbers.source[axis]));
        low[axis] = std::max(0, near - numbers.start_reach);
        high[axis] = std::min(shape[axis] - 1, near + numbers.start_reach);
    }
    for (int i = low.x; i <= high.x; ++i) {
        for (int j = low.y; j <= high.y; ++j) {
            for (int k = low.z; k <= high.z; ++k) {
                const float here = tau[shape.offset(i, j, k)];
                if (here < reached_limit<float>) starts.push_back({{i, j, k}, here});
            }
        }
    }
    return starts;
}

}  // namespace

MetricTileSetup make_metric_tiles(const NodeNumbers& numbers) {
    using Tile = TileShape<3>;
    MetricTileSetup setup;
    MetricTileProblem& problem = setup.problem;
    const Shape shape = numbers.shape;
    for (int axis = 0; axis < 3; ++axis) {
        const int size = Tile::size(axis);
        problem.shape[axis] = shape[axis];
        // Enough for any shift.
        problem.tiles[axis] = (shape[axis] + 2 * size - 2) / size;
        setup.shot.at[axis] = static_cast<float>(numbers.source[axis]);
        setup.shot.shift[axis] = tile_shift(numbers.source[axis], size);
        problem.crossing = static_cast<float>(size);
    }
    setup.steps = &tile_steps<3>();
    std::copy(std::begin(setup.steps->begin), std::end(setup.steps->begin), problem.step_begin);
    std::vector<char> near_start(static_cast<std::size_t>(problem.tile_count()));
    setup.starts = start_nodes(numbers);
    for (const StartNode& start : setup.starts) {
        for_each_reader(start.node, 2, shape, [&](Index3 near) {
            int tile = 0;
            for (int axis = 0; axis < 3; ++axis) {
                tile = tile * problem.tiles[axis] +
                       (near[axis] + setup.shot.shift[axis]) / Tile::size(axis);
            }
            near_start[static_cast<std::size_t>(tile)] = 1;
        });
    }
    for (int tile = 0; tile < problem.tile_count(); ++tile) {
        if (!near_start[static_cast<std::size_t>(tile)]) continue;
        setup.active[problem.parity(tile)].push_back(static_cast<unsigned>(tile));
    }
    return setup;
}

}  // namespace fermat
