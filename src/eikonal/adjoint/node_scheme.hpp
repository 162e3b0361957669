#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/adjoint/source_starts.hpp"
#include "eikonal/node_update.hpp"
#include "eikonal/stencil_derivative.hpp"
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
          inverse_unit_(1 / smallest_spacing(field.grid)) {
        const Shape shape = field.grid.shape;
        stride_[0] = static_cast<std::ptrdiff_t>(shape.y) * shape.z;
        stride_[1] = shape.z;
        stride_[2] = 1;
    }

    /// What a node's equation is made of.
    struct Equation {
        double f = 0;
        double inverse_r2 = 0;
        Vec3 x;  ///< from the source, in units of the smallest spacing
        AxisStencil<double> axis[Dim];
    };

    /// tau may be other than the field's while that is being computed: tau_of(node).
    template <class TauOf>
    Equation equation(std::size_t node, Index3 n, TauOf tau_of) const {
        Equation out;
        for (int axis = 0; axis < 3; ++axis) {
            if (Dim == 3 || axis != 1) out.x[axis] = place_.coordinate(axis, n[axis]);
        }
        const double r2 = dot(out.x, out.x) + place_.far2;
        out.inverse_r2 = 1 / r2;
        out.f = slowness_[node] / (field_.factor.slowness * std::sqrt(r2));
        for (int d = 0; d < Dim; ++d) {
            const int axis = axis_of(d);
            const double h = place_.spacing[axis];
            out.axis[d] = axis_stencil(h * out.x[axis], h * h, out.inverse_r2, 1 / h,
                                       [&](int steps) { return tau(node, n, axis, steps, tau_of); });
        }
        return out;
    }
    Equation equation(std::size_t node, Index3 n) const {
        return equation(node, n, [&](std::size_t other) { return double{field_.tau[other]}; });
    }
    static double solution(const Equation& e) {
        return detail::with_axes(
            e.axis, [&](const auto&... a) { return update_tau<Order>(e.f, e.inverse_r2, a...); });
    }

    /// Hands dJ/dw of a node on: push(node, dJ/dw) to what it was made of, by_slowness(node, dJ/ds)
    /// to the slownesses, and the rest to `by_source`, dJ/d(source position). False where the
    /// node's time does not solve its equation: second order may not settle where fronts collide.
    template <class Push, class BySlowness>
    bool hand_on(std::size_t node, double by_w, Vec3& by_source, Push push,
                 BySlowness by_slowness) const {
        if (starts_.holds(node)) {
            const Vec3 slope = starts_.derivative(
                node, [&](std::size_t other, double part) { by_slowness(other, by_w * part); });
            by_source = by_source + by_w * slope;
            return true;
        }
        const Index3 n = index_of(node);
        const Equation e = equation(node, n);
        const TauDerivative<Dim> by = tau_derivative<Order>(e.f, e.inverse_r2, e.axis);
        const double r = std::sqrt(1 / e.inverse_r2);
        by_slowness(node, by_w * by.f / r);
        double slope_of_f = 0;  // d/d(source) is this times x, from f, r and all gammas and etas
        Vec3 along;
        if (!by.at_limit) slope_of_f = by.f * e.f * e.inverse_r2;
        for (int d = 0; d < Dim; ++d) {
            const AxisDerivative& part = by.axis[d];
            if (part.near == 0) continue;
            const int axis = axis_of(d);
            const std::ptrdiff_t step = part.from_low ? -stride_[axis] : stride_[axis];
            push(node + static_cast<std::size_t>(step), by_w * part.near);
            if (part.far != 0) push(node + static_cast<std::size_t>(2 * step), by_w * part.far);
            const double h = place_.spacing[axis];
            along[axis] -= part.gamma * h * e.inverse_r2;
            slope_of_f += 2 * e.inverse_r2 *
                          (part.gamma * e.axis[d].gamma + part.eta * e.axis[d].eta);
        }
        by_source = by_source + (by_w * field_.factor.slowness * inverse_unit_) *
                                    (along + slope_of_f * e.x);
        constexpr double tolerance = sizeof(Real) == 8 ? 1e-9 : 1e-4;
        return std::abs(by.tau - static_cast<double>(field_.tau[node])) <= tolerance * by.tau;
    }

    /// Asks for what hand_on will read, ahead of its use.
    [[gnu::always_inline]] void prefetch(std::size_t node, const double* asked) const {
        const auto at = static_cast<std::ptrdiff_t>(node);
        slowness_.prefetch(at);
        for (int d = 0; d < Dim; ++d) {
            const std::ptrdiff_t step = stride_[axis_of(d)];
            for (const int steps : {-2, -1, 1, 2}) {
                if (step == 1 && steps != -2 && steps != 2) continue;
                prefetch_at(field_.tau.data(), at + steps * step);
                prefetch_at(asked, at + steps * step);
            }
        }
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
    bool reached(std::size_t node) const { return std::isfinite(field_.tau[node]); }

  private:
    static constexpr int axis_of(int d) { return Dim == 2 && d == 1 ? 2 : d; }

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
    double inverse_unit_;
    std::ptrdiff_t stride_[3] = {};
};

}  // namespace fermat
