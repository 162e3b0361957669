#pragma once

#include <cmath>
#include <cstddef>

#include "core/grid.hpp"
#include "core/mat3.hpp"
#include "eikonal/adjoint/octant_derivative.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/line_slopes.hpp"
#include "eikonal/metric/node_frames.hpp"
#include "eikonal/metric/node_steps.hpp"

namespace fermat {

/// The equation of a node of a model with a metric in double precision, on the host and on devices:
/// solved (octant_derivative.hpp), and what dJ by its tau says of all that it hangs on.

FERMAT_HD inline Index3 node_index(Shape shape, std::size_t node) {
    const auto y = static_cast<std::size_t>(shape.y);
    const auto z = static_cast<std::size_t>(shape.z);
    return {static_cast<int>(node / (y * z)), static_cast<int>(node / z % y),
            static_cast<int>(node % z)};
}

/// What equations of nodes are made of, in memory of the host or of a device.
struct MetricNodes {
    Shape shape;
    Vec3 spacing;
    int order = 2;
    bool full = false;     ///< whether axes couple
    bool aligned = false;  ///< is_aligned()
    NodeAnisotropy anisotropy;
    const double* slowness = nullptr;  ///< infinite in air
    const Mat3* steps = nullptr;       ///< of nodes, or null: made of columns and rows
    const NodeColumn* columns = nullptr;
    const NodeRow* rows = nullptr;
    const float* at_ground[4] = {};  ///< as GroundKinks has it
    const float* share = nullptr;    ///< likewise; null where no row bends

    FERMAT_HD bool is_2d() const { return shape.y == 1; }
    FERMAT_HD std::size_t column(Index3 n) const {
        return static_cast<std::size_t>(n.x) * static_cast<std::size_t>(shape.y) +
               static_cast<std::size_t>(n.y);
    }
    FERMAT_HD Index3 index_of(std::size_t node) const { return node_index(shape, node); }
    FERMAT_HD std::ptrdiff_t stride(int axis) const {
        return axis == 2 ? 1 : static_cast<std::ptrdiff_t>(shape.z) * (axis == 1 ? 1 : shape.y);
    }
    FERMAT_HD NodeFrame frame(Index3 n) const { return frame_of(columns[column(n)], rows[n.z]); }
    FERMAT_HD Mat3 step(Index3 n) const;
};

/// T0 of a source on nodes.
struct MetricSource {
    const double* t0 = nullptr;
    const Vec3* gamma = nullptr;  ///< grad(T0) / T0 per node; 0 at the source
};

/// T0 of a source at a node, and its gamma. `h` are the steps of the grid, 0 along y in 2-D.
struct MetricNodeFactor {
    double t0 = 0;
    Vec3 gamma;
};
FERMAT_HD inline MetricNodeFactor node_factor(const MetricFactor& factor, Vec3 place,
                                              const Mat3& jacobian, Vec3 h) {
    MetricNodeFactor out;
    const MetricFactor::Square square = factor.square_at(place);
    if (!(square.value > 0)) return out;
    out.t0 = std::sqrt(square.value);
    const Vec3 slope = transposed(jacobian) * square.half_slope;
    for (int axis = 0; axis < 3; ++axis) out.gamma[axis] = h[axis] * slope[axis] / square.value;
    return out;
}

FERMAT_HD inline Mat3 jacobian_of(const NodeFrame& frame) {
    Mat3 out;
    for (int axis = 0; axis < 3; ++axis) {
        for (int c = 0; c < 3; ++c) out(c, axis) = frame.along[axis][c];
    }
    return out;
}

FERMAT_HD inline Mat3 MetricNodes::step(Index3 n) const {
    return steps != nullptr ? steps[shape.offset(n)]
                            : node_steps(jacobian_of(frame(n)), spacing, aligned);
}

/// The equation of a node, solved.
struct MetricSolution {
    OctantSolution octant;
    double f2 = 0;
    Mat3 step;          ///< nodes per length along the directions of the frame
    double bend_x = 0;  ///< of the rows below the ground (kinks.hpp)
    double bend_y = 0;
};

namespace detail {

/// M of a node, where slopes per node have the direction of p.
FERMAT_HD inline Mat3 tensor_in_nodes(const MetricNodes& nodes, std::size_t node, const Mat3& step,
                                      Vec3 p) {
    const double v = 1 / nodes.slowness[node];
    const Mat3 tensor = nodes.anisotropy.tensor(node, transposed(step) * p);
    return (v * v) * (step * tensor * transposed(step));
}

FERMAT_HD inline void set_tensor(const MetricNodes& nodes, OctantNode<double>& node, const Mat3& m,
                                 double t0) {
    const bool flat = nodes.is_2d();
    const double mean = flat ? (m(0, 0) + m(2, 2)) / 2 : (m(0, 0) + m(1, 1) + m(2, 2)) / 3;
    const double per = 1 / mean;
    node.tensor = {per * m(0, 0), flat ? 1 : per * m(1, 1), per * m(2, 2), flat ? 0 : per * m(0, 1),
                   per * m(0, 2), flat ? 0 : per * m(1, 2)};
    node.coupling = nodes.full ? coupling_reach(node.tensor) : 0;
    node.f2 = per / (t0 * t0);
}

/// As TileKinks::bend.
FERMAT_HD inline void bend(const MetricNodes& nodes, Index3 n, OctantBranch& branch,
                           OctantNode<double>& node, MetricSolution& out, bool choose) {
    if (nodes.share == nullptr) return;
    const bool flat = nodes.is_2d();
    const std::size_t column = nodes.column(n);
    const double share = nodes.share[n.z];
    const auto side = [&](int low, bool from_low) {
        return share * static_cast<double>(nodes.at_ground[from_low ? low : low + 1][column]);
    };
    out.bend_x = side(flat ? 2 : 0, branch.from_low[0]);
    out.bend_y = flat ? 0 : side(2, branch.from_low[1]);
    if (out.bend_x == 0 && out.bend_y == 0) return;
    for (int c = 0; c < 3; ++c) {
        out.step(2, c) -= out.bend_x * out.step(0, c) + out.bend_y * out.step(1, c);
    }
    node.gamma_x += out.bend_x * node.gamma_z;
    node.gamma_y += out.bend_y * node.gamma_z;
    if (!choose) return;
    const auto slope = [&](const AxisValues<double>& axis, double gamma, bool from_low) {
        const double p = -term_of<2>(chosen(axis, gamma, from_low), node.tau, 0.0).r;
        return from_low ? p : -p;
    };
    constexpr double limit = reached_limit<double>;
    const bool known = node.tau < limit && node.z.low < limit && node.z.high < limit &&
                       chosen(node.x, node.gamma_x, branch.from_low[0]).near < limit &&
                       (flat || chosen(node.y, node.gamma_y, branch.from_low[1]).near < limit);
    if (!known) return;
    const Vec3 p{slope(node.x, node.gamma_x, branch.from_low[0]),
                 flat ? 0 : slope(node.y, node.gamma_y, branch.from_low[1]),
                 centred_slope(node.z, node.tau, node.gamma_z)};
    const Mat3 m = tensor_in_nodes(nodes, nodes.shape.offset(n), out.step, p);
    branch.from_low[2] = (m * p).z >= 0;
}

FERMAT_HD inline AxisValues<double> values_along(const double* tau, const MetricNodes& nodes,
                                                 Index3 n, int axis) {
    const double* const here = tau + nodes.shape.offset(n);
    const auto at = [&](int steps) {
        const int place = n[axis] + steps;
        if (place < 0 || place >= nodes.shape[axis]) return unreached<double>;
        const double value = here[steps * nodes.stride(axis)];
        return value < reached_limit<double> ? value : unreached<double>;
    };
    return {at(-1), at(1), at(-2), at(2)};
}

}  // namespace detail

/// Solves the equation of a node from the neighbours of `held` or, if it is null, from those that
/// the characteristic comes from. Thomsen's medium has the ellipse that touches the slowness
/// surface at the node's own slowness vector.
template <bool Full>
FERMAT_HD MetricSolution solve_metric_node(const MetricNodes& nodes, MetricSource source,
                                           const double* tau, Index3 n, const OctantBranch* held) {
    const std::size_t at = nodes.shape.offset(n);
    OctantNode<double> node{};
    node.tau = tau[at] < reached_limit<double> ? tau[at] : unreached<double>;
    node.x = detail::values_along(tau, nodes, n, 0);
    node.y = detail::values_along(tau, nodes, n, 1);
    node.z = detail::values_along(tau, nodes, n, 2);
    const Vec3 gamma = source.gamma[at];
    node.gamma_x = gamma.x;
    node.gamma_y = gamma.y;
    node.gamma_z = gamma.z;
    MetricSolution out;
    out.step = nodes.step(n);
    const double t0 = source.t0[at];
    Vec3 p{centred_slope(node.x, node.tau, node.gamma_x),
           nodes.is_2d() ? 0 : centred_slope(node.y, node.tau, node.gamma_y),
           centred_slope(node.z, node.tau, node.gamma_z)};
    if (!(node.tau < reached_limit<double>)) p = gamma;
    detail::set_tensor(nodes, node, detail::tensor_in_nodes(nodes, at, out.step, p), t0);
    OctantBranch branch;
    if (held != nullptr) {
        branch = *held;
    } else {
        const OctantSides<bool> from = octant_sides<Full, false>(node);
        branch.from_low[0] = from.x;
        branch.from_low[1] = from.y;
        branch.from_low[2] = from.z;
    }
    detail::bend(nodes, n, branch, node, out, held == nullptr);
    if (out.bend_x != 0 || out.bend_y != 0) {
        detail::set_tensor(nodes, node, detail::tensor_in_nodes(nodes, at, out.step, p), t0);
    }
    out.octant = solve_octant<Full>(node, branch, nodes.order, held == nullptr);
    constexpr int most_ellipses = 60;
    const bool thomsen = nodes.anisotropy.kind == Anisotropy::thomsen;
    for (int k = 0; thomsen && k < most_ellipses && out.octant.per > 0; ++k) {
        const Vec3 before = out.octant.p;
        detail::set_tensor(nodes, node, detail::tensor_in_nodes(nodes, at, out.step, before), t0);
        out.octant = solve_octant<Full>(node, branch, nodes.order, held == nullptr);
        if (norm(out.octant.p - before) <= 1e-15 * norm(before)) break;
    }
    out.f2 = node.f2;
    return out;
}

FERMAT_HD inline MetricSolution solve_metric_node(const MetricNodes& nodes, MetricSource source,
                                                  const double* tau, Index3 n,
                                                  const OctantBranch* held) {
    return nodes.full ? solve_metric_node<true>(nodes, source, tau, n, held)
                      : solve_metric_node<false>(nodes, source, tau, n, held);
}

/// Whether a solution is one.
FERMAT_HD inline bool is_solved(const OctantSolution& found) {
    return found.tau < reached_limit<double> && found.per > 0;
}

/// dJ by what a node's equation hangs on.
struct NodePull {
    double slowness = 0;
    double anisotropy[6] = {};  ///< of Thomsen's medium five
    double t0 = 0;
    Vec3 gamma;
};

/// From dJ by the node's tau.
FERMAT_HD inline NodePull pull_of_node(const MetricNodes& nodes, MetricSource source,
                                       const MetricSolution& found, std::size_t node,
                                       double by_tau) {
    const OctantSolution& octant = found.octant;
    const double t0 = source.t0[node];
    const double by_f2 = by_tau * found.f2 * octant.per;
    NodePull out;
    out.slowness = by_f2 / nodes.slowness[node];
    out.t0 = -by_f2 / t0;
    out.gamma = by_tau * Vec3{octant.by_gamma(0), octant.by_gamma(1), octant.by_gamma(2)};
    out.gamma.z += found.bend_x * out.gamma.x + found.bend_y * out.gamma.y;
    if (nodes.anisotropy.kind == Anisotropy::none) return out;
    // The slowness vector where velocity is 1.
    const Vec3 p = (t0 / nodes.slowness[node]) * (transposed(found.step) * octant.p);
    const double per = -by_f2 / 2;
    if (nodes.anisotropy.kind == Anisotropy::thomsen) {
        const ThomsenSlopes slopes = thomsen_slopes(nodes.anisotropy.thomsen(node), p);
        const double scale = per / slopes.scale;
        out.anisotropy[0] = scale * slopes.epsilon;
        out.anisotropy[1] = scale * slopes.delta;
        for (int c = 0; c < 3; ++c) out.anisotropy[2 + c] = scale * slopes.axis[c];
        return out;
    }
    // xx, yy, zz, xy, xz, yz.
    for (int c = 0; c < 3; ++c) {
        out.anisotropy[c] = per * p[c] * p[c];
        const int row = c == 2 ? 1 : 0;
        const int column = c == 0 ? 1 : 2;
        out.anisotropy[3 + c] = per * 2 * p[row] * p[column];
    }
    return out;
}

}  // namespace fermat
