#pragma once

#include <cmath>
#include <cstddef>

#include "eikonal/adjoint/back_order.hpp"
#include "eikonal/adjoint/back_weights.hpp"

namespace fermat {

/// What a warp keeps of a tile while it weighs its nodes.
template <int Dim, class Real>
struct WeighStorage {
    Real tau[TileStorage<Dim>::tau_size];  ///< as in TileStorage
};

/// Weighs the nodes of a tile: finds what each hands on to the nodes it is made of.
template <int Dim, int Order, class Real, class Block>
class BackWeigher {
  public:
    using Tile = TileShape<Dim>;
    using Halo = TileHalo<Dim>;
    using Places = TileStorage<Dim>;
    static constexpr int first_axis = 3 - Dim;

    FERMAT_HD BackWeigher(Block block, const TileProblem& problem, const TileShot& shot,
                          const BackShot<Real>& field, int tile, WeighStorage<Dim, Real>& storage)
        : block_(block), problem_(problem), shot_(shot), field_(field), s_(storage) {
        const int column = tile / problem.tiles[2];
        const int at[3] = {column / problem.tiles[1], column % problem.tiles[1],
                           tile % problem.tiles[2]};
        inner_ = true;
        near_source_ = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int length = Tile::size(axis);
            begin_[axis] = at[axis] * length - shot.shift[axis];
            h_[axis] = static_cast<Real>(shot.factor.spacing[axis]);
            inverse_h_[axis] = 1 / h_[axis];
            step_[axis] = static_cast<Real>(shot.factor.step[axis]);
            first_[axis] = static_cast<Real>(shot.factor.coordinate(axis, begin_[axis]));
            const Real last = first_[axis] + static_cast<Real>(length - 1) * step_[axis];
            near_source_ &= first_[axis] <= 2 * h_[axis] && last >= -2 * h_[axis];
            if (axis < first_axis) continue;
            inner_ &= begin_[axis] >= Places::halo &&
                      begin_[axis] + length + Places::halo <= problem.shape[axis];
        }
        far2_ = static_cast<Real>(shot.factor.far2);
        stride_[1] = problem.shape[2];
        stride_[0] = stride_[1] * problem.shape[1];
        grid_first_ = static_cast<std::ptrdiff_t>(begin_[0]) * stride_[0] +
                      static_cast<std::ptrdiff_t>(begin_[1]) * stride_[1] + begin_[2];
        own_ = static_cast<std::size_t>(tile) * tile_nodes<Dim>;
    }

    struct Found {
        unsigned marks = 0;  ///< BackMark
        float latest = 0;    ///< T/s0, of the lane's own nodes
    };
    /// `everywhere`: J counts as asking something of every node.
    FERMAT_HD Found weigh(bool everywhere) {
        inner_ ? load<false>() : load<true>();
        Found found;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            const bool inside = in_grid(code);
            const float velocity = inside ? problem_.velocity[offset(code)] : 1.0F;
            const float time = weigh_node(code, velocity, found.marks);
            found.latest = time > found.latest ? time : found.latest;
            const bool asks = everywhere ? time > 0 : inside && field_.asked[offset(code)] != 0;
            if (asks) found.marks |= BackMark::asks;
        });
        found.marks = block_.any_bits(found.marks);
        return found;
    }

  private:
    FERMAT_HD bool in_grid(const int (&node)[3]) const {
        return problem_.contains(begin_[0] + node[0], begin_[1] + node[1], begin_[2] + node[2]);
    }
    FERMAT_HD bool in_grid(int code) const {
        int node[3];
        Halo::node_of(code, node);
        return inner_ || in_grid(node);
    }
    FERMAT_HD std::ptrdiff_t offset(const int (&node)[3]) const {
        return grid_first_ + (node[0] * stride_[0] + node[1] * stride_[1] + node[2]);
    }
    FERMAT_HD std::ptrdiff_t offset(int code) const {
        int node[3];
        Halo::node_of(code, node);
        return offset(node);
    }
    template <bool Clipped>
    FERMAT_HD void load() {
        block_.template transfer<Halo::loaded>(
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return Clipped && !in_grid(node) ? unreached<Real> : field_.tau[offset(node)];
            },
            [&](int n, Real tau) {
                int node[3];
                Halo::loaded_node(n, node);
                s_.tau[Places::at(node[0], node[1], node[2])] =
                    tau < reached_limit<Real> ? tau : unreached<Real>;
            });
    }
    FERMAT_HD bool is_start(const int (&node)[3]) const {
        for (int n = 0; n < shot_.start_count; ++n) {
            const Index3 start = problem_.starts[shot_.first_start + n];
            const int at[3] = {start.x - begin_[0], start.y - begin_[1], start.z - begin_[2]};
            if (at[0] == node[0] && at[1] == node[1] && at[2] == node[2]) return true;
        }
        return false;
    }
    /// Returns T/s0 of a node. Nodes without a time and start nodes hand on nothing.
    FERMAT_HD float weigh_node(int code, float velocity, unsigned& marks) const {
        int node[3];
        Halo::node_of(code, node);
        const Real* const here = s_.tau + Places::at(node[0], node[1], node[2]);
        const Real tau = *here;
        const std::size_t place = own_ + static_cast<std::size_t>(code);
        AxisWeight<Real>* const weights = field_.weights + Dim * own_ + code;
        const bool reached = tau < reached_limit<Real>;
        Real moment[3];
        Real r2 = far2_;
        for (int axis = first_axis; axis < 3; ++axis) {
            const Real x = first_[axis] + static_cast<Real>(node[axis]) * step_[axis];
            r2 += x * x;
            moment[axis] = h_[axis] * x;
        }
        const auto time = static_cast<float>(tau * root(r2));
        if (!reached || (near_source_ && is_start(node))) {
            for (int d = 0; d < Dim; ++d) weights[d * tile_nodes<Dim>] = {};
            field_.by_slowness[place] = 0;
            return reached ? time : 0;
        }
        const Real inverse_r2 = 1 / r2;
        const Real inverse_r = root(inverse_r2);
        const Real f =
            inverse_r / (static_cast<Real>(velocity) * static_cast<Real>(field_.slowness));
        AxisStencil<Real> stencils[Dim];
        for (int axis = first_axis; axis < 3; ++axis) {
            const int pitch = Places::pitch(axis);
            stencils[axis - first_axis] =
                axis_stencil(moment[axis], h_[axis] * h_[axis], inverse_r2, inverse_h_[axis],
                             [&](int steps) { return here[steps * pitch]; });
        }
        const TauDerivative<Dim, Real> by = tau_derivative<Order>(f, inverse_r2, stencils);
        AxisWeight<Real> weight[Dim];
        for (int d = 0; d < Dim; ++d) {
            const AxisDerivative<Real>& axis = by.axis[d];
            if (axis.near > 0) {
                const unsigned fades = axis.falls == axis.after ? 0
                                       : axis.after             ? AxisWeight<Real>::is_after
                                                                : AxisWeight<Real>::it_falls;
                weight[d] =
                    AxisWeight<Real>(axis.near, axis.from_low, axis.far != 0, by.plain, fades);
            }
            weights[d * tile_nodes<Dim>] = weight[d];
        }
        if constexpr (Dim == 3) marks |= faces_crossed<Dim, 0>(weight[0], code);
        marks |= faces_crossed<Dim, 1>(weight[Dim - 2], code);
        marks |= faces_crossed<Dim, 2>(weight[Dim - 1], code);
        field_.by_slowness[place] =
            NodeWeight<Real>::packed(by.f * inverse_r, solves_equation(by.tau, tau));
        return time;
    }

    Block block_;
    const TileProblem& problem_;
    const TileShot& shot_;
    const BackShot<Real> field_;
    WeighStorage<Dim, Real>& s_;
    int begin_[3];
    int stride_[2];
    Real h_[3];
    Real inverse_h_[3];
    Real step_[3];
    Real first_[3];  ///< coordinates of the tile's first node from the source
    Real far2_;
    std::ptrdiff_t grid_first_;  ///< offset of the tile's first node in the grid
    std::size_t own_;            ///< and in [tile][node]
    bool inner_;                 ///< the tile and its halo lie in the grid
    bool near_source_;
};

}  // namespace fermat
