#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat {

/// The nodes of a grid that follows the ground, and the cells between them.
template <int Dim>
class GroundCells {
  public:
    /// A corner of a cell. Bit d is set at the upper end of axis d.
    using Corner = unsigned;
    static constexpr Corner all_axes = Dim == 2 ? 5 : 7;

    explicit GroundCells(const Model& model)
        : shape_(model.grid().shape),
          places_(shape_.count()),
          slowness_(shape_.count()),
          corner_(shape_.count(), 0) {
        take_nodes(model);
        if constexpr (Dim == 2) find_corners();
    }

  protected:
    Index3 node_at(std::size_t offset) const {
        const auto n = static_cast<std::int64_t>(offset);
        return {static_cast<int>(n / (std::int64_t{shape_.y} * shape_.z)),
                static_cast<int>(n / shape_.z % shape_.y), static_cast<int>(n % shape_.z)};
    }
    static Index3 corner_node(Index3 cell, Corner corner) {
        return {cell.x + static_cast<int>(corner & 1U), cell.y + static_cast<int>(corner >> 1 & 1U),
                cell.z + static_cast<int>(corner >> 2)};
    }
    bool is_cell(Index3 c) const {
        return c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x + 1 < shape_.x &&
               c.y + 1 < std::max(shape_.y, 2) && c.z + 1 < shape_.z;
    }
    /// Calls visit(cell, corner) for the cells that have a node, as that corner of theirs.
    template <class Visit>
    void for_each_cell_of(Index3 node, Visit visit) const {
        for (Corner corner = 0; corner < 8; ++corner) {
            if (corner & ~all_axes) continue;
            Index3 cell = node;
            for (int axis = 0; axis < 3; ++axis)
                cell[axis] -= static_cast<int>(corner >> axis & 1U);
            if (is_cell(cell)) visit(cell, corner);
        }
    }

    /// Mean slowness along the line between two corners of a cell, by Simpson's rule: in its middle
    /// that of the corners of the edge, face or cell that the line crosses.
    double mean_slowness(Index3 cell, Corner from, Corner to) const {
        const Corner across = from ^ to;
        double sum = 0;
        int count = 0;
        for (Corner corner = 0; corner < 8; ++corner) {
            if (corner & ~all_axes || (corner & ~across) != (from & ~across)) continue;
            const double s = slowness_[shape_.offset(corner_node(cell, corner))];
            if (!(s < INFINITY)) continue;
            sum += s;
            ++count;
        }
        const double ends = slowness_[shape_.offset(corner_node(cell, from))] +
                            slowness_[shape_.offset(corner_node(cell, to))];
        return ends / 6 + sum / count * 2 / 3;
    }

    /// The face normal to `axis` that does not contain the corner `to`: its lower side.
    static Corner far_side(int axis, Corner to) { return ~to & 1U << axis; }
    /// Corner n of the faces normal to an axis, on their lower side.
    static Corner spread(int axis, unsigned n) {
        if constexpr (Dim == 2) return n << (axis == 0 ? 2 : 0);
        const unsigned low = axis == 0 ? 1 : 0;
        const unsigned high = axis == 2 ? 1 : 2;
        return (n & 1U) << low | n >> 1 << high;
    }
    static int axis_of(int axis, int d) {
        if constexpr (Dim == 2) return axis == 0 ? 2 : 0;
        return d == 0 ? (axis == 0 ? 1 : 0) : (axis == 2 ? 1 : 2);
    }
    bool is_rock(std::size_t n) const { return slowness_[n] < INFINITY; }

    Shape shape_;
    std::vector<Vec3> places_;
    std::vector<double> slowness_;
    std::vector<std::uint8_t> corner_;  ///< 1 where waves are diffracted

  private:
    void take_nodes(const Model& model) {
        const Grid& grid = model.grid();
        std::vector<MappedPoint> line(static_cast<std::size_t>(shape_.z));
        for (int i = 0; i < shape_.x; ++i) {
            for (int j = 0; j < shape_.y; ++j) {
                model.mapping().line(grid, i, j, line);
                for (int k = 0; k < shape_.z; ++k) {
                    const std::size_t n = shape_.offset(i, j, k);
                    places_[n] = line[static_cast<std::size_t>(k)].place;
                    slowness_[n] = 1 / static_cast<double>(model.velocity()(i, j, k));
                }
            }
        }
    }
    /// Marks nodes of the ground, and beside air, round which a wave can be diffracted.
    void find_corners() {
        for (int i = 1; i + 1 < shape_.x; ++i) {
            for (int k = 0; k < shape_.z; ++k) {
                const std::size_t n = shape_.offset(i, 0, k);
                if (!is_rock(n)) continue;
                const auto depth = [&](int column) {
                    return places_[shape_.offset(column, 0, 0)].z;
                };
                const double turn = 2 * depth(i) - depth(i - 1) - depth(i + 1);
                constexpr double straight = 1e-9;
                bool corner = k == 0 && turn > straight * std::abs(depth(i + 1) - depth(i - 1));
                for (int di = -1; di <= 1; ++di) {
                    for (int dk = -1; dk <= 1; ++dk) {
                        const int z = k + dk;
                        if (z < 0 || z >= shape_.z) continue;
                        corner |= !is_rock(shape_.offset(i + di, 0, z));
                    }
                }
                corner_[n] = corner;
            }
        }
    }
};

}  // namespace fermat
