#include "eikonal/fim/tile_setup.hpp"

#include <algorithm>
#include <cmath>

#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/rules.hpp"

namespace fermat {
namespace {

template <int Dim>
void activate_starts(const Grid& grid, std::span<const FactoredSource> sources, int order,
                     TileSetup& setup) {
    using Tile = TileShape<Dim>;
    const TileProblem& problem = setup.problem;
    const auto tiles = static_cast<std::size_t>(problem.tile_count());
    std::vector<int> near_start;
    const auto each_once = [&] {
        std::sort(near_start.begin(), near_start.end());
        near_start.erase(std::unique(near_start.begin(), near_start.end()), near_start.end());
    };
    for (std::size_t s = 0; s < setup.shots.size(); ++s) {
        const TileShot& shot = setup.shots[s];
        near_start.clear();
        for (const StartNode& start : sources[s].starts) {
            const auto node = fim_axes(grid, start.node.x, start.node.y, start.node.z, 0);
            for_each_reader(node, order, problem.shape, [&](const auto& near) {
                int tile = 0;
                for (int d = 0; d < 3; ++d) {
                    const int along = near[static_cast<std::size_t>(d)];
                    tile = tile * problem.tiles[d] + (along + shot.shift[d]) / Tile::size(d);
                }
                near_start.push_back(tile);
            });
            // A front may have millions of nodes.
            if (near_start.size() > 16 * tiles + 4096) each_once();
        }
        each_once();
        for (const int tile : near_start) {
            setup.active[problem.parity(tile)].push_back(
                static_cast<unsigned>(s * tiles + static_cast<std::size_t>(tile)));
        }
    }
}

template <int Dim>
void finish(const Grid& grid, std::span<const FactoredSource> sources, int order,
            TileSetup& setup) {
    using Tile = TileShape<Dim>;
    const NodeFactor nodes = reordered(node_factor(grid, {}), fim_axis_order(grid));
    for (int axis = 0; axis < 3; ++axis) {
        const int size = Tile::size(axis);
        // Enough for any shift.
        setup.problem.tiles[axis] =
            size == 1 ? 1 : (setup.problem.shape[axis] + 2 * size - 2) / size;
        setup.problem.crossing =
            std::max(setup.problem.crossing, static_cast<float>(size * nodes.spacing[axis]));
        for (TileShot& shot : setup.shots) {
            shot.shift[axis] = tile_shift(shot.factor.source_node(axis), size);
        }
    }
    setup.steps = &tile_steps<Dim>();
    std::copy(std::begin(setup.steps->begin), std::end(setup.steps->begin),
              setup.problem.step_begin);
    activate_starts<Dim>(grid, sources, order, setup);
}

}  // namespace

int tile_shift(double source_node, int size) {
    if (size == 1) return 0;
    const int middle = size / 2 - static_cast<int>(std::lround(source_node)) % size;
    return (middle + size) % size;
}

std::size_t filling_batch(const Grid& grid) {
    constexpr std::size_t filling_nodes = std::size_t{1} << 27;
    return std::max<std::size_t>(1, filling_nodes / grid.node_count());
}

TileSetup make_tile_setup(const Grid& grid, std::span<const FactoredSource> sources, int order) {
    TileSetup setup;
    const auto shape = fim_axes(grid, grid.shape.x, grid.shape.y, grid.shape.z, 1);
    std::copy(shape.begin(), shape.end(), setup.problem.shape);
    for (const FactoredSource& source : sources) {
        TileShot shot;
        shot.factor = reordered(node_factor(grid, source), fim_axis_order(grid));
        shot.inverse_slowness = static_cast<float>(1 / source.slowness);
        const double until = source.until / (source.slowness * smallest_spacing(grid));
        shot.until2 = static_cast<float>(until * until);
        shot.first_start = static_cast<int>(setup.starts.size());
        // For a front, a velocity of 0 keeps the solver from changing its nodes instead.
        const std::size_t held = source.is_front() ? 0 : source.starts.size();
        shot.start_count = static_cast<int>(held);
        for (std::size_t n = 0; n < held; ++n) {
            const StartNode& start = source.starts[n];
            const auto node = fim_axes(grid, start.node.x, start.node.y, start.node.z, 0);
            setup.starts.push_back({node[0], node[1], node[2]});
            setup.start_tau.push_back(static_cast<float>(start.tau));
        }
        setup.shots.push_back(shot);
    }
    if (grid.is_2d()) {
        finish<2>(grid, sources, order, setup);
    } else {
        finish<3>(grid, sources, order, setup);
    }
    return setup;
}

}  // namespace fermat
