#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/descent.hpp"

namespace fermat {

/// Descent where velocity jumps between cells. T's slope differs on the two sides of a face, so
/// that a ray goes from face to face, by the slope inside the cell between them. On a face it takes
/// the side whose slope comes nearest to that of a ray, the cell's slowness: less is where the
/// fronts of two waves meet inside the cell. A way that leads out of its cell runs along the face,
/// as a head wave does.

/// True where the gradient of T at a point is that of its cell alone.
template <class Real, Space S>
FERMAT_HD bool beside_jump(const TimeFieldView<Real, S>& field, Vec3 point) {
    return field.cells.exist() && field.cells.jump_round(locate(field.grid, point).cell);
}

/// A cell that a point touches, and the way down in it.
struct CellWay {
    Index3 cell;
    Vec3 down;         ///< in fractions of the cell; 0 along axes that lead out of it
    double pace2 = 0;  ///< square of T's slope along it, times the cell's velocity
};

template <class Real, Space S>
FERMAT_HD CellWay way_in_cell(const TimeFieldView<Real, S>& field, Index3 cell, Vec3 fraction) {
    const Grid& grid = field.grid;
    const CellPoint at{cell, fraction};
    TauPoint tau;
    const bool reached =
        grid.is_2d() ? tau_inside<2>(field, at, tau) : tau_inside<3>(field, at, tau);
    CellWay way{cell, {}, 0};
    if (!reached) return way;
    Vec3 point = grid.position(cell);
    for (int axis = 0; axis < 3; ++axis) point[axis] += fraction[axis] * grid.spacing[axis];
    const Vec3 gradient = time_point(field, point, tau).gradient;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.is_2d() && axis == 1) continue;
        const double down = -gradient[axis];
        const bool leads_out = down < 0 ? fraction[axis] <= 0 : fraction[axis] >= 1;
        if (leads_out) continue;
        way.down[axis] = down / grid.spacing[axis];
        way.pace2 += down * down;
    }
    const double v = field.cells.velocity(cell);
    way.pace2 *= v * v;
    return way;
}

/// The next face on the way down from a point beside a jump. False where no cell leads down.
template <class Real, Space S>
FERMAT_HD bool step_to_face(const TimeFieldView<Real, S>& field, Vec3 point, Vec3& next) {
    const Grid& grid = field.grid;
    const Vec3 index = grid.to_index(point);
    CellWay best;
    Vec3 from;
    for_each_touched_cell(grid, point, [&](Index3 cell) {
        Vec3 fraction;
        for (int axis = 0; axis < 3; ++axis) {
            const double inside = index[axis] - cell[axis];
            fraction[axis] = inside < on_face ? 0 : inside > 1 - on_face ? 1 : inside;
        }
        const CellWay way = way_in_cell(field, cell, fraction);
        if (!(way.pace2 > best.pace2)) return;
        best = way;
        from = fraction;
    });
    if (!(best.pace2 > 0)) return false;
    // To the face that comes first, by the slope half-way there.
    const auto reach = [&](const Vec3& down, int& through) {
        double shortest = INFINITY;
        for (int axis = 0; axis < 3; ++axis) {
            if (down[axis] == 0) continue;
            const double way = ((down[axis] > 0 ? 1.0 : 0.0) - from[axis]) / down[axis];
            if (way < shortest) {
                shortest = way;
                through = axis;
            }
        }
        return shortest;
    };
    int through = 0;
    const double first = reach(best.down, through);
    const CellWay middle = way_in_cell(field, best.cell, from + (0.5 * first) * best.down);
    Vec3 down = best.down;
    for (int axis = 0; axis < 3; ++axis) {
        // A way along a face stays there.
        if (down[axis] != 0 && middle.pace2 > 0) down[axis] = middle.down[axis];
    }
    const double length = reach(down, through);
    if (!(length < INFINITY)) return false;
    Vec3 to = from + length * down;
    to[through] = down[through] > 0 ? 1 : 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double inside = to[axis] < 0 ? 0 : to[axis] > 1 ? 1 : to[axis];
        // On a face, the very number that all its points have.
        next[axis] = grid.origin[axis] + (best.cell[axis] + inside) * grid.spacing[axis];
    }
    if (grid.is_2d()) next.y = point.y;
    return true;
}

/// The descent in models whose velocity jumps: from face to face beside a jump. A step that leads
/// there from outside is a cell long at most, which does not reach the jump itself.
template <class Real, Space S>
struct JumpingDescent {
    DescentProposal<Real, S> smooth;

    FERMAT_HD bool operator()(const Walker& at, Walker& next) {
        const TimeFieldView<Real, S>& field = smooth.field;
        if (beside_jump(field, at.point)) {
            smooth.cells = 1;
            if (!step_to_face(field, at.point, next.point)) return false;
            next.time = time_at(field, next.point);
            return true;
        }
        while (true) {
            const double cells = smooth.cells;
            if (!smooth(at, next)) return false;
            const Vec3 middle = 0.5 * (at.point + next.point);
            const bool enters = beside_jump(field, middle) || beside_jump(field, next.point);
            if (cells <= 1 || !enters) return true;
            smooth.cells = 1;
        }
    }
};

}  // namespace fermat
