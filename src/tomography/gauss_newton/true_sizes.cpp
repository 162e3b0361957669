#include "tomography/gauss_newton/true_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/metric.hpp"
#include "tomography/gauss_newton/roughness.hpp"

namespace fermat {
namespace {

/// Length of a step along an axis of the grid.
double length_of(const Mat3& jacobian, int axis, double step) {
    return step * norm(Vec3{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)});
}

Vec3 middle_of(const Grid& grid) {
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = grid.coordinate(axis, 0.5 * (grid.shape[axis] - 1));
    }
    return out;
}

double volume_of(const Mat3& jacobian, const Grid& grid) {
    const Vec3 h = grid.spacing;
    if (!grid.is_2d()) return std::abs(determinant(jacobian)) * h.x * h.y * h.z;
    // The area in the plane of x and z.
    const Vec3 along_x{jacobian(0, 0), jacobian(1, 0), jacobian(2, 0)};
    const Vec3 along_z{jacobian(0, 2), jacobian(1, 2), jacobian(2, 2)};
    const double cosine = dot(along_x, along_z);
    return h.x * h.z *
           std::sqrt(
               std::max(0.0, dot(along_x, along_x) * dot(along_z, along_z) - cosine * cosine));
}

}  // namespace

TrueSizes true_sizes(const Model& model, const Grid& grid) {
    TrueSizes out;
    out.least_side = model.is_plain() ? least_extent(grid) : least_extent(model);
    if (model.is_plain()) return out;
    const Mapping& mapping = model.mapping();
    const Grid& fine = model.grid();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 node = grid.position({i, j, k});
                Vec3 edges{1, 1, 1};
                for (int axis = 0; axis < 3; ++axis) {
                    if (axis == 1 && grid.is_2d()) continue;
                    Vec3 next = node;
                    next[axis] += grid.spacing[axis];
                    const Vec3 from = fine.clamp(node);
                    const Vec3 to = fine.clamp(next);
                    const double part = (to[axis] - from[axis]) / grid.spacing[axis];
                    // The last edge of a coarser grid may end beyond the model.
                    edges[axis] = part > 1e-3
                                      ? distance(mapping.place(from), mapping.place(to)) / part
                                      : length_of(mapping.jacobian(from), axis, grid.spacing[axis]);
                }
                out.edges.push_back(edges);
                out.volumes.push_back(volume_of(mapping.jacobian(fine.clamp(node)), grid));
            }
        }
    }
    return out;
}

Vec3 true_spacing(const Model& model) {
    const Grid& grid = model.grid();
    if (model.is_plain()) return grid.spacing;
    const Vec3 middle = middle_of(grid);
    const Mat3 jacobian = model.mapping().jacobian(middle);
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = length_of(jacobian, axis, grid.spacing[axis]);
    }
    return out;
}

double least_extent(const Model& model) {
    const Grid& grid = model.grid();
    if (model.is_plain()) return least_extent(grid);
    const Mapping& mapping = model.mapping();
    const Vec3 middle = middle_of(grid);
    double least = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] == 1) continue;
        Vec3 low = middle;
        Vec3 high = middle;
        low[axis] = grid.origin[axis];
        high[axis] = grid.far_corner()[axis];
        least = std::min(least, distance(mapping.place(low), mapping.place(high)));
    }
    return least;
}

}  // namespace fermat
