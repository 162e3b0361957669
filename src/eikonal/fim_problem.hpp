#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "model/cell_medium.hpp"

namespace fermat {

/// One solve as the block solver sees it. Axes are named by their part in a block: `outer` (x;
/// of one node in 2-D), `lane` (y; x in 2-D) and `run` (z). Memory is in C order, run fastest.
template <class Real>
struct FimProblem {
    std::array<int, 3> shape;
    std::array<double, 3> spacing;
    std::array<double, 3> source;  ///< position relative to node (0, 0, 0)
    double source_slowness = 0;
    const float* velocity = nullptr;
    const CellMedium* cells = nullptr;  ///< where velocity jumps between cells; else null
    Real* tau = nullptr;
    std::span<const std::array<int, 3>> starts;  ///< nodes whose tau is given

    std::size_t offset(int o, int l, int r) const {
        return (static_cast<std::size_t>(o) * static_cast<std::size_t>(shape[1]) +
                static_cast<std::size_t>(l)) *
                   static_cast<std::size_t>(shape[2]) +
               static_cast<std::size_t>(r);
    }
    std::array<double, 3> source_node() const {
        return {source[0] / spacing[0], source[1] / spacing[1], source[2] / spacing[2]};
    }
    /// Coordinate along an axis of node n (which may be fractional), relative to the source.
    double coordinate(int axis, double n) const { return n * spacing[axis] - source[axis]; }
};

/// Nodes [begin, end) of a block along each axis.
struct BlockExtent {
    std::array<int, 3> begin;
    std::array<int, 3> end;

    int size(int axis) const { return end[axis] - begin[axis]; }
    bool contains(std::array<int, 3> node) const {
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            inside &= node[axis] >= begin[axis] && node[axis] < end[axis];
        }
        return inside;
    }
};

/// The grid cut into blocks of nearly equal size.
struct BlockGrid {
    std::array<int, 3> nodes;
    std::array<int, 3> blocks;

    /// `source` is in nodes. Nodes astride the source depend on each other, so no cut runs there:
    /// one more block along an axis moves the cuts away.
    BlockGrid(std::array<int, 3> node_shape, std::array<int, 3> largest,
              std::array<double, 3> source)
        : nodes(node_shape) {
        for (int axis = 0; axis < 3; ++axis) {
            blocks[axis] = (nodes[axis] + largest[axis] - 1) / largest[axis];
            constexpr int most_more = 3;
            for (int more = 0; more < most_more && cut_near(axis, source[axis]); ++more) {
                ++blocks[axis];
            }
        }
    }
    bool cut_near(int axis, double node) const {
        for (int block = 1; block < blocks[axis]; ++block) {
            const double cut = first_node(axis, block) - 0.5;
            if (cut > node - 2.5 && cut < node + 2.5) return true;
        }
        return false;
    }
    int count() const { return blocks[0] * blocks[1] * blocks[2]; }
    int stride(int axis) const {
        return axis == 0 ? blocks[1] * blocks[2] : axis == 1 ? blocks[2] : 1;
    }
    std::array<int, 3> coordinates(int block) const {
        return {block / stride(0), block / stride(1) % blocks[1], block % blocks[2]};
    }
    int first_node(int axis, int block) const {
        return static_cast<int>(static_cast<long long>(nodes[axis]) * block / blocks[axis]);
    }
    BlockExtent extent(int block) const {
        const auto at = coordinates(block);
        BlockExtent extent;
        for (int axis = 0; axis < 3; ++axis) {
            extent.begin[axis] = first_node(axis, at[axis]);
            extent.end[axis] = first_node(axis, at[axis] + 1);
        }
        return extent;
    }
    /// The block of a node: the last whose first node does not exceed it.
    int block_of(std::array<int, 3> node) const {
        int block = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const long long above = (node[axis] + 1LL) * blocks[axis] - 1;
            block += static_cast<int>(above / nodes[axis]) * stride(axis);
        }
        return block;
    }
    /// Face neighbours differ in parity, so blocks of one parity can be solved at the same time.
    int parity(int block) const {
        const auto at = coordinates(block);
        return (at[0] + at[1] + at[2]) & 1;
    }
};

}  // namespace fermat
