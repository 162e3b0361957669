#pragma once

#include <cstddef>

#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// How far the moving box reaches from its element along one axis, back and on.
struct BoxReach {
    int back = 0;
    int on = 0;

    FERMAT_HD int width() const { return back + on + 1; }
};

/// First and last element of a clipped box along one axis.
struct BoxRange {
    int first = 0;
    int last = 0;

    FERMAT_HD int count() const { return last - first + 1; }
};

/// The reach of a box of `size` elements on a line of `n`. What would reach beyond any line's end
/// is cut off, so that no size overflows.
FERMAT_HD inline BoxReach box_reach(int size, int n) {
    const int back = size / 2;
    const int on = (size - 1) / 2;
    return {back < n ? back : n - 1, on < n ? on : n - 1};
}

/// The box of element i on a line of n.
FERMAT_HD inline BoxRange box_range(int i, int n, BoxReach reach) {
    const int first = i - reach.back;
    const int last = i + reach.on;
    return {first < 0 ? 0 : first, last < n ? last : n - 1};
}

/// A summed volume table (paper 4, section 3.6; Crow 1984) has a plane of zeros before the first
/// element of each axis: entry (i, j, k) is the sum of all elements before i, j and k.
FERMAT_HD inline Shape table_shape(Shape shape) { return {shape.x + 1, shape.y + 1, shape.z + 1}; }

/// Sum of the elements in a box, by the eight references of paper 4.
FERMAT_HD inline double table_box_sum(const double* table, Shape table_nodes, BoxRange x,
                                      BoxRange y, BoxRange z) {
    const auto entry = [&](int i, int j, int k) { return table[table_nodes.offset(i, j, k)]; };
    const auto column = [&](int i, int j) {
        return entry(i, j, z.last + 1) - entry(i, j, z.first);
    };
    return (column(x.last + 1, y.last + 1) - column(x.last + 1, y.first)) -
           (column(x.first, y.last + 1) - column(x.first, y.first));
}

}  // namespace fermat
