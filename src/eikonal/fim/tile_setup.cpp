#include "eikonal/fim/tile_setup.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/rules.hpp"

namespace fermat {
namespace {

/// Nodes astride the source depend on each other, so it lies in the middle of a tile.
int shift_of(double source_node, int size) {
    if (size == 1) return 0;
    const int middle = size / 2 - static_cast<int>(std::lround(source_node)) % size;
    return (middle + size) % size;
}

template <int Dim>
void activate_starts(int order, TileSetup& setup) {
    using Tile = TileShape<Dim>;
    const TileProblem& problem = setup.problem;
    std::set<unsigned> tiles;
    for (std::size_t s = 0; s < setup.shots.size(); ++s) {
        const TileShot& shot = setup.shots[s];
        for (int n = shot.first_start; n < shot.first_start + shot.start_count; ++n) {
            for (int axis = 0; axis < 3; ++axis) {
                for (int shift = -order; shift <= order; ++shift) {
                    Index3 near = setup.starts[static_cast<std::size_t>(n)];
                    near[axis] = std::clamp(near[axis] + shift, 0, problem.shape[axis] - 1);
                    int tile = 0;
                    for (int d = 0; d < 3; ++d) {
                        tile = tile * problem.tiles[d] + (near[d] + shot.shift[d]) / Tile::size(d);
                    }
                    tiles.insert(static_cast<unsigned>(s) *
                                     static_cast<unsigned>(problem.tile_count()) +
                                 static_cast<unsigned>(tile));
                }
            }
        }
    }
    for (const unsigned entry : tiles) {
        const int tile = static_cast<int>(entry % static_cast<unsigned>(problem.tile_count()));
        setup.active[problem.parity(tile)].push_back(entry);
    }
}

template <int Dim>
void finish(int order, TileSetup& setup) {
    using Tile = TileShape<Dim>;
    for (int axis = 0; axis < 3; ++axis) {
        const int size = Tile::size(axis);
        // Enough for any shift.
        setup.problem.tiles[axis] =
            size == 1 ? 1 : (setup.problem.shape[axis] + 2 * size - 2) / size;
        setup.problem.crossing = std::max(setup.problem.crossing,
                                          static_cast<float>(size * setup.problem.spacing[axis]));
        for (TileShot& shot : setup.shots) {
            shot.shift[axis] = shift_of(shot.source[axis] / setup.problem.spacing[axis], size);
        }
    }
    setup.steps = make_tile_steps<Dim>();
    std::copy(std::begin(setup.steps.begin), std::end(setup.steps.begin), setup.problem.step_begin);
    activate_starts<Dim>(order, setup);
}

}  // namespace

std::size_t filling_batch(const Grid& grid) {
    constexpr std::size_t filling_nodes = std::size_t{1} << 27;
    return std::max<std::size_t>(1, filling_nodes / grid.node_count());
}

TileSetup make_tile_setup(const Grid& grid, std::span<const FactoredSource> sources, int order) {
    TileSetup setup;
    const double unit = smallest_spacing(grid);
    const Vec3 h = grid.spacing / unit;
    const auto shape = fim_axes(grid, grid.shape.x, grid.shape.y, grid.shape.z, 1);
    const auto spacing = fim_axes(grid, h.x, h.y, h.z, 1.0);
    std::copy(shape.begin(), shape.end(), setup.problem.shape);
    std::copy(spacing.begin(), spacing.end(), setup.problem.spacing);
    for (const FactoredSource& source : sources) {
        const Vec3 at = (source.position - grid.origin) / unit;
        const auto place = fim_axes(grid, at.x, at.y, at.z, 0.0);
        TileShot shot;
        std::copy(place.begin(), place.end(), shot.source);
        shot.inverse_slowness = static_cast<float>(1 / source.slowness);
        shot.first_start = static_cast<int>(setup.starts.size());
        shot.start_count = static_cast<int>(source.starts.size());
        for (const StartNode& start : source.starts) {
            const auto node = fim_axes(grid, start.node.x, start.node.y, start.node.z, 0);
            setup.starts.push_back({node[0], node[1], node[2]});
            setup.start_tau.push_back(static_cast<float>(start.tau));
        }
        setup.shots.push_back(shot);
    }
    if (grid.is_2d()) {
        finish<2>(order, setup);
    } else {
        finish<3>(order, setup);
    }
    return setup;
}

}  // namespace fermat
