#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "eikonal/source_factor.hpp"

namespace fermat {

/// One solve, as the block solver needs it. The axes are named by their role in a block: `outer`
/// (x; one node in 2-D), `lane` (y; x in 2-D) and `run` (z). Another order is possible.
template <class Real>
struct FimProblem {
    std::array<int, 3> shape;
    std::array<std::ptrdiff_t, 3> stride;  ///< in memory, in nodes; 1 along run
    NodeFactor factor;
    double source_slowness = 0;
    double slowness_unit =
        1;  ///< a power of two near source_slowness; velocities in this unit are near 1
    const float* velocity = nullptr;
    /// In double precision: the slownesses that the velocities are rounded from, if they are given.
    const double* exact_slowness = nullptr;
    Real* tau = nullptr;
    /// Nodes beside a point source, whose tau is given. Empty for a front: tau contains the times
    /// of its nodes before the solve, and a velocity of 0 there keeps the solver from computing
    /// them.
    std::span<const std::array<int, 3>> starts;
    double until = INFINITY;  ///< the largest T/s0 that the caller wants

    std::ptrdiff_t offset(int o, int l, int r) const {
        return o * stride[0] + l * stride[1] + r * stride[2];
    }
    std::array<double, 3> source_node() const {
        return {factor.source_node(0), factor.source_node(1), factor.source_node(2)};
    }
    /// Coordinate along an axis of node n (which may be fractional), relative to the source.
    double coordinate(int axis, double n) const { return factor.coordinate(axis, n); }
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

/// An order of axes: axis order[a] has role a.
using AxisOrder = std::array<int, 3>;

template <class T>
std::array<T, 3> reordered(const std::array<T, 3>& values, AxisOrder order) {
    return {values[order[0]], values[order[1]], values[order[2]]};
}

/// The grid divided into blocks. Blocks between two fixed cuts are of nearly equal size.
struct BlockGrid {
    std::array<std::vector<int>, 3> cuts;  ///< first nodes of the blocks along each axis, and n
    std::array<int, 3> blocks;

    /// `source` is in nodes. Nodes on both sides of the source depend on each other, so no cut
    /// separates them. Along the axes of `slabs`, a thin slab of separate blocks contains them.
    BlockGrid(std::array<int, 3> nodes, std::array<int, 3> largest, std::array<double, 3> source,
              std::array<bool, 3> slabs) {
        for (int axis = 0; axis < 3; ++axis) {
            if (slabs[axis]) {
                cut_out_slab(axis, nodes[axis], largest[axis], source[axis]);
            } else {
                cut_clear_of(axis, nodes[axis], largest[axis], source[axis]);
            }
            blocks[axis] = static_cast<int>(cuts[axis].size()) - 1;
        }
    }
    int count() const { return blocks[0] * blocks[1] * blocks[2]; }
    int stride(int axis) const {
        return axis == 0 ? blocks[1] * blocks[2] : axis == 1 ? blocks[2] : 1;
    }
    std::array<int, 3> coordinates(int block) const {
        return {block / stride(0), block / stride(1) % blocks[1], block % blocks[2]};
    }
    BlockExtent extent(int block) const {
        const auto at = coordinates(block);
        BlockExtent extent;
        for (int axis = 0; axis < 3; ++axis) {
            const auto first = cuts[axis].begin() + at[axis];
            extent.begin[axis] = first[0];
            extent.end[axis] = first[1];
        }
        return extent;
    }
    /// The block that contains a node: the last one whose first node does not exceed it.
    int block_of(std::array<int, 3> node) const {
        int block = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto& first = cuts[axis];
            const auto next = std::upper_bound(first.begin(), first.end(), node[axis]);
            block += static_cast<int>(next - first.begin() - 1) * stride(axis);
        }
        return block;
    }
    /// Blocks that share a face differ in parity, so blocks of one parity can be solved at the same
    /// time.
    int parity(int block) const {
        const auto at = coordinates(block);
        return (at[0] + at[1] + at[2]) & 1;
    }

  private:
    /// Adds cuts between the last cut and `end`.
    void cut(int axis, int end, int pieces) {
        const int begin = cuts[axis].back();
        for (int piece = 1; piece <= pieces; ++piece) {
            const long long nodes = end - begin;
            cuts[axis].push_back(begin + static_cast<int>(nodes * piece / pieces));
        }
    }
    void cut_out_slab(int axis, int n, int largest, double source) {
        constexpr int margin = 4;
        const int low = static_cast<int>(std::floor(source)) - margin;
        const int high = low + 2 * margin + 2;
        const auto pieces = [&](int end) {
            return (end - cuts[axis].back() + largest - 1) / largest;
        };
        cuts[axis].assign(1, 0);
        if (low >= margin) cut(axis, low, pieces(low));
        if (high <= n - margin) cut(axis, high, pieces(high));
        cut(axis, n, pieces(n));
    }
    /// Adding one block along an axis moves the cuts away from the source.
    void cut_clear_of(int axis, int n, int largest, double source) {
        constexpr int most_more = 3;
        for (int more = 0; more <= most_more; ++more) {
            cuts[axis].assign(1, 0);
            cut(axis, n, (n + largest - 1) / largest + more);
            const bool clear =
                std::none_of(cuts[axis].begin() + 1, cuts[axis].end() - 1,
                             [&](int first) { return std::abs(first - 0.5 - source) < 2.5; });
            if (clear) return;
        }
    }
};

}  // namespace fermat
