#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "eikonal/adjoint/node_equation.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/adjoint/source_starts.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {

/// The equations of a field of times on nodes, linearised. Every reached node has
///
///     T = start + r w,   w = T0 tau / r
///
/// and w is the stencil's solution from the neighbours' w, from f = s/r and from the place
/// (stencil.hpp, which scales with tau and f alike, so that the source's own slowness s0 drops
/// out); of start nodes it is the mean slowness on the line from the source.
template <class Real, int Dim, int Order>
class NodeScheme {
  public:
    NodeScheme(const TimeFieldView<Real>& field, const NodeSlowness& slowness,
               const SourceStarts& starts)
        : field_(field),
          slowness_(slowness),
          starts_(starts),
          place_(node_factor(field.grid, field.factor)),
          source_scale_(field.factor.slowness / smallest_spacing(field.grid)) {
        const Shape shape = field.grid.shape;
        stride_[0] = static_cast<std::ptrdiff_t>(shape.y) * shape.z;
        stride_[1] = shape.z;
        stride_[2] = 1;
    }

    using Equation = NodeEquation<Dim>;

    /// tau may be other than the field's while that is being computed: tau_of(node).
    template <class TauOf>
    Equation equation(std::size_t node, Index3 n, TauOf tau_of) const {
        return node_equation(
            place_, axes, {n.x, n.y, n.z}, slowness_[node] / field_.factor.slowness,
            [&](int axis, int steps) { return tau(node, n, axis, steps, tau_of); });
    }
    Equation equation(std::size_t node, Index3 n) const {
        return equation(node, n, [&](std::size_t other) { return double{field_.tau[other]}; });
    }
    static double solution(const Equation& e) {
        return detail::with_axes(
            e.axis, [&](const auto&... a) { return update_tau<Order>(e.f, e.inverse_r2, a...); });
    }

    /// Hands dJ/dw of a node on to what it was made of: push(node, dJ/dw). Start nodes are made of
    /// slownesses alone.
    template <class Push>
    void hand_on(std::size_t node, double by_w, Push push) const {
        if (starts_.holds(node)) return;
        const TauDerivative<Dim> by = derivative<Order>(equation(node, index_of(node)));
        for (int d = 0; d < Dim; ++d) {
            const AxisDerivative<>& part = by.axis[d];
            if (part.near == 0) continue;
            const int axis = axis_of(d);
            const std::ptrdiff_t step = part.from_low ? -stride_[axis] : stride_[axis];
            push(node + static_cast<std::size_t>(step), by_w * part.near);
            if (part.far != 0) push(node + static_cast<std::size_t>(2 * step), by_w * part.far);
        }
    }

    /// What dJ/dw of a node says of the slownesses, by_slowness(node, dJ/ds), and of the source:
    /// adds to `by_source`, dJ/d(source position). False where the node's time does not solve its
    /// equation: second order may not settle where fronts collide.
    template <class BySlowness>
    bool conclude(std::size_t node, double by_w, Vec3& by_source, BySlowness by_slowness) const {
        if (starts_.holds(node)) {
            const Vec3 slope = starts_.derivative(
                node, [&](std::size_t other, double part) { by_slowness(other, by_w * part); });
            by_source = by_source + by_w * slope;
            return true;
        }
        const Equation e = equation(node, index_of(node));
        const TauDerivative<Dim> by = derivative<Order>(e);
        by_slowness(node, by_w * by.f * std::sqrt(e.inverse_r2));
        const Vec3 slope = fermat::source_slope(place_, axes, e, by);
        by_source = by_source + (by_w * source_scale_) * slope;
        return solves_equation(by.tau, field_.tau[node]);
    }

    /// Of a node whose factored equation has the weights p_d/D = part[d]: the same, by dw/ds =
    /// by_s.
    template <class Part>
    Vec3 source_slope(Index3 n, double tau, double slowness, double by_s, const Part& part) const {
        Vec3 x;
        for (int axis = 0; axis < 3; ++axis) {
            if (Dim == 3 || axis != 1) x[axis] = place_.coordinate(axis, n[axis]);
        }
        const double inverse_r2 = 1 / (dot(x, x) + place_.far2);
        // by.f f = by_s r s / (s0 r)
        Vec3 slope = (by_s * slowness / field_.factor.slowness * inverse_r2) * x;
        for (int d = 0; d < Dim; ++d) {
            const int axis = axis_of(d);
            slope =
                slope + place_slope(axis, place_.spacing[axis], x, inverse_r2, -tau * part(d), 0);
        }
        return source_scale_ * slope;
    }

    Index3 index_of(std::size_t node) const {
        // Small numbers are divided in a third of the time.
        const auto n = static_cast<std::uint32_t>(node);
        const auto z = static_cast<std::uint32_t>(field_.grid.shape.z);
        const auto y = static_cast<std::uint32_t>(field_.grid.shape.y);
        const std::uint32_t line = n / z;
        return {static_cast<int>(line / y), static_cast<int>(line % y),
                static_cast<int>(n - line * z)};
    }
    /// Position of the source along an axis, in nodes.
    double source_node(int axis) const { return place_.source_node(axis); }
    bool reached(std::size_t node) const { return std::isfinite(field_.tau[node]); }

  private:
    static constexpr EquationAxes<Dim> axes = EquationAxes<Dim>::of_grid();
    static constexpr int axis_of(int d) { return axes.axis[d]; }

    template <class TauOf>
    double tau(std::size_t node, Index3 n, int axis, int steps, TauOf tau_of) const {
        const int place = n[axis] + steps;
        if (place < 0 || place >= field_.grid.shape[axis]) return unreached<double>;
        const double tau = tau_of(node + static_cast<std::size_t>(steps * stride_[axis]));
        return tau < reached_limit<double> ? tau : unreached<double>;
    }

    TimeFieldView<Real> field_;
    const NodeSlowness& slowness_;
    const SourceStarts& starts_;
    NodeFactor place_;
    double source_scale_;  ///< from tau by such units to w by the user's
    std::ptrdiff_t stride_[3] = {};
};

}  // namespace fermat
