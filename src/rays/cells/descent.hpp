#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Rays of Hole (1992; paper 4): straight through each cell against the cell's gradient of T, from
/// face to face. Where the cells on both sides lead into their common face, the ray runs along it.
template <class Real, Space S>
struct CellProposal {
    TimeFieldView<Real, S> field;

    /// Mean gradient of T over a cell, from its corners. False where the wave does not reach one of
    /// the corners.
    FERMAT_HD bool cell_gradient(Index3 cell, Vec3& gradient) const {
        gradient = {};
        const int corners_y = field.grid.is_2d() ? 1 : 2;
        const double share = 1.0 / (2 * corners_y);
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < corners_y; ++j) {
                for (int k = 0; k < 2; ++k) {
                    const Index3 node{cell.x + i, cell.y + j, cell.z + k};
                    const double t = share * time_at(field, field.grid.position(node));
                    if (!std::isfinite(t)) return false;
                    gradient.x += (i ? t : -t) / field.grid.spacing.x;
                    if (corners_y == 2) gradient.y += (j ? t : -t) / field.grid.spacing.y;
                    gradient.z += (k ? t : -t) / field.grid.spacing.z;
                }
            }
        }
        return true;
    }

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        constexpr double on_plane = 1e-7;
        const Grid& grid = field.grid;
        const Vec3 p = at.point;
        const Vec3 u = grid.to_index(p);
        Index3 cell = locate(grid, p).cell;
        Vec3 gradient;
        if (!cell_gradient(cell, gradient)) return false;
        Vec3 direction = -1.0 * gradient;
        // On a face through which the descent leaves, continue in the next cell or slide along the
        // face. The next cell has another gradient, so its other faces must be tested again.
        bool crossed[3] = {false, false, false};
        for (int axis = 0; axis < 3; ++axis) {
            if (grid.shape[axis] == 1) continue;
            const double f = u[axis] - cell[axis];
            const int leaving = f < on_plane && direction[axis] < 0       ? -1
                                : f > 1 - on_plane && direction[axis] > 0 ? 1
                                                                          : 0;
            if (leaving == 0) continue;
            Index3 behind = cell;
            behind[axis] += leaving;
            Vec3 other;
            const bool inside = behind[axis] >= 0 && behind[axis] < grid.shape[axis] - 1;
            if (inside && !crossed[axis] && cell_gradient(behind, other) &&
                -other[axis] * leaving > 0) {
                cell = behind;
                direction = -1.0 * other;
                crossed[axis] = true;
                axis = -1;
            } else {
                direction[axis] = 0;
            }
        }
        double reach = INFINITY;
        for (int axis = 0; axis < 3; ++axis) {
            const double rate = direction[axis] / grid.spacing[axis];
            if (rate == 0 || grid.shape[axis] == 1) continue;
            const double f = u[axis] - cell[axis];
            const double room = rate > 0 ? 1 - f : f;
            const double t = room / std::abs(rate);
            if (t < reach) reach = t;
        }
        if (!std::isfinite(reach) || reach <= 0) return false;
        next.point = grid.clamp(p + reach * direction);
        next.time = time_at(field, next.point);
        return true;
    }
};

}  // namespace fermat
