#pragma once

#include <cstddef>

#include "core/atomic.hpp"
#include "eikonal/adjoint/axis_weight.hpp"
#include "eikonal/fim/tile.hpp"

namespace fermat {

/// One field of a batch. What the substitution makes lies tile after tile, so that a warp reads it
/// in one run: the nodes of a tile by their numbers.
template <class Real>
struct BackShot {
    const Real* tau = nullptr;            ///< of the grid's nodes
    double slowness = 0;                  ///< s0 of the source
    AxisWeight<Real>* weights = nullptr;  ///< [tile][axis][node]
    Real* by_slowness = nullptr;          ///< [tile][node], dw/ds of each node (NodeWeight)
    const Real* asked = nullptr;          ///< b: what J asks of each of the grid's nodes
    Real* lambda = nullptr;               ///< [tile][node]
    Real* incoming = nullptr;             ///< [tile][face], TileFaces
    float latest = 0;                     ///< T/s0 of the latest node
};

/// What comes into a tile through its faces (2 * axis + side): of each the sums for the nodes
/// beside it, then for those behind them.
template <int Dim>
struct TileFaces {
    static constexpr int first = 2 * (3 - Dim);  ///< a 2-D tile has no faces 0 and 1
    static constexpr int count = 2 * Dim;
    static constexpr int lines = tile_nodes<Dim> / TileShape<Dim>::size(2);
    static constexpr int values = 2 * lines;  ///< of one face

    FERMAT_HD static std::size_t at(unsigned tile, int face) {
        return (static_cast<std::size_t>(tile) * count + static_cast<std::size_t>(face - first)) *
               values;
    }
};

/// The faces of a tile across which a node of it with a weight along an axis hands on.
template <int Dim, int axis, class Real>
FERMAT_HD_INLINE unsigned faces_crossed(AxisWeight<Real> weight, int code) {
    using Tile = TileShape<Dim>;
    const int n = Tile::part(code, axis);
    const int depth = weight.second() ? 1 : 0;
    const bool low = weight.side() < 0 && n <= depth;
    const bool high = weight.side() > 0 && Tile::size(axis) - 1 - n <= depth;
    return (low ? 1U : 0U) << (2 * axis) | (high ? 2U : 0U) << (2 * axis);
}

/// Where a node of the grid lies in an array [tile][node] of a shot.
template <int Dim>
FERMAT_HD std::size_t place_in_tiles(const TileProblem& problem, const int (&shift)[3],
                                     const int (&node)[3]) {
    using Tile = TileShape<Dim>;
    unsigned tile = 0;
    int code = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const auto n = static_cast<unsigned>(node[axis] + shift[axis]);
        tile = tile * static_cast<unsigned>(problem.tiles[axis]) + (n >> Tile::bits(axis));
        code = code << Tile::bits(axis) | static_cast<int>(n & (Tile::size(axis) - 1U));
    }
    return static_cast<std::size_t>(tile) * tile_nodes<Dim> + static_cast<std::size_t>(code);
}

/// Tiles that hand on to each other. They are settled together, before the tiles they hand on to.
struct BackGroup {
    static constexpr int most = 16;

    unsigned tile[most] = {};
    int count = 0;

    FERMAT_HD int find(unsigned which) const {
        int n = 0;
        while (n < count && tile[n] != which) ++n;
        return n;
    }
    FERMAT_HD bool holds(unsigned which) const { return find(which) < count; }
};

/// What a warp keeps of its tile in shared memory. Weights have a rim of zeros, two nodes wide, at
/// both ends of their own axis, and lambda a margin: a node reads all its neighbours without asking
/// whether they lie in the tile. The nodes of a step lie in different banks as their numbers do:
/// padding would save a fortieth of the conflicts.
template <int Dim, class Real>
struct BackStorage {
    using Tile = TileShape<Dim>;
    static constexpr int rim = 2;
    static constexpr int length = Tile::size(2);  ///< of a tile along each of its axes
    static constexpr int lines = tile_nodes<Dim> / length;
    static constexpr int margin = rim * Tile::stride(3 - Dim);

    Real lambda[tile_nodes<Dim> + 2 * margin];
    Real given[tile_nodes<Dim>];  ///< b, and what nodes outside the tile hand on
    AxisWeight<Real> weight[Dim][lines * (length + 2 * rim)];
    unsigned char moved[tile_nodes<Dim>];  ///< bits of Moved
    BackGroup group;

    /// Where the weight of a node along an axis lies in the array of that axis.
    template <int axis>
    FERMAT_HD_INLINE static int weight_at(int code) {
        constexpr int stride = Tile::stride(axis);
        const int bundle = static_cast<int>(static_cast<unsigned>(code) / (length * stride));
        return code + bundle * (2 * rim * stride) + rim * stride;
    }
};

}  // namespace fermat
