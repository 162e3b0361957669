#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "eikonal/metric/lane_gather.hpp"
#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_numbers.hpp"
#include "eikonal/metric/node_octant.hpp"

namespace fermat {

/// Rows of nodes on which velocity jumps. A node of such a row has two equations, one with the
/// velocity above and neighbours above, one with the velocity below and neighbours below, and the
/// earlier time counts. Times are continuous there and their slope across the row is not, so no
/// difference of second order reaches across it. Beside the row the slope on the row takes the
/// place of the second neighbour: with h the step and g the slope of tau on that side of the row,
///
///     tau'(h) = 2 (tau(h) - tau(0)) / h - g + O(h^2).
///
/// g follows from the equation on the row: the slopes along the row are those on both sides of it
/// (Snell), and the one across it solves p . M p = f^2 of the side.

/// dtau/dz of the nodes of rows with jumps, per node of the grid, on both sides. `unreached`: not
/// known. The tile that owns a node writes it and others read it, as with tau.
class JumpSlopes {
  public:
    explicit JumpSlopes(const NodeNumbers& numbers)
        : shape_(numbers.shape), slot_(static_cast<std::size_t>(shape_.z), none) {
        std::size_t rows = 0;
        for (int k = 0; numbers.jumps != nullptr && k < shape_.z; ++k) {
            if (numbers.jumps[k] != 1) slot_[static_cast<std::size_t>(k)] = rows++;
        }
        gamma_below_ = numbers.gamma_below;
        used_ = gamma_below_ == nullptr;
        above_.assign(rows * columns(), unreached<float>);
        below_.assign(rows * columns(), unreached<float>);
    }
    /// Leaves the slopes out: beside rows of jumps, differences are then of first order.
    void leave_out() {
        std::fill(above_.begin(), above_.end(), unreached<float>);
        std::fill(below_.begin(), below_.end(), unreached<float>);
        used_ = false;
    }
    bool used() const { return used_; }
    bool known(int row) const { return slot_[static_cast<std::size_t>(row)] != none; }
    float& above(int i, int j, int row) { return above_[at(i, j, row)]; }
    float& below(int i, int j, int row) { return below_[at(i, j, row)]; }
    /// Whether gamma_z has another value right below a row.
    bool has_gamma_below() const { return gamma_below_ != nullptr; }
    float gamma_below(int i, int j, int row) const { return gamma_below_[at(i, j, row)]; }

  private:
    static constexpr auto none = static_cast<std::size_t>(-1);
    std::size_t columns() const {
        return static_cast<std::size_t>(shape_.x) * static_cast<std::size_t>(shape_.y);
    }
    std::size_t at(int i, int j, int row) const {
        return slot_[static_cast<std::size_t>(row)] * columns() +
               static_cast<std::size_t>(i) * static_cast<std::size_t>(shape_.y) +
               static_cast<std::size_t>(j);
    }

    Shape shape_;
    std::vector<std::size_t> slot_;
    std::vector<float> above_;
    std::vector<float> below_;
    const float* gamma_below_ = nullptr;
    bool used_ = true;
};

/// The difference along z beside a row of jumps; `slope` is g, positive away from the row, `tau`
/// the present value of the node and `next` that of the node farther from the row.
template <class V>
inline OctantTerm<V> beside_jump(const ChosenSide<V>& side, V base, V slope, V tau, V next) {
    const V by_slope = (tau - side.near) - slope;
    const V by_nodes = 0.5F * ((next - tau) - (tau - side.near));
    const V share = by_nodes / by_slope;
    const V w = share > 0 ? (share < 1 ? share : V{} + 1) : V{};
    const V more = 1 + w;
    return {more + side.toward, more * (side.near - base) + w * slope - side.toward * base};
}

/// dtau/dz on one side of a row of jumps, of a wave that goes up or down.
template <bool Full, class V, class Mask>
inline V slope_beside(const OctantNode<V>& n, V px, V py, V f2, Mask up, V tau) {
    const SymmetricTensor<V>& m = n.tensor;
    V rest = m.xx * px * px + m.yy * py * py - f2;
    V half = V{};
    if constexpr (Full) {
        rest = rest + 2 * m.xy * px * py;
        half = m.xz * px + m.yz * py;
    }
    const V square = half * half - m.zz * rest;
    const V across = root(square > 0 ? square : V{});
    return (up ? -half - across : across - half) / m.zz - n.gamma_z * tau;
}

/// The rows of jumps in one tile, the one before it and the one behind it.
class JumpRows {
  public:
    using V = Lanes<float>;
    using Ints = LaneInts;

    explicit JumpRows(JumpSlopes& slopes) : slopes_(slopes) {}

    /// Returns whether the tile that begins there has to look at jumps.
    bool load(const NodeNumbers& numbers, const std::array<int, 3>& begin);
    void store(const NodeNumbers& numbers, const std::array<int, 3>& begin);

    /// tau of the nodes `code` of the tile, of which `live` ones count.
    template <bool Full, int Order, bool ByNeighbours>
    V tau(Ints code, Ints live, OctantNode<V> node);

  private:
    using Tile = TileShape<3>;
    static constexpr int rows = Tile::size(2) + 2;
    static constexpr int columns = Tile::size(0) * Tile::size(1);

    /// Calls visit(slope of `slopes_` above and below, number here) for nodes of rows with jumps.
    template <class Visit>
    void each_slope(const NodeNumbers& numbers, const std::array<int, 3>& begin, Visit visit);
    template <bool Full, int Order>
    void keep_slopes(Ints code, Ints which, const OctantNode<V>& node,
                     const OctantSides<Ints>& from, V ratio2, Ints up, V tau);

    JumpSlopes& slopes_;
    std::array<float, rows> jumps_{};
    std::array<float, rows * columns> above_{};  ///< slopes, row by row
    std::array<float, rows * columns> below_{};
    std::array<float, rows * columns> gamma_below_{};
};

template <class Visit>
void JumpRows::each_slope(const NodeNumbers& numbers, const std::array<int, 3>& begin,
                          Visit visit) {
    for (int n = 0; n < rows; ++n) {
        if (jumps_[static_cast<std::size_t>(n)] == 1) continue;
        for (int column = 0; column < columns; ++column) {
            const int i = begin[0] + column / Tile::size(1);
            const int j = begin[1] + column % Tile::size(1);
            if (i < 0 || j < 0 || i >= numbers.shape.x || j >= numbers.shape.y) continue;
            const int k = begin[2] + n - 1;
            const auto at = static_cast<std::size_t>(n * columns + column);
            if (slopes_.has_gamma_below()) gamma_below_[at] = slopes_.gamma_below(i, j, k);
            visit(slopes_.above(i, j, k), slopes_.below(i, j, k), n, at);
        }
    }
}

inline bool JumpRows::load(const NodeNumbers& numbers, const std::array<int, 3>& begin) {
    bool any = false;
    for (int n = 0; numbers.jumps != nullptr && n < rows; ++n) {
        const int k = begin[2] + n - 1;
        const bool exists = k >= 0 && k < numbers.shape.z;
        jumps_[static_cast<std::size_t>(n)] = exists ? numbers.jumps[k] : 1.0F;
        any |= jumps_[static_cast<std::size_t>(n)] != 1;
    }
    if (any) {
        each_slope(numbers, begin, [this](float above, float below, int, std::size_t at) {
            above_[at] = above;
            below_[at] = below;
        });
    }
    return any;
}

inline void JumpRows::store(const NodeNumbers& numbers, const std::array<int, 3>& begin) {
    each_slope(numbers, begin, [this](float& above, float& below, int n, std::size_t at) {
        if (n == 0 || n == rows - 1) return;  // of the tiles above and below
        above = above_[at];
        below = below_[at];
    });
}

template <bool Full, int Order>
void JumpRows::keep_slopes(Ints code, Ints which, const OctantNode<V>& node,
                           const OctantSides<Ints>& from, V ratio2, Ints up, V tau) {
    const auto along = [&](const AxisValues<V>& axis, V gamma, Ints from_low) {
        const ChosenSide<V> side = chosen(axis, gamma, from_low);
        const V p = -term_of<Order>(side, tau, V{}).r;
        const auto counts = (side.near < reached_limit<float>)&(Full ? ~Ints{} : p > 0);
        return counts ? (from_low ? p : -p) : V{};
    };
    const V px = along(node.x, node.gamma_x, from.x);
    const V py = along(node.y, node.gamma_y, from.y);
    const V above = slope_beside<Full>(node, px, py, node.f2, up, tau);
    const V below = slope_beside<Full>(node, px, py, node.f2 / ratio2, up, tau);
    for (std::uint32_t rest = lane_bits(which); rest != 0; rest &= rest - 1) {
        const int n = __builtin_ctz(rest);
        const auto at = static_cast<std::size_t>(((code[n] & 7) + 1) * columns + (code[n] >> 3));
        above_[at] = above[n];
        below_[at] = below[n];
    }
}

template <bool Full, int Order, bool ByNeighbours>
JumpRows::V JumpRows::tau(Ints code, Ints live, OctantNode<V> node) {
    const V none = V{} + unreached<float>;
    const Ints r = code & 7;
    const Ints jump_before = gather(jumps_.data(), r) != 1;
    const Ints jump_behind = gather(jumps_.data() + 2, r) != 1;
    node.z.low2 = jump_before ? none : node.z.low2;
    node.z.high2 = jump_behind ? none : node.z.high2;
    const V ratio2 = gather(jumps_.data() + 1, r);
    const Ints on_jump = ratio2 != 1;
    V slope_low = none;
    V slope_high = none;
    if constexpr (Order == 2) {
        const Ints before = r * columns + (code >> 3);
        slope_low = jump_before ? gather(below_.data(), before) : none;
        slope_high = jump_behind ? gather(above_.data(), before + 2 * columns) : none;
    }
    const auto z_term = [&](const ChosenSide<V>& side, V base, V fall, Ints from_low) {
        OctantTerm<V> term = term_of<Order>(side, base, fall);
        if constexpr (Order == 2) {
            const V slope = from_low ? slope_low : slope_high;
            const V next = from_low ? node.z.high : node.z.low;
            const Ints known = (slope < reached_limit<float>)&(side.near < reached_limit<float>)&(
                next < reached_limit<float>)&~on_jump;
            const OctantTerm<V> better =
                beside_jump(side, base, from_low ? slope : -slope, node.tau, next);
            term.c = known ? better.c : term.c;
            term.r = known ? better.r : term.r;
        }
        return term;
    };
    OctantSides<Ints> from = octant_sides<Full, ByNeighbours>(node);
    const V plain = octant_tau<Full, Order, ByNeighbours>(node, from, z_term);
    if (!any_lane(on_jump)) return plain;
    // The earlier one of what comes through the medium above and through that below.
    from.z = ~Ints{};
    const V above = octant_tau<Full, Order, ByNeighbours>(node, from, z_term);
    from.z = Ints{};
    OctantNode<V> lower = node;
    lower.f2 = node.f2 / ratio2;
    if (slopes_.has_gamma_below()) {
        const V below_row = gather(gamma_below_.data(), (r + 1) * columns + (code >> 3));
        lower.gamma_z = on_jump ? below_row : node.gamma_z;
    }
    const V below = octant_tau<Full, Order, ByNeighbours>(lower, from, z_term);
    const V now = on_jump ? least(above, below) : plain;
    if (Order == 2 && slopes_.used()) {
        const Ints which = live & on_jump & (now < reached_limit<float>)&(now > 0);
        keep_slopes<Full, Order>(code, which, node, from, ratio2, below < above, now);
    }
    return now;
}

}  // namespace fermat
