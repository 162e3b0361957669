#pragma once

#include "eikonal/adjoint/axis_weight.hpp"
#include "eikonal/fim/tile.hpp"

namespace fermat {

/// One field of a batch.
template <class Real>
struct BackShot {
    const Real* tau = nullptr;
    double slowness = 0;                        ///< s0 of the source
    const AxisWeight<Real>* weights = nullptr;  ///< [axis][node]
    const Real* by_slowness = nullptr;          ///< dw/ds of each node (NodeWeight)
    const Real* asked = nullptr;                ///< b: what J asks of each node
    Real* lambda = nullptr;
    float latest = 0;  ///< T/s0 of the latest node
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

    /// Where the weight of a node along an axis lies in the array of that axis.
    template <int axis>
    FERMAT_HD_INLINE static int weight_at(int code) {
        constexpr int stride = Tile::stride(axis);
        const int bundle = static_cast<int>(static_cast<unsigned>(code) / (length * stride));
        return code + bundle * (2 * rim * stride) + rim * stride;
    }
};

}  // namespace fermat
