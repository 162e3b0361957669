#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "model/cell_medium.hpp"
#include "rays/segments.hpp"

namespace fermat {

/// The cell whose velocity counts along a piece of a line: the piece's own cell or, where the line
/// runs between cells beside a jump, the fastest of them.
template <Space S>
FERMAT_HD Index3 cell_taken(const Grid& grid, const CellsView<S>& cells, const Piece& piece) {
    const Vec3 inside = 0.5 * (piece.from + piece.to);
    bool touches = false;
    for (int axis = 0; axis < 3; ++axis) {
        const bool beside = inside[axis] < on_face || inside[axis] > 1 - on_face;
        touches |= beside && grid.shape[axis] > 1;
    }
    if (!touches || !cells.exist() || !cells.jump_round(piece.cell)) return piece.cell;
    return cells.fastest_touched(grid, grid.point_in_cell(piece.cell, inside));
}

/// Time along a straight line between two points of the box, in a model whose velocity jumps
/// between cells.
template <int Dim, Space S>
FERMAT_HD double line_time_in_cells(const Grid& grid, FieldView<const float, S> velocity,
                                    const CellsView<S>& cells, Vec3 a, Vec3 b) {
    double time = 0;
    for_each_piece_in<Dim>(grid, a, b, [&](const Piece& piece) {
        if (cells.jump_round(piece.cell)) {
            const double v = cells.velocity(cell_taken(grid, cells, piece));
            time += v > 0 ? piece.length / v : double{INFINITY};
        } else {
            time += CellSlowness<Dim>(velocity, piece.cell).piece_time(piece);
        }
    });
    return time;
}

}  // namespace fermat
