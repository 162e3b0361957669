#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "eikonal/source_factor.hpp"
#include "eikonal/stencil_derivative.hpp"

namespace fermat {

/// What the equation of one node is made of.
template <int Dim, class V = double>
struct NodeEquation {
    V f = 0;
    V inverse_r2 = 0;
    Vec3 x;  ///< from the source, in units of the smallest spacing
    AxisStencil<V> axis[Dim];
};

/// The axes of `place` that the equations of a field have, in rising order.
template <int Dim>
struct EquationAxes {
    int axis[Dim];

    /// x, (y,) z.
    FERMAT_HD static constexpr EquationAxes of_grid() {
        if constexpr (Dim == 2) {
            return {{0, 2}};
        } else {
            return {{0, 1, 2}};
        }
    }
    /// (outer,) lane, run of FimProblem.
    FERMAT_HD static constexpr EquationAxes of_tile() {
        if constexpr (Dim == 2) {
            return {{1, 2}};
        } else {
            return {{0, 1, 2}};
        }
    }
};

/// The equation of node n. `slowness` is in units of the source's own; tau(axis, steps) is that of
/// the node some steps along an axis, `unreached` where none has a time.
template <class V = double, int Dim, class Tau>
FERMAT_HD NodeEquation<Dim, V> node_equation(const NodeFactor& place, EquationAxes<Dim> axes,
                                             const int (&n)[3], V slowness, Tau tau) {
    NodeEquation<Dim, V> out;
    auto r2 = static_cast<V>(place.far2);
    for (const int axis : axes.axis) {
        out.x[axis] = place.coordinate(axis, n[axis]);
        r2 += static_cast<V>(out.x[axis]) * static_cast<V>(out.x[axis]);
    }
    out.inverse_r2 = 1 / r2;
    out.f = slowness / std::sqrt(r2);
    for (int d = 0; d < Dim; ++d) {
        const int axis = axes.axis[d];
        const auto h = static_cast<V>(place.spacing[axis]);
        out.axis[d] = axis_stencil(h * static_cast<V>(out.x[axis]), h * h, out.inverse_r2, 1 / h,
                                   [&](int steps) { return tau(axis, steps); });
    }
    return out;
}

template <int Order, int Dim, class V>
FERMAT_HD TauDerivative<Dim, V> derivative(const NodeEquation<Dim, V>& equation) {
    return tau_derivative<Order>(equation.f, equation.inverse_r2, equation.axis);
}

/// d tau/d(source position), in units of the smallest spacing, of an axis of which d tau by gamma =
/// h x_d / r^2 and by eta = h^2 / r^2 are given.
FERMAT_HD inline Vec3 place_slope(int axis, double h, Vec3 x, double inverse_r2, double by_gamma,
                                  double by_eta) {
    const double gamma = h * x[axis] * inverse_r2;
    const double eta = h * h * inverse_r2;
    Vec3 slope = (2 * inverse_r2 * (by_gamma * gamma + by_eta * eta)) * x;
    slope[axis] -= by_gamma * h * inverse_r2;
    return slope;
}

/// d tau/d(source position), in units of the smallest spacing.
template <int Dim, class V>
FERMAT_HD Vec3 source_slope(const NodeFactor& place, EquationAxes<Dim> axes,
                            const NodeEquation<Dim, V>& e, const TauDerivative<Dim, V>& by) {
    Vec3 slope = by.at_limit ? Vec3{} : static_cast<double>(by.f * e.f * e.inverse_r2) * e.x;
    for (int d = 0; d < Dim; ++d) {
        const int axis = axes.axis[d];
        slope = slope + place_slope(axis, place.spacing[axis], e.x, e.inverse_r2, by.axis[d].gamma,
                                    by.axis[d].eta);
    }
    return slope;
}

/// Whether a field's tau solves the equation of its node: second order may not settle where fronts
/// collide.
template <class Real>
FERMAT_HD bool solves_equation(double solution, Real tau) {
    constexpr double tolerance = sizeof(Real) == 8 ? 1e-9 : 1e-4;
    const double off = solution - static_cast<double>(tau);
    return (off < 0 ? -off : off) <= tolerance * solution;
}

}  // namespace fermat
