#pragma once

#include <cmath>
#include <cstddef>

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "graph/graph_view.hpp"

namespace fermat {

/// Algorithm A-1 of paper 2, line by line and in three dimensions: the time of the edge from a node
/// to its neighbour, from the slowness of the cells round the nodes on its way. `slowness` points
/// at the node; `along` has the steps in memory to the next node along each axis. `length` is that
/// of the edge.
///
/// The walk starts at the neighbour. l is the place of the next plane between cells along each axis
/// as a part of the edge, pl that of the last plane. Where two planes meet, a part of the edge has
/// no length but for rounding; the paper lets it count with weight 0, which would not do where the
/// cell beside the edge is air and infinitely slow, so such parts are left out.
FERMAT_HD inline float walked_weight(const float* slowness, Index3 along, Index3 neighbour,
                                     float length) {
    constexpr float rounding = 1e-6F;
    int crossings[3];
    float step[3];
    float next[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int n = neighbour[axis];
        crossings[axis] = n < 0 ? -n : n;
        step[axis] = 1.0F / static_cast<float>(crossings[axis]);
        next[axis] = multiply_add(-0.5F, step[axis], 1.0F);
    }
    float sum = 0;
    float last = 1;
    while (crossings[0] != 0 || crossings[1] != 0 || crossings[2] != 0) {
        int axis = next[0] < next[1] ? 1 : 0;
        axis = next[axis] < next[2] ? 2 : axis;
        const float part = last - next[axis];
        if (part > rounding) {
            const float middle = 0.5F * (last + next[axis]);
            std::ptrdiff_t cell = 0;
            for (int a = 0; a < 3; ++a) {
                const float at = middle * static_cast<float>(neighbour[a]);
                cell += static_cast<std::ptrdiff_t>(rintf(at)) * along[a];
            }
            sum = multiply_add(slowness[cell], part, sum);
            last = next[axis];
        }
        next[axis] -= step[axis];
        --crossings[axis];
    }
    return multiply_add(slowness[0], last, sum) * length;
}

}  // namespace fermat
