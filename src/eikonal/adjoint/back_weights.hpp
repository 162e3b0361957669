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

/// What the derivative of J by the source's position needs of a node.
template <int Dim, class Real>
struct WeighedNode {
    Real lambda;
    Real by_slowness;  ///< NodeWeight
    Real tau;
    AxisWeight<Real> weight[Dim];

    /// Reads everything at once: on a GPU the reads then run side by side. `node` is the node's
    /// offset in the grid, `code` its number in the tile.
    FERMAT_HD WeighedNode(const BackShot<Real>& field, std::size_t tile, int code, std::size_t node)
        : tau(field.tau[node]) {
        const std::size_t own = tile * tile_nodes<Dim> + static_cast<std::size_t>(code);
        lambda = field.lambda[own];
        by_slowness = field.by_slowness[own];
        const AxisWeight<Real>* const weights = field.weights + Dim * tile * tile_nodes<Dim> + code;
        for (int d = 0; d < Dim; ++d) weight[d] = weights[d * tile_nodes<Dim>];
    }
};

/// d tau/d(source position), in units of the smallest spacing, of a node by its weights. `slowness`
/// is in units of the source's own.
template <int Dim, int Order, class Real>
FERMAT_HD void weighed_slope(const TileProblem& problem, const NodeFactor& factor,
                             const BackShot<Real>& field, const WeighedNode<Dim, Real>& node,
                             Real slowness, const int (&n)[3], Real (&slope)[3]) {
    constexpr auto axes = EquationAxes<Dim>::of_tile();
    bool by_place = false;
    bool any = false;
    for (int d = 0; d < Dim; ++d) {
        by_place |= node.weight[d].by_place();
        any |= node.weight[d].side() != 0;
    }
    for (Real& part : slope) part = 0;
    if (!any) return;  // the limit of update_tau: it depends on the slowness alone
    if (by_place) {
        const auto equation = equation_of<Dim>(problem, factor, field, slowness, n);
        const Vec3 by = source_slope(factor, axes, equation, derivative<Order>(equation));
        for (const int axis : axes.axis) slope[axis] = static_cast<Real>(by[axis]);
        return;
    }
    // source_slope with by.f f = by_s s, by.eta = 0, and gamma = h x / r^2
    Real x[3] = {0, 0, 0};
    auto r2 = static_cast<Real>(factor.far2);
    for (const int axis : axes.axis) {
        x[axis] = static_cast<Real>(factor.coordinate(axis, n[axis]));
        r2 += x[axis] * x[axis];
    }
    const Real inverse_r2 = 1 / r2;
    Real outward = NodeWeight<Real>::by_slowness(node.by_slowness) * slowness;
    for (int d = 0; d < Dim; ++d) {
        const int axis = axes.axis[d];
        const AxisWeight<Real> weight = node.weight[d];
        const int side = weight.side();
        const Real part = weight.near(side) * (weight.second() ? Real(0.5) : Real(1));
        const Real moved =
            static_cast<Real>(side) * part * node.tau * static_cast<Real>(factor.spacing[axis]);
        outward += 2 * moved * x[axis] * inverse_r2;
        slope[axis] = -moved * inverse_r2;
    }
    for (const int axis : axes.axis) slope[axis] += outward * inverse_r2 * x[axis];
}

}  // namespace fermat
