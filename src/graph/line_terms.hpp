#pragma once

#include <cmath>
#include <concepts>

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "graph/options.hpp"

namespace fermat {

/// Parts of a line that are shorter than this, relative to its length, come from rounding only.
inline constexpr double line_rounding = 1e-9;

namespace detail {

/// Adds the integral of the multilinear weights over a part of a line, by Simpson's rule, which is
/// exact because the weights are cubic along a line. The ends are in fractions of the cell.
template <class Visit>
FERMAT_HD void linear_part(Index3 cell, Vec3 from, Vec3 to, double length, double least,
                           Visit visit) {
    const Vec3 middle = 0.5 * (from + to);
    const auto weight = [](Vec3 f, int i, int j, int k) {
        return (i ? f.x : 1 - f.x) * (j ? f.y : 1 - f.y) * (k ? f.z : 1 - f.z);
    };
    for (int n = 0; n < 8; ++n) {
        const int i = n >> 2;
        const int j = (n >> 1) & 1;
        const int k = n & 1;
        const double w =
            length / 6 *
            (weight(from, i, j, k) + 4 * weight(middle, i, j, k) + weight(to, i, j, k));
        if (w > least) visit(Index3{cell.x + i, cell.y + j, cell.z + k}, w);
    }
}

}  // namespace detail

/// The time along a straight line is a sum of weight times slowness over nodes. Calls visit(node,
/// weight) for each of them, and more than once if the line meets a node in several cells. The ends
/// are fractional node indices. Nodes whose weight comes from rounding only are left out, so a line
/// along the edge of air does not touch the air.
///
/// For `nearest` this is Algorithm A-1 of paper 2, in three dimensions and for any spacing: it
/// divides the line at the planes halfway between nodes. For `linear` it divides the line at the
/// planes through the nodes.
template <std::invocable<Index3, double> Visit>
FERMAT_HD void for_each_term(Vec3 from, Vec3 to, Vec3 spacing, Reading reading, Visit visit) {
    const double shift = reading == Reading::nearest ? 0.5 : 0;
    const Vec3 start = from + Vec3{shift, shift, shift};
    const Vec3 d = to - from;
    const double length = norm({d.x * spacing.x, d.y * spacing.y, d.z * spacing.z});
    const double least = line_rounding * length;
    // The line parameter of the next plane along each axis, and its step from plane to plane.
    double crossing[3];
    double step[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double plane = d[axis] > 0 ? std::floor(start[axis]) + 1 : std::ceil(start[axis]) - 1;
        crossing[axis] = d[axis] != 0 ? (plane - start[axis]) / d[axis] : 2;
        step[axis] = d[axis] != 0 ? 1 / std::abs(d[axis]) : 2;
    }
    double t = 0;
    while (t < 1) {
        const int first = crossing[0] < crossing[1] ? (crossing[0] < crossing[2] ? 0 : 2)
                                                    : (crossing[1] < crossing[2] ? 1 : 2);
        const double next = crossing[first] < 1 ? crossing[first] : 1;
        crossing[first] += step[first];
        if (next - t > line_rounding) {
            const Vec3 middle = start + (0.5 * (t + next)) * d;
            const Vec3 corner{std::floor(middle.x), std::floor(middle.y), std::floor(middle.z)};
            const Index3 cell{static_cast<int>(corner.x), static_cast<int>(corner.y),
                              static_cast<int>(corner.z)};
            const double part = (next - t) * length;
            if (reading == Reading::nearest) {
                visit(cell, part);
            } else {
                detail::linear_part(cell, start + t * d - corner, start + next * d - corner, part,
                                    least, visit);
            }
        }
        if (next > t) t = next;
    }
}

}  // namespace fermat
