#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Rays of paper 5, in 2-D: from node to node. The angle of the gradient selects the next node from
/// 8 directions (the neighbours) or 16 (the neighbours and the knight's moves).
template <class Real, Space S>
class GridProposal {
  public:
    FERMAT_HD GridProposal(const TimeFieldView<Real, S>& field, int directions)
        : field_(field), every_(16 / directions) {
        const double hx = field.grid.spacing_along(0);
        const double hz = field.grid.spacing_along(2);
        for (int m = 0; m < 16; ++m) {
            const double dx = moves(m, 0) * hx;
            const double dz = moves(m, 1) * hz;
            inverse_length_[m] = 1 / std::sqrt(dx * dx + dz * dz);
        }
    }

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        const Grid& grid = field_.grid;
        const Index3 node = grid.nearest_node(at.point);
        const Vec3 here = grid.position(node);
        if (!(distance(here, at.point) < 1e-9 * grid.spacing.x)) {
            next = {here, time_at(field_, here)};
            return true;
        }
        const Vec3 g = gradient_at(field_, here);
        const double gx = g.x * grid.spacing_along(0);
        const double gz = g.z * grid.spacing_along(2);
        // The largest cosine with -g. Neither roots nor quotients are needed: a ray on a device has
        // one thread, which waits for each of them.
        double best = 0;
        Index3 chosen;
        for (int m = 0; m < 16; m += every_) {
            const Index3 to{node.x + moves(m, 0), 0, node.z + moves(m, 1)};
            if (to.x < 0 || to.z < 0 || to.x >= grid.shape.x || to.z >= grid.shape.z) continue;
            const double down = -(moves(m, 0) * gx + moves(m, 1) * gz) * inverse_length_[m];
            if (down > best) {
                best = down;
                chosen = to;
            }
        }
        if (!(best > 0)) return false;
        next.point = grid.position(chosen);
        next.time = time_at(field_, next.point);
        return true;
    }

  private:
    /// Steps of direction m along x (axis 0) and z (axis 1).
    FERMAT_HD static int moves(int m, int axis) {
        constexpr signed char steps[16][2] = {
            {1, 0},  {2, 1},   {1, 1},   {1, 2},   {0, 1},  {-1, 2}, {-1, 1}, {-2, 1},
            {-1, 0}, {-2, -1}, {-1, -1}, {-1, -2}, {0, -1}, {1, -2}, {1, -1}, {2, -1}};
        return steps[m][axis];
    }

    TimeFieldView<Real, S> field_;
    int every_;
    double inverse_length_[16];
};

}  // namespace fermat
