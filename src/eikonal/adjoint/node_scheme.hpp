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

    Equation equation(std::size_t node, Index3 n) const {
        return node_equation(place_, axes, {n.x, n.y, n.z},
                             slowness_[node] / field_.factor.slowness,
                             [&](int axis, int steps) { return tau(node, n, axis, steps); });
    }

    /// The derivatives of one node's w.
    struct Single {
        TauDerivative<Dim> by;
        double by_slowness;
        Vec3 by_source;  ///< in units of source_scale
        bool settled;    ///< false where the node's time does not solve its equation: second order
                         ///< may not settle where fronts collide
    };
    Single single(std::size_t node, Index3 n) const {
        const Equation e = equation(node, n);
        const TauDerivative<Dim> by = derivative<Order>(e);
        return {by, by.f * std::sqrt(e.inverse_r2), source_slope(place_, axes, e, by),
                solves_equation(by.tau, field_.tau[node])};
    }
    /// What dJ/dw of a start node says, which is made of slownesses alone: by_slowness(node,
    /// dJ/ds), and of the source, added to `by_source`.
    template <class BySlowness>
    void conclude_start(std::size_t node, double by_w, Vec3& by_source,
                        BySlowness by_slowness) const {
        const Vec3 slope = starts_.derivative(
            node, [&](std::size_t other, double part) { by_slowness(other, by_w * part); });
        by_source = by_source + by_w * slope;
    }
    /// From tau by source positions in units of the smallest spacing to w by the user's.
    double source_scale() const { return source_scale_; }

    Index3 index_of(std::size_t node) const {
        // Small numbers are divided in a third of the time.
        const auto n = static_cast<std::uint32_t>(node);
        const auto z = static_cast<std::uint32_t>(field_.grid.shape.z);
        const auto y = static_cast<std::uint32_t>(field_.grid.shape.y);
        const std::uint32_t line = n / z;
        return {static_cast<int>(line / y), static_cast<int>(line % y),
                static_cast<int>(n - line * z)};
    }

  private:
    static constexpr EquationAxes<Dim> axes = EquationAxes<Dim>::of_grid();
    static constexpr int axis_of(int d) { return axes.axis[d]; }

    double tau(std::size_t node, Index3 n, int axis, int steps) const {
        const int place = n[axis] + steps;
        if (place < 0 || place >= field_.grid.shape[axis]) return unreached<double>;
        const double tau = field_.tau[node + static_cast<std::size_t>(steps * stride_[axis])];
        return tau < reached_limit<double> ? tau : unreached<double>;
    }

    TimeFieldView<Real> field_;
    const NodeSlowness& slowness_;
    const SourceStarts& starts_;
    NodeFactor place_;
    double source_scale_;
    std::ptrdiff_t stride_[3] = {};
};

}  // namespace fermat
