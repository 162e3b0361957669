#pragma once

#include "core/corner_weight.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// Interpolation in cells that no wave fills, such as those that the ground cuts. The value of a
/// corner without a wave is continued from inside: along each axis on which the cell's other corner
/// (the mate) is reached, as 2 mate - beyond, with the node behind the mate, or as the mate where
/// that node is not reached; the mean of the axes. Points between the last row of rock and the
/// ground then have times of second order like all others.

/// Calls visit(node, share) for the nodes that the value of an unreached node is continued from,
/// seen from a cell that it is a corner of, or beside. The shares add up to 1. Returns false if
/// there is no such node.
template <class Reached, class Visit>
FERMAT_HD bool for_each_continued(const Grid& grid, Index3 cell, Index3 node, Reached reached,
                                  Visit visit) {
    const auto within = [&](Index3 n, int axis) {
        return n[axis] >= 0 && n[axis] < grid.shape[axis] && reached(n);
    };
    const auto mate_along = [&](int axis, int steps) {
        Index3 mate = node;
        mate[axis] += node[axis] <= cell[axis] ? steps : -steps;
        return mate;
    };
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis) axes += within(mate_along(axis, 1), axis) ? 1 : 0;
    if (axes == 0) return false;
    const double share = 1.0 / axes;
    for (int axis = 0; axis < 3; ++axis) {
        const Index3 mate = mate_along(axis, 1);
        if (!within(mate, axis)) continue;
        const Index3 beyond = mate_along(axis, 2);
        const bool line = within(beyond, axis);
        visit(mate, line ? 2 * share : share);
        if (line) visit(beyond, -share);
    }
    return true;
}

}  // namespace fermat
