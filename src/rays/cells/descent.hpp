#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/descent.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Rays of Hole (1992; paper 4): straight through each cell against the gradient of T there, from
/// face to face. The gradient is that in the middle of the ray's way through the cell; the mean
/// over the cell, as in the paper, turns rays by several degrees. Where the cells on both sides
/// lead into their common face, the ray runs along it.
template <class Real, Space S>
struct CellProposal {
    TimeFieldView<Real, S> field;

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        return field.grid.is_2d() ? step<2>(at, next) : step<3>(at, next);
    }

  private:
    static constexpr double on_plane = 1e-7;

    template <int Dim>
    FERMAT_HD bool step(const Walker& at, Walker& next) const {
        const Grid& grid = field.grid;
        Vec3 direction = descent_from<Dim>(grid, at.point, gradient<Dim>(at.point));
        const Index3 cell = cell_ahead<Dim>(at.point, direction);
        // The first direction only tells where the middle of the way is, roughly.
        for (int n = 0; n < 2; ++n) {
            const double reach = way_out<Dim>(at.point, cell, direction);
            if (!(reach > 0) || !(reach < INFINITY)) return false;
            const Vec3 middle = grid.clamp(at.point + (0.5 * reach) * direction);
            const Vec3 turned = -1.0 * gradient<Dim>(middle);
            if (!is_finite(turned)) return false;
            direction = inward<Dim>(at.point, cell, turned);
        }
        const double reach = way_out<Dim>(at.point, cell, direction);
        if (!(reach > 0) || !(reach < INFINITY)) return false;
        next.point = grid.clamp(at.point + reach * direction);
        next.time = time_at(field, next.point);
        return true;
    }

    template <int Dim>
    FERMAT_HD Vec3 gradient(Vec3 point) const {
        return time_point<Dim>(field, point).gradient;
    }

    /// The cell into which a direction leads from a point, which may lie on faces.
    template <int Dim>
    FERMAT_HD Index3 cell_ahead(Vec3 point, Vec3 direction) const {
        const Grid& grid = field.grid;
        const CellPoint at = locate_in<Dim>(grid, point);
        Index3 cell = at.cell;
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            const double f = at.fraction[axis];
            if (f < on_plane && direction[axis] < 0 && cell[axis] > 0) --cell[axis];
            const bool inside = cell[axis] + 2 < grid.shape[axis];
            if (f > 1 - on_plane && direction[axis] > 0 && inside) ++cell[axis];
        }
        return cell;
    }

    /// A direction without what leads out of the cell at once: the ray runs along that face.
    template <int Dim>
    FERMAT_HD Vec3 inward(Vec3 point, Index3 cell, Vec3 direction) const {
        const Vec3 u = field.grid.to_index(point);
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            const double f = u[axis] - cell[axis];
            const bool out =
                (f < on_plane && direction[axis] < 0) || (f > 1 - on_plane && direction[axis] > 0);
            if (out) direction[axis] = 0;
        }
        return direction;
    }

    /// The multiple of a direction that leads from a point of the cell to its next face.
    template <int Dim>
    FERMAT_HD double way_out(Vec3 point, Index3 cell, Vec3 direction) const {
        const Grid& grid = field.grid;
        const Vec3 u = grid.to_index(point);
        double reach = INFINITY;
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            const double rate = direction[axis] / grid.spacing[axis];
            if (rate == 0) continue;
            const double f = u[axis] - cell[axis];
            const double t = (rate > 0 ? 1 - f : f) / std::abs(rate);
            if (t < reach) reach = t;
        }
        return reach;
    }
};

}  // namespace fermat
