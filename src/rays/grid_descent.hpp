#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Rays of paper 5, in 2-D: from node to node. The angle of the gradient selects the next node from
/// 8 directions (the neighbours) or 16 (the neighbours and the knight's moves).
template <class Real, Space S>
struct GridProposal {
    TimeFieldView<Real, S> field;
    int directions = 16;

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        constexpr int moves[16][2] = {{1, 0},  {2, 1},  {1, 1},  {1, 2},   {0, 1},   {-1, 2},
                                      {-1, 1}, {-2, 1}, {-1, 0}, {-2, -1}, {-1, -1}, {-1, -2},
                                      {0, -1}, {1, -2}, {1, -1}, {2, -1}};
        const Grid& grid = field.grid;
        const Index3 node = grid.nearest_node(at.point);
        const Vec3 here = grid.position(node);
        if (!(distance(here, at.point) < 1e-9 * grid.spacing.x)) {
            next = {here, time_at(field, here)};
            return true;
        }
        const Vec3 g = gradient_at(field, here);
        const double gx = -g.x / norm(g);
        const double gz = -g.z / norm(g);
        double best = -2;
        for (int m = 0; m < 16; m += 16 / directions) {
            const Index3 to{node.x + moves[m][0], 0, node.z + moves[m][1]};
            if (to.x < 0 || to.z < 0 || to.x >= grid.shape.x || to.z >= grid.shape.z) continue;
            const Vec3 d = grid.position(to) - here;
            const double cosine = (d.x * gx + d.z * gz) / norm(d);
            if (cosine > best) {
                best = cosine;
                next.point = here + d;
            }
        }
        if (best <= 0) return false;
        next.time = time_at(field, next.point);
        return true;
    }
};

}  // namespace fermat
