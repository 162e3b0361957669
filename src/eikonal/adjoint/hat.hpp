#pragma once

#include <cmath>

#include "core/grid.hpp"

namespace fermat {

/// The multilinear interpolation of for_each_corner with its slopes: a node's weight at a point is
/// a product of hats, 1 - |u| of the distance u in nodes along each axis. On a face between cells
/// a hat has two slopes: their mean is taken, as central differences have it. On the box's own
/// faces the slope is the inner one.

namespace detail {

/// Distance from a node, in nodes, below which a point counts as on it.
inline constexpr double on_node = 1e-9;

/// The slope of a node's hat at u = place - node, with `last` the index of the axis' last node.
inline double hat_slope(double u, int node, int last) {
    const double size = std::abs(u);
    if (size > 1 + on_node) return 0;
    if (size > 1 - on_node) {
        // Half of the slope beside it; all of it where the box ends at the point.
        const bool ends = u > 0 ? node + 1 == last : node == 1;
        return (u > 0 ? -0.5 : 0.5) * (ends ? 2 : 1);
    }
    if (size > on_node) return u > 0 ? -1 : 1;
    return node == 0 && last > 0 ? -1 : node == last && last > 0 ? 1 : 0;
}

}  // namespace detail

/// Calls visit(node, weight, gradient of the weight by position) for all nodes whose weight or
/// slope at a point of the box is not 0.
template <class Visit>
void for_each_hat(const Grid& grid, Vec3 point, Visit visit) {
    Index3 first;
    Index3 last;
    double weight[3][4] = {};
    double slope[3][4] = {};
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] == 1) {
            weight[axis][0] = 1;
            continue;
        }
        const int end = grid.shape[axis] - 1;
        const double at = detail::clamped(grid.index_along(axis, point[axis]), grid.shape[axis]);
        first[axis] = std::max(static_cast<int>(std::floor(at)) - 1, 0);
        last[axis] = std::min(first[axis] + 3, end);
        for (int n = first[axis]; n <= last[axis]; ++n) {
            const double u = at - n;
            weight[axis][n - first[axis]] = std::max(1 - std::abs(u), 0.0);
            slope[axis][n - first[axis]] = detail::hat_slope(u, n, end) / grid.spacing_along(axis);
        }
    }
    for (int i = first.x; i <= last.x; ++i) {
        const double wx = weight[0][i - first.x];
        const double dx = slope[0][i - first.x];
        if (wx == 0 && dx == 0) continue;
        for (int j = first.y; j <= last.y; ++j) {
            const double wy = weight[1][j - first.y];
            const double dy = slope[1][j - first.y];
            if (wy == 0 && dy == 0) continue;
            for (int k = first.z; k <= last.z; ++k) {
                const double wz = weight[2][k - first.z];
                const double dz = slope[2][k - first.z];
                if (wz == 0 && dz == 0) continue;
                visit(Index3{i, j, k}, wx * wy * wz,
                      Vec3{dx * wy * wz, wx * dy * wz, wx * wy * dz});
            }
        }
    }
}

/// An interpolated value and its gradient.
struct HatValue {
    double value = 0;
    Vec3 gradient;
    double weights = 0;  ///< of the nodes that have a value; 0 where none does
    Vec3 weights_slope;
};

/// Interpolates over the nodes of finite values, with weights scaled to add up to 1, as slowness_at
/// and tau_at do.
class HatSum {
  public:
    FERMAT_HD void add(double value, double weight, Vec3 gradient) {
        if (!std::isfinite(value)) return;
        sum_ += weight * value;
        slope_ = slope_ + value * gradient;
        out_.weights += weight;
        out_.weights_slope = out_.weights_slope + gradient;
    }
    FERMAT_HD HatValue value() const {
        if (!(out_.weights > 0)) return {};
        HatValue out = out_;
        out.value = sum_ / out.weights;
        out.gradient = (slope_ - out.value * out.weights_slope) / out.weights;
        return out;
    }

  private:
    double sum_ = 0;
    Vec3 slope_;
    HatValue out_;
};

/// Interpolates value_of(node) at a point.
template <class ValueOf>
HatValue hat_value(const Grid& grid, Vec3 point, ValueOf value_of) {
    HatSum sum;
    for_each_hat(grid, point, [&](Index3 node, double weight, Vec3 gradient) {
        sum.add(value_of(node), weight, gradient);
    });
    return sum.value();
}

}  // namespace fermat
