#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eikonal/fim/tile_steps.hpp"
#include "eikonal/metric/lane_gather.hpp"
#include "eikonal/metric/node_numbers.hpp"
#include "eikonal/metric/node_octant.hpp"
#include "model/model.hpp"

namespace fermat {

/// Rows of a grid that follow the ground bend with it. M and gamma of a node have the slope of the
/// row by centred differences, but the octant takes tau on one side only. If that difference is D,
/// then D tau = tau_x D x + tau_z D z, whatever the ground: so the slope must be D z, which differs
/// from the centred one where the ground has an edge. With e = (D z - centred) / (dz/dq_z), in
/// nodes,
///
///     M' = L M L^T,   gamma_x' = gamma_x + e_x gamma_z,   L = [1 0 0; 0 1 0; -e_x -e_y 1].
///
/// e per column of nodes at the ground, for each axis and side; below, it shrinks by the row's
/// share. Made once per model, and empty where no row bends.
struct GroundKinks {
    std::array<std::vector<float>, 4>
        at_ground;             ///< x from low, x from high, y from low, from high
    std::vector<float> share;  ///< per row

    bool any() const { return !share.empty(); }
};

/// Those of a model with a metric.
GroundKinks ground_kinks(const Model& model);

/// The kinks of the columns of one tile.
class TileKinks {
  public:
    using V = Lanes<float>;
    using Ints = LaneInts;

    /// Returns whether the tile that begins there has any.
    bool load(const NodeNumbers& numbers, const std::array<int, 3>& begin) {
        if (numbers.kinks == nullptr || !numbers.kinks->any()) return false;
        bool some = false;
        for (int n = 0; n < columns; ++n) {
            const int i = begin[0] + n / Tile::size(1);
            const int j = begin[1] + n % Tile::size(1);
            const Shape shape = numbers.shape;
            const bool inside = i >= 0 && j >= 0 && i < shape.x && j < shape.y;
            const auto from = static_cast<std::size_t>(i) * static_cast<std::size_t>(shape.y) +
                              static_cast<std::size_t>(j);
            for (std::size_t side = 0; side < 4; ++side) {
                const float e = inside ? numbers.kinks->at_ground[side][from] : 0.0F;
                at_ground_[side][static_cast<std::size_t>(n)] = e;
                some |= e != 0;
            }
        }
        for (int r = 0; some && r < Tile::size(2); ++r) {
            const int k = begin[2] + r;
            const bool inside = k >= 0 && k < numbers.shape.z;
            share_[static_cast<std::size_t>(r)] =
                inside ? numbers.kinks->share[static_cast<std::size_t>(k)] : 0.0F;
        }
        return some;
    }

    /// Gives a node M and gamma of the sides of x and y that its octant has. The side of z follows
    /// from these: a wave that crosses an edge of the ground goes down through the rows of one side
    /// and up through those of the other.
    void bend(Ints code, OctantSides<Ints>& from, OctantNode<V>& n) const {
        const V share = gather(share_.data(), code & 7);
        const Ints column = code >> 3;
        const auto side = [&](std::size_t low, Ints is_low) {
            return share * (is_low ? gather(at_ground_[low].data(), column)
                                   : gather(at_ground_[low + 1].data(), column));
        };
        const V ex = side(0, from.x);
        const V ey = side(2, from.y);
        SymmetricTensor<V>& m = n.tensor;
        m.zz = m.zz - 2 * (ex * m.xz + ey * m.yz) + ex * ex * m.xx + 2 * ex * ey * m.xy +
               ey * ey * m.yy;
        m.xz = m.xz - ex * m.xx - ey * m.xy;
        m.yz = m.yz - ex * m.xy - ey * m.yy;
        n.coupling = coupling_reach(m);
        n.gamma_x = n.gamma_x + ex * n.gamma_z;
        n.gamma_y = n.gamma_y + ey * n.gamma_z;
        const auto slope = [&](const AxisValues<V>& axis, V gamma, Ints from_low) {
            const V p = -term_of<2>(chosen(axis, gamma, from_low), n.tau, V{}).r;
            return from_low ? p : -p;
        };
        const V w = m.xz * slope(n.x, n.gamma_x, from.x) + m.yz * slope(n.y, n.gamma_y, from.y) +
                    m.zz * centred_slope(n.z, n.tau, n.gamma_z);
        constexpr float limit = reached_limit<float>;
        const Ints known = (n.tau < limit) & (n.z.low < limit) & (n.z.high < limit) &
                           (chosen(n.x, n.gamma_x, from.x).near < limit) &
                           (chosen(n.y, n.gamma_y, from.y).near < limit) & ((ex != 0) | (ey != 0));
        from.z = known ? w >= 0 : from.z;
    }

  private:
    using Tile = TileShape<3>;
    static constexpr int columns = Tile::size(0) * Tile::size(1);

    std::array<std::array<float, columns>, 4> at_ground_{};
    std::array<float, Tile::size(2)> share_{};
};

}  // namespace fermat
