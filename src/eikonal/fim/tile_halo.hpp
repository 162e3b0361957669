#pragma once

#include "core/host_device.hpp"
#include "eikonal/fim/tile_steps.hpp"

namespace fermat {

/// The nodes that a visit of a tile reads.
template <int Dim>
struct TileHalo {
    using Tile = TileShape<Dim>;

    FERMAT_HD static void node_of(int code, int (&node)[3]) {
        for (int axis = 0; axis < 3; ++axis) node[axis] = Tile::part(code, axis);
    }

    /// Nodes of the tile, then those of its halo: along each axis two before and two after the
    /// tile. Sizes are powers of two, so indices are cheap to compute.
    FERMAT_HD static constexpr unsigned halo_nodes(int axis) {
        return 4 * tile_nodes<Dim> / Tile::size(axis);
    }
    static constexpr int loaded =
        tile_nodes<Dim> +
        static_cast<int>(halo_nodes(1) + halo_nodes(2) + (Dim == 3 ? halo_nodes(0) : 0));

    FERMAT_HD static void loaded_node(int n, int (&node)[3]) {
        constexpr unsigned size[3] = {Tile::size(0), Tile::size(1), Tile::size(2)};
        const auto outside = [](unsigned q, unsigned length) {
            return static_cast<int>(q < 2 ? q : q + length) - 2;
        };
        if (n < tile_nodes<Dim>) return node_of(n, node);
        auto rest = static_cast<unsigned>(n - tile_nodes<Dim>);
        node[0] = 0;
        if (rest < halo_nodes(2)) {
            node[2] = outside(rest % 4, size[2]);
            node[1] = static_cast<int>(rest / 4 % size[1]);
            if constexpr (Dim == 3) node[0] = static_cast<int>(rest / (4 * size[1]));
            return;
        }
        rest -= halo_nodes(2);
        node[2] = static_cast<int>(rest % size[2]);
        if (rest < halo_nodes(1)) {
            node[1] = outside(rest / size[2] % 4, size[1]);
            if constexpr (Dim == 3) node[0] = static_cast<int>(rest / (4 * size[2]));
            return;
        }
        rest -= halo_nodes(1);
        node[1] = static_cast<int>(rest / size[2] % size[1]);
        node[0] = outside(rest / (size[2] * size[1]), size[0]);
    }
};

}  // namespace fermat
