#pragma once

#include "core/field.hpp"

namespace fermat {

/// What for_each_corner makes of node values at a point: multilinear interpolation.
template <class T>
FERMAT_HD double interpolate(const Grid& grid, FieldView<T> values, Vec3 p) {
    double sum = 0;
    for_each_corner(grid, p, [&](Index3 node, double weight) {
        if (weight != 0) sum += weight * static_cast<double>(values(node));
    });
    return sum;
}

}  // namespace fermat
