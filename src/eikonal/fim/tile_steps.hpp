#pragma once

#include <cstdint>
#include <vector>

#include "core/host_device.hpp"

namespace fermat {

/// The extents of a tile along the axes `outer`, `lane` and `run` of FimProblem, and the numbering
/// of its nodes. The extents are powers of two, so reversing an axis flips bits of the number.
template <int Dim>
struct TileShape {
    FERMAT_HD static constexpr int bits(int axis) { return Dim == 3 ? 3 : axis == 0 ? 0 : 5; }
    FERMAT_HD static constexpr int size(int axis) { return 1 << bits(axis); }
    /// Step in the numbering of nodes along an axis.
    FERMAT_HD static constexpr int stride(int axis) {
        return axis == 2 ? 1 : axis == 1 ? size(2) : size(1) * size(2);
    }
    FERMAT_HD static constexpr int code(int outer, int lane, int run) {
        return outer * stride(0) + lane * stride(1) + run;
    }
    FERMAT_HD static constexpr int part(int code, int axis) {
        return static_cast<int>(static_cast<unsigned>(code) / stride(axis)) & (size(axis) - 1);
    }
};

template <int Dim>
inline constexpr int tile_nodes = TileShape<Dim>::size(0) * TileShape<Dim>::stride(0);

/// The direction of a sweep. Bit `axis` of `down`: downward instead of upward. Bit `axis` of
/// `outward`: both ways at once, from the middle node, where the source lies in its tile.
struct SweepWay {
    unsigned down = 0;
    unsigned outward = 0;

    /// As bits of one word, and back.
    FERMAT_HD unsigned packed() const { return down | outward << 3; }
    FERMAT_HD static SweepWay unpacked(unsigned bits) { return {bits & 7U, bits >> 3 & 7U}; }

    /// The step to a node from the neighbour swept just before it: 1, -1, or 0 in the middle.
    template <int Dim>
    FERMAT_HD int sense(int axis, int n) const {
        if (!(outward >> axis & 1)) return down >> axis & 1 ? -1 : 1;
        const int middle = TileShape<Dim>::size(axis) / 2;
        return n > middle ? 1 : n < middle ? -1 : 0;
    }

    /// The sweep after number `turn`: it reverses one of the axes along which values ran against
    /// the last one (bits of `against`). It reverses one axis at a time, in the order of a Gray
    /// code, so every direction is used.
    FERMAT_HD SweepWay after(unsigned against, int turn) const {
        int skip = 0;
        for (int n = turn + 1; !(n & 1); n >>= 1) ++skip;
        unsigned axis = against & (~against + 1);
        for (; skip > 0 && (against & ~axis & ~(axis - 1)); --skip) {
            const unsigned higher = against & ~axis & ~(axis - 1);
            axis = higher & (~higher + 1);
        }
        return outward & axis ? SweepWay{down, outward & ~axis} : SweepWay{down ^ axis, outward};
    }
};

/// How a sweep goes through a tile: it reverses the nodes of the table of steps by the bits of
/// `mask`, and along each axis it runs away from `pivot`.
template <int Dim>
struct SweepStart {
    FERMAT_HD explicit SweepStart(SweepWay way) {
        using Tile = TileShape<Dim>;
        for (int axis = Dim == 3 ? 0 : 1; axis < 3; ++axis) {
            const bool outward = way.outward >> axis & 1;
            const bool flip = !outward && (way.down >> axis & 1);
            if (flip) mask |= (Tile::size(axis) - 1) * Tile::stride(axis);
            pivot[axis] = outward ? Tile::size(axis) / 2 : flip ? Tile::size(axis) - 1 : 0;
        }
    }

    int mask = 0;
    int pivot[3] = {0, 0, 0};
};

/// Gauss-Seidel sweeps of a tile in steps of `lanes` nodes, one sweep for each set of outward axes;
/// the other axes run upward. The step of a node comes after the steps of the neighbours before it
/// along every axis, so the nodes of one step neither read nor write one another.
struct TileSteps {
    static constexpr int lanes = 32;
    static constexpr int sets = 8;
    static constexpr std::uint16_t idle = 0xffff;

    std::vector<std::uint16_t> nodes;  ///< [step][lane], or idle
    int begin[sets + 1] = {};          ///< first step of each set of outward axes
};

/// The nodes of a tile in as few steps as their order allows. Packing takes a millisecond, so it is
/// done once.
template <int Dim>
const TileSteps& tile_steps();

}  // namespace fermat
