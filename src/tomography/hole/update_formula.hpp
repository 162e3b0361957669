#pragma once

#include "core/field.hpp"
#include "core/host_device.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// Cells along one axis that a node takes its value from: [first, last].
struct CellRange {
    int first;
    int last;
};

FERMAT_HD inline CellRange cells_of_node(int node, int cells, int box) {
    const int last = node < cells ? node : cells - 1;
    const int before = node > 0 ? node - 1 : 0;
    return {box % 2 == 0 ? last : before, last};
}

/// What cells_to_nodes gives a node.
template <Space S>
FERMAT_HD double node_perturbation(FieldView<const double, S> cells, Index3 node,
                                   const SmoothingSize& box) {
    const Shape count = cells.shape();
    const CellRange x = cells_of_node(node.x, count.x, box.x);
    const CellRange y = cells_of_node(node.y, count.y, box.y);
    const CellRange z = cells_of_node(node.z, count.z, box.z);
    double sum = 0;
    int touched = 0;
    for (int a = x.first; a <= x.last; ++a) {
        for (int b = y.first; b <= y.last; ++b) {
            for (int c = z.first; c <= z.last; ++c) {
                const double value = cells(a, b, c);
                sum += value;
                touched += value != 0;
            }
        }
    }
    return touched > 0 ? sum / touched : 0;
}

/// The velocity that a perturbation of slowness makes of v > 0, within the limits.
FERMAT_HD inline float updated_velocity(double v, double perturbation, const UpdateLimits& limits) {
    const double slowness = 1 / v + limits.step * perturbation;
    const double low = v * (1 - limits.max_change);
    const double high = v * (1 + limits.max_change);
    double next = high;
    if (slowness * high > 1) next = 1 / slowness > low ? 1 / slowness : low;
    if (next > limits.max_velocity) next = limits.max_velocity;
    if (next < limits.min_velocity) next = limits.min_velocity;
    return static_cast<float>(next);
}

FERMAT_HD inline double relative_change(double before, double after) {
    const double change = after / before - 1;
    return change < 0 ? -change : change;
}

}  // namespace fermat
