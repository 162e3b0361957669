#pragma once

#include <cstdint>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// Velocity in the cells between nodes, for media of blocks and layers whose interfaces lie on cell
/// faces. Cells between which velocity varies smoothly form one body. Velocity jumps from body to
/// body.

/// Whether the step of velocity from a to b is part of a smooth variation. `before` and `after` are
/// the cells before a and after b on the same line (0: none, or air). A smooth step is at most a
/// tenth, and either small or similar to the steps before or after it. A single step, or a step up
/// between two steps down, is a jump.
FERMAT_HD inline bool is_smooth_step(float before, float a, float b, float after) {
    const float least = a < b ? a : b;
    const float largest = 0.1F * least;
    const auto size = [](float step) { return step < 0 ? -step : step; };
    const float step = b - a;
    if (size(step) <= 0.001F * least) return true;
    if (size(step) > largest) return false;
    const auto neighbour = [&](float from, float to) {
        return from > 0 && to > 0 && size(to - from) <= largest ? to - from : 0.0F;
    };
    const float last = neighbour(before, a);
    const float next = neighbour(b, after);
    const bool alone = size(step) > 3 * size(last) && size(step) > 3 * size(next);
    const bool zigzag = last * step < 0 && next * step < 0;
    return !alone && !zigzag;
}

/// Whether a cell and its neighbour up an axis (step 1) or down (-1) belong to one body, or both
/// are air.
template <Space S>
FERMAT_HD bool of_one_body(FieldView<const float, S> cells, Index3 cell, int axis, int step) {
    const int count = cells.shape()[axis];
    const auto velocity = [&](int steps) {
        Index3 other = cell;
        other[axis] += steps * step;
        return other[axis] < 0 || other[axis] >= count ? 0.0F : cells(other);
    };
    const float here = velocity(0);
    const float next = velocity(1);
    return here == next || is_smooth_step(velocity(-1), here, next, velocity(2));
}

/// Velocity at a node, extrapolated from one octant (quadrant in 2-D) around it within the octant's
/// body. 0 where the octant is air or outside. Bit `axis` of `octant` is set if the octant lies up
/// that axis. The velocity of a cell holds at its middle, half a cell from the node. Along each
/// axis the slope is taken from the neighbour across the node or, if that belongs to another body,
/// from the neighbour on the other side.
template <int Dim, Space S>
FERMAT_HD float octant_velocity(FieldView<const float, S> cells, Index3 node, unsigned octant) {
    const Shape shape = cells.shape();
    Index3 cell = node;
    for (int axis = 0; axis < 3; ++axis) {
        if (Dim == 2 && axis == 1) continue;
        if (!(octant >> axis & 1U)) --cell[axis];
        if (cell[axis] < 0 || cell[axis] >= shape[axis]) return 0;
    }
    const float here = cells(cell);
    if (!(here > 0)) return here;
    float seen = here;
    for (int axis = 0; axis < 3; ++axis) {
        if (Dim == 2 && axis == 1) continue;
        const int outward = octant >> axis & 1U ? 1 : -1;
        const auto neighbour = [&](int step) {
            Index3 next = cell;
            next[axis] += step;
            return next[axis] < 0 || next[axis] >= shape[axis] ? 0.0F : cells(next);
        };
        if (of_one_body(cells, cell, axis, -outward)) {
            seen += 0.5F * (neighbour(-outward) - here);
        } else if (of_one_body(cells, cell, axis, outward)) {
            seen += 0.5F * (here - neighbour(outward));
        }
    }
    return seen;
}

/// octant_velocity as a sum: calls visit(cell, weight) for the cells it reads. None where the
/// octant is air or outside.
template <int Dim, Space S, class Visit>
FERMAT_HD void for_each_cell_seen(FieldView<const float, S> cells, Index3 node, unsigned octant,
                                  Visit visit) {
    const Shape shape = cells.shape();
    Index3 cell = node;
    for (int axis = 0; axis < 3; ++axis) {
        if (Dim == 2 && axis == 1) continue;
        if (!(octant >> axis & 1U)) --cell[axis];
        if (cell[axis] < 0 || cell[axis] >= shape[axis]) return;
    }
    if (!(cells(cell) > 0)) return;
    double own = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (Dim == 2 && axis == 1) continue;
        const int outward = octant >> axis & 1U ? 1 : -1;
        Index3 next = cell;
        double weight = 0;
        if (of_one_body(cells, cell, axis, -outward)) {
            next[axis] -= outward;
            weight = 0.5;
        } else if (of_one_body(cells, cell, axis, outward)) {
            next[axis] += outward;
            weight = -0.5;
        }
        if (weight == 0) continue;
        own -= weight;
        if (next[axis] >= 0 && next[axis] < shape[axis]) visit(next, weight);
    }
    visit(cell, own);
}

/// A point within this distance of a face, in cells, counts as on the face.
inline constexpr double on_face = 1e-6;

/// Calls visit(cell) for the cells that a point touches: two on a face, four on an edge.
template <class Visit>
FERMAT_HD void for_each_touched_cell(const Grid& grid, Vec3 point, Visit visit) {
    const Shape shape = grid.cell_shape();
    const CellPoint at = locate(grid, point);
    Index3 first = at.cell;
    Index3 last = at.cell;
    for (int axis = 0; axis < 3; ++axis) {
        if (at.fraction[axis] < on_face && first[axis] > 0) --first[axis];
        if (at.fraction[axis] > 1 - on_face && last[axis] + 1 < shape[axis]) ++last[axis];
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) visit(Index3{i, j, k});
        }
    }
}

/// The cells of a model whose velocity jumps between them. Empty for other models.
template <Space S = Space::host>
struct CellsView {
    FieldView<const float, S> velocity;
    FieldView<const std::uint8_t, S> jumps;  ///< CellMedium::jumps

    FERMAT_HD bool exist() const { return jumps.data() != nullptr; }
    /// Whether a corner of the cell is marked in `jumps`. Requires exist().
    FERMAT_HD bool jump_round(Index3 cell) const {
        const int corners_y = jumps.shape().y == 1 ? 1 : 2;
        int any = 0;
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < corners_y; ++j) {
                const std::uint8_t* const line = &jumps(cell.x + i, cell.y + j, cell.z);
                any |= line[0] | line[1];
            }
        }
        return any != 0;
    }
    /// The fastest cell that a point touches.
    FERMAT_HD Index3 fastest_touched(const Grid& grid, Vec3 point) const {
        Index3 fastest = locate(grid, point).cell;
        for_each_touched_cell(grid, point, [&](Index3 cell) {
            if (velocity(cell) > velocity(fastest)) fastest = cell;
        });
        return fastest;
    }
};

struct CellMedium {
    FieldView<const float> velocity;  ///< per cell, as given; 0 is air
    /// Per node: 1 if cells within two of it along an axis belong to different bodies. Empty if
    /// there is no such node.
    Field<std::uint8_t> jumps;
};

/// Throws InputError that names the first bad cell, unless every velocity is finite and >= 0 and at
/// least one is not 0.
void require_cell_velocity(const Grid& grid, FieldView<const float> cells);

Field<std::uint8_t> find_jumps(const Grid& grid, FieldView<const float> cells);

/// Velocity on the nodes: 1 over the mean slowness of the octants that are not air; 0 where all of
/// them are air.
Field<float> node_velocity(const Grid& grid, FieldView<const float> cells);

}  // namespace fermat
