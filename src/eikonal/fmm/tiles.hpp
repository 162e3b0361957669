#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grid.hpp"

namespace fermat {

/// Nodes numbered by small tiles, with a rim of two nodes that no wave reaches, so stencils need
/// not test for the end of the grid. A tile has 4 x 4 x 4 nodes (4 x 4 in 2-D), which are whole
/// cache lines. The front of the march is thin, and with tiles most of what is read for a node also
/// serves its neighbours on the front; in plain order every cache line would extend far across the
/// front. The number of a node is a sum with one term per axis.
class TiledShape {
  public:
    static constexpr int rim = 2;

    explicit TiledShape(Shape shape) : shape_(shape), flat_(shape.y == 1) {
        constexpr std::uint32_t side = 4;
        const std::uint32_t in_tile = flat_ ? side * side : side * side * side;
        std::uint32_t inside = 1;        // step from node to node in a tile
        std::uint32_t across = in_tile;  // step from tile to tile
        for (const int axis : {2, 1, 0}) {
            if (axis == 1 && flat_) {
                parts_[1].assign(2 * rim + 1, 0);
                continue;
            }
            const auto nodes = static_cast<std::uint32_t>(shape[axis] + 2 * rim);
            const std::uint32_t tiles = (nodes + side - 1) / side;
            auto& part = parts_[static_cast<std::size_t>(axis)];
            for (std::uint32_t n = 0; n < nodes; ++n) {
                part.push_back(n / side * across + n % side * inside);
            }
            inside *= side;
            tiles_[static_cast<std::size_t>(axis)] = tiles;
            across *= tiles;
        }
    }

    /// The result is double, because callers use it to find grids that are too large.
    static double count(Shape shape) {
        double nodes = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const bool thin = axis == 1 && shape.y == 1;
            nodes *= thin ? 1 : (shape[axis] + 2 * rim + 3) / 4 * 4;
        }
        return nodes;
    }

    Shape shape() const { return shape_; }
    /// The term of node n along an axis; n may lie in the rim.
    std::uint32_t part(int axis, int n) const {
        return parts_[static_cast<std::size_t>(axis)].data()[n + rim];
    }
    std::uint32_t offset(Index3 n) const { return part(0, n.x) + part(1, n.y) + part(2, n.z); }
    Index3 node(std::uint32_t offset) const {
        if (flat_) {
            const std::uint32_t tile = offset / 16;
            const std::uint32_t x = tile / tiles_[2];
            return {index(x, offset / 4), 0, index(tile - x * tiles_[2], offset)};
        }
        const std::uint32_t tile = offset / 64;
        const std::uint32_t row = tile / tiles_[2];
        const std::uint32_t x = row / tiles_[1];
        return {index(x, offset / 16), index(row - x * tiles_[1], offset / 4),
                index(tile - row * tiles_[2], offset)};
    }

  private:
    static int index(std::uint32_t tile, std::uint32_t inside) {
        return static_cast<int>(4 * tile + inside % 4) - rim;
    }

    Shape shape_;
    bool flat_;
    std::array<std::uint32_t, 3> tiles_{1, 1, 1};
    std::array<std::vector<std::uint32_t>, 3> parts_;
};

}  // namespace fermat
