#pragma once

#include <cmath>

#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// The factor T0 of a field of times T = start + T0 tau (Fomel, Luo & Zhao 2009):
///
///     T0(x) = s0 r(x),   r(x)^2 = |part (x - position)|^2 + far^2
///
/// For a point source, part is 1 and far is 0: T0 is the time in a homogeneous medium with the
/// slowness s0 at the source. T0 contains the singularity at the source, so tau is smooth. For a
/// wavefront given on nodes, part is 0 and far is large: T0 is constant, its gradient is 0, the
/// ratios r_k/r of the neighbours are 1, and the factored equation becomes the plain one.
struct SourceFactor {
    Vec3 position;
    double slowness = 0;  ///< s0
    double part = 1;      ///< 1 for a point, 0 for a front
    double far = 0;       ///< a length; 0 for a point

    FERMAT_HD bool is_front() const { return part == 0; }
    /// r grad(r).
    FERMAT_HD_INLINE Vec3 from_source(Vec3 point) const {
        return is_front() ? Vec3{} : point - position;
    }
    FERMAT_HD_INLINE double radius(Vec3 point) const {
        return is_front() ? far : distance(point, position);
    }
    FERMAT_HD_INLINE double value(Vec3 point) const { return slowness * radius(point); }
};

/// T0 along a line of nodes in z.
struct FactorLine {
    double across2 = 0;  ///< the part of r^2 along the other axes
    double first = 0;    ///< distance from the source to the first node, along the line
    double step = 0;
    double slowness = 0;

    FERMAT_HD_INLINE double value(int k) const {
        const double along = first + k * step;
        return slowness * std::sqrt(across2 + along * along);
    }
};
FERMAT_HD_INLINE FactorLine line_of_nodes(const Grid& grid, const SourceFactor& factor, int i,
                                          int j) {
    const Vec3 d = factor.from_source(grid.position({i, j, 0}));
    return {d.x * d.x + d.y * d.y + factor.far * factor.far, d.z,
            factor.part * grid.spacing_along(2), factor.slowness};
}

/// The unit of length of a solve. In this unit squares stay in the range of a float, whatever units
/// the user has.
FERMAT_HD inline double smallest_spacing(const Grid& grid) {
    const double x = grid.spacing_along(0);
    const double y = grid.spacing_along(1);
    const double z = grid.spacing_along(2);
    const double flat = x < z ? x : z;
    return grid.is_2d() || flat < y ? flat : y;
}

/// The factor on the nodes of a solver. Lengths are in units of the smallest spacing and counted
/// from the source. The order of the axes may be the solver's own.
struct NodeFactor {
    double spacing[3] = {1, 1, 1};  ///< of the nodes
    double step[3] = {1, 1, 1};     ///< of their coordinates: the spacing, or 0 for a front
    double source[3] = {0, 0, 0};   ///< from node (0, 0, 0)
    double far2 = 0;                ///< far^2

    /// Coordinate of node n along an axis; n may be fractional.
    FERMAT_HD_INLINE double coordinate(int axis, double n) const {
        return n * step[axis] - source[axis];
    }
    /// Position of the source as a fractional node index.
    FERMAT_HD double source_node(int axis) const { return source[axis] / spacing[axis]; }
};

inline NodeFactor node_factor(const Grid& grid, const SourceFactor& factor) {
    const double unit = smallest_spacing(grid);
    NodeFactor nodes;
    for (int axis = 0; axis < 3; ++axis) {
        nodes.spacing[axis] = grid.spacing_along(axis) / unit;
        nodes.step[axis] = factor.part * nodes.spacing[axis];
        nodes.source[axis] =
            factor.is_front() ? 0 : grid.offset_along(axis, factor.position[axis]) / unit;
    }
    nodes.far2 = factor.far / unit * (factor.far / unit);
    return nodes;
}

/// Reorders the axes: axis a of the result is axis order[a] of `nodes`. Where order[a] is -1 there
/// is no such axis, and all nodes lie at the source along it.
template <class Order>
NodeFactor reordered(const NodeFactor& nodes, const Order& order) {
    NodeFactor turned;
    turned.far2 = nodes.far2;
    for (int role = 0; role < 3; ++role) {
        const int axis = order[static_cast<std::size_t>(role)];
        if (axis < 0) continue;
        turned.spacing[role] = nodes.spacing[axis];
        turned.step[role] = nodes.step[axis];
        turned.source[role] = nodes.source[axis];
    }
    return turned;
}

}  // namespace fermat
