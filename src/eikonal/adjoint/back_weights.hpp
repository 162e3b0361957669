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

/// Writes what a node hands on, weights[axis][node], and returns its T/s0. Nodes without a time and
/// start nodes hand on nothing.
template <int Dim, int Order, class Real>
FERMAT_HD float weigh_node(const TileProblem& problem, const NodeFactor& factor,
                           const BackShot<Real>& field, Real slowness, const int (&n)[3],
                           bool is_start, AxisWeight<Real>* weights) {
    const std::size_t node = problem.offset(n[0], n[1], n[2]);
    const std::size_t nodes = problem.offset(problem.shape[0], 0, 0);
    const Real tau = field.tau[node];
    const bool reached = tau < reached_limit<Real>;
    if (!reached || is_start) {
        for (int d = 0; d < Dim; ++d) weights[d * nodes + node] = {};
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
    return static_cast<float>(tau / std::sqrt(equation.inverse_r2));
}

}  // namespace fermat
