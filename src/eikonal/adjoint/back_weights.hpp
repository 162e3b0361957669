#pragma once

#include "eikonal/adjoint/back_tile.hpp"
#include "eikonal/adjoint/node_equation.hpp"

namespace fermat {

/// The equation of a node of a field, by the axes of a tile. The node must have a time. `slowness`
/// is in units of the source's own.
template <int Dim, class Real>
FERMAT_HD NodeEquation<Dim, Real> equation_of(const TileProblem& problem, const NodeFactor& factor,
                                              const BackShot<Real>& field, Real slowness,
                                              const int (&n)[3]) {
    const Real* const here = field.tau + problem.offset(n[0], n[1], n[2]);
    const std::ptrdiff_t stride[3] = {
        static_cast<std::ptrdiff_t>(problem.shape[1]) * problem.shape[2], problem.shape[2], 1};
    return node_equation(factor, EquationAxes<Dim>::of_tile(), n, slowness,
                         [&](int axis, int steps) {
                             const int place = n[axis] + steps;
                             if (place < 0 || place >= problem.shape[axis]) return unreached<Real>;
                             const Real tau = here[steps * stride[axis]];
                             return tau < reached_limit<Real> ? tau : unreached<Real>;
                         });
}

/// What J's derivative by a node says of the slowness there: dw/ds, and whether the node's time
/// solves its equation, in the size of one number. dw/ds is never negative: a minus marks a node
/// that is not settled.
template <class Real>
class NodeWeight {
  public:
    FERMAT_HD static Real packed(Real by_slowness, bool settled) {
        return settled ? by_slowness : -by_slowness;
    }
    FERMAT_HD_INLINE static Real by_slowness(Real packed) { return packed < 0 ? -packed : packed; }
    FERMAT_HD_INLINE static bool settled(Real packed) { return !(packed < 0); }
};

/// Writes what a node hands on, weights[axis][node] and by_slowness[node], and returns its T/s0.
/// Nodes without a time and start nodes hand on nothing.
template <int Dim, int Order, class Real>
FERMAT_HD float weigh_node(const TileProblem& problem, const NodeFactor& factor,
                           const BackShot<Real>& field, Real slowness, const int (&n)[3],
                           bool is_start, AxisWeight<Real>* weights, Real* by_slowness) {
    const std::size_t node = problem.offset(n[0], n[1], n[2]);
    const std::size_t nodes = problem.offset(problem.shape[0], 0, 0);
    const Real tau = field.tau[node];
    const bool reached = tau < reached_limit<Real>;
    if (!reached || is_start) {
        for (int d = 0; d < Dim; ++d) weights[d * nodes + node] = {};
        by_slowness[node] = 0;
        return 0;
    }
    const NodeEquation<Dim, Real> equation = equation_of<Dim>(problem, factor, field, slowness, n);
    const TauDerivative<Dim, Real> by = derivative<Order>(equation);
    for (int d = 0; d < Dim; ++d) {
        const AxisDerivative<Real>& axis = by.axis[d];
        weights[d * nodes + node] =
            axis.near > 0 ? AxisWeight<Real>(axis.near, axis.from_low, axis.far != 0, by.plain)
                          : AxisWeight<Real>{};
    }
    by_slowness[node] = NodeWeight<Real>::packed(by.f * std::sqrt(equation.inverse_r2),
                                                 solves_equation(by.tau, tau));
    return static_cast<float>(tau / std::sqrt(equation.inverse_r2));
}

/// What the derivative of J by the source's position needs of a node.
template <int Dim, class Real>
struct WeighedNode {
    Real lambda;
    Real by_slowness;  ///< NodeWeight
    Real tau;
    AxisWeight<Real> weight[Dim];

    /// Reads everything at once: on a GPU the reads then run side by side.
    FERMAT_HD WeighedNode(const BackShot<Real>& field, std::size_t node, std::size_t nodes)
        : lambda(field.lambda[node]), by_slowness(field.by_slowness[node]), tau(field.tau[node]) {
        for (int d = 0; d < Dim; ++d) weight[d] = field.weights[d * nodes + node];
    }
};

/// d tau/d(source position), in units of the smallest spacing, of a node by its weights. `slowness`
/// is in units of the source's own.
template <int Dim, int Order, class Real>
FERMAT_HD Vec3 weighed_slope(const TileProblem& problem, const NodeFactor& factor,
                             const BackShot<Real>& field, const WeighedNode<Dim, Real>& node,
                             Real slowness, const int (&n)[3]) {
    constexpr auto axes = EquationAxes<Dim>::of_tile();
    bool plain = false;
    bool any = false;
    for (int d = 0; d < Dim; ++d) {
        plain |= node.weight[d].plain();
        any |= node.weight[d].side() != 0;
    }
    if (!any) return {};  // the limit of update_tau: it depends on the slowness alone
    if (plain) {
        const auto equation = equation_of<Dim>(problem, factor, field, slowness, n);
        return source_slope(factor, axes, equation, derivative<Order>(equation));
    }
    Vec3 x;
    for (const int axis : axes.axis) x[axis] = factor.coordinate(axis, n[axis]);
    const double inverse_r2 = 1 / (dot(x, x) + factor.far2);
    const auto by_s = static_cast<double>(NodeWeight<Real>::by_slowness(node.by_slowness));
    // by.f f = by_s r s / (s0 r)
    Vec3 slope = (by_s * static_cast<double>(slowness) * inverse_r2) * x;
    for (int d = 0; d < Dim; ++d) {
        const int axis = axes.axis[d];
        const AxisWeight<Real> weight = node.weight[d];
        const int side = weight.side();
        const Real part = weight.near(side) * (weight.second() ? Real(0.5) : Real(1));
        const auto by_gamma = static_cast<double>(side * part * node.tau);
        slope = slope + place_slope(axis, factor.spacing[axis], x, inverse_r2, by_gamma, 0);
    }
    return slope;
}

}  // namespace fermat
