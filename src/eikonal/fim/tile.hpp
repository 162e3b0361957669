#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "eikonal/fim/tile_steps.hpp"
#include "eikonal/source_factor.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// The fast iterative method for a GPU: tiles of nodes, each solved by one warp in shared memory.
/// Axes are those of FimProblem. If a device computes, all pointers point to its memory.

/// One source of a batch.
struct TileShot {
    float* tau = nullptr;
    NodeFactor factor;
    float inverse_slowness = 0;  ///< 1 / s0
    float until2 = INFINITY;     ///< the square of the largest T/s0 that the caller wants
    int shift[3] = {0, 0, 0};    ///< the first tile begins this many nodes before the grid
    int first_start = 0;         ///< index of its first start node in TileProblem::starts
    int start_count = 0;
};

/// A batch of solves on one model.
struct TileProblem {
    int shape[3] = {1, 1, 1};
    int tiles[3] = {1, 1, 1};         ///< number along each axis, enough for any shift
    const float* velocity = nullptr;  ///< on nodes
    const TileShot* shots = nullptr;
    const Index3* starts = nullptr;        ///< nodes whose tau is given, by the axes of a tile
    const std::uint16_t* steps = nullptr;  ///< TileSteps::nodes
    int step_begin[TileSteps::sets + 1] = {};
    float crossing = 0;  ///< the length across a tile

    FERMAT_HD int tile_count() const { return tiles[0] * tiles[1] * tiles[2]; }
    /// Tiles that share a face differ in parity.
    FERMAT_HD int parity(int tile) const {
        const int column = tile / tiles[2];
        return (column / tiles[1] + column % tiles[1] + tile % tiles[2]) & 1;
    }
    FERMAT_HD std::size_t offset(int o, int l, int r) const {
        return (static_cast<std::size_t>(o) * static_cast<std::size_t>(shape[1]) +
                static_cast<std::size_t>(l)) *
                   static_cast<std::size_t>(shape[2]) +
               static_cast<std::size_t>(r);
    }
    FERMAT_HD bool contains(int o, int l, int r) const {
        return o >= 0 && o < shape[0] && l >= 0 && l < shape[1] && r >= 0 && r < shape[2];
    }
};

/// Marks of a node in a visit.
struct Moved {
    static constexpr unsigned char in_visit = 1;  ///< its value changed by more than rounding
    static constexpr unsigned char asks = 4;      ///< it may feed a neighbour swept before it
};

/// What a warp keeps of its tile in shared memory. The pitches put the nodes of a step into
/// different banks.
template <int Dim>
struct TileStorage {
    using Tile = TileShape<Dim>;
    static constexpr int halo = 2;
    static constexpr int outer_halo = Dim == 3 ? halo : 0;
    FERMAT_HD static constexpr int pitch(int axis) {
        return axis == 2 ? 1 : axis == 1 ? Tile::size(2) + 2 * halo : Dim == 3 ? 158 : 0;
    }
    static constexpr int tau_size =
        Dim == 3 ? (Tile::size(0) + 2 * halo) * pitch(0) : (Tile::size(1) + 2 * halo) * pitch(1);

    float tau[tau_size];
    float f[tile_nodes<Dim>];  ///< s / T0; `unreached` at nodes that are not computed
    alignas(4) unsigned char moved[tile_nodes<Dim>];  ///< bits of Moved

    FERMAT_HD static int at(int o, int l, int r) {
        return (o + outer_halo) * pitch(0) + (l + halo) * pitch(1) + r + halo;
    }
};

}  // namespace fermat
