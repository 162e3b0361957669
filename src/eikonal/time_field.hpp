#pragma once

#include <cmath>
#include <limits>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// A point that starts to radiate at `start_time`.
struct PointSource {
    Vec3 position;
    double start_time = 0;
};

/// A solved first-arrival field in factored form (Fomel, Luo & Zhao 2009):
///     T(x) = start_time + T0(x) tau(x),   T0(x) = s0 |x - source|
/// T0, the time in a constant medium of the source's own slowness s0, carries the singularity at
/// the source, so that tau is smooth and may be interpolated and differentiated everywhere. tau is
/// infinite where no wave arrives (air, and what air encloses).
template <class Real, Space S = Space::host>
struct TimeFieldView {
    Grid grid;
    PointSource source;
    double source_slowness = 0;
    FieldView<const Real, S> tau;
};

template <class Real>
struct BasicTimeField {
    Grid grid;
    PointSource source;
    double source_slowness = 0;
    Field<Real> tau;

    TimeFieldView<Real> view() const { return {grid, source, source_slowness, tau.view()}; }
};
using TimeField = BasicTimeField<float>;

/// tau at a point, multilinear over the corners that the wave reaches; infinite where none does.
template <class Real, Space S>
FERMAT_HD double tau_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    double sum = 0;
    double weights = 0;
    for_each_corner(field.grid, point, [&](Index3 node, double weight) {
        const double tau = field.tau(node);
        if (weight > 0 && std::isfinite(tau)) {
            sum += weight * tau;
            weights += weight;
        }
    });
    return weights > 0 ? sum / weights : std::numeric_limits<double>::infinity();
}

/// T at a point of the box: exact T0 times interpolated tau.
template <class Real, Space S>
FERMAT_HD double time_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    const double r = distance(point, field.source.position);
    const double start = field.source.start_time;
    return r == 0 ? start : start + field.source_slowness * r * tau_at(field, point);
}

/// d(tau)/dx_axis at a node, in units of the spacing: centred where both neighbours are reached,
/// else one-sided, else 0.
template <class Real, Space S>
FERMAT_HD double tau_slope(const TimeFieldView<Real, S>& field, Index3 node, int axis) {
    const double here = field.tau(node);
    double below = here;
    double above = here;
    int sides = 0;
    Index3 next = node;
    if (node[axis] > 0) {
        --next[axis];
        const double tau = field.tau(next);
        if (std::isfinite(tau)) {
            below = tau;
            ++sides;
        }
        ++next[axis];
    }
    if (node[axis] + 1 < field.grid.shape[axis]) {
        ++next[axis];
        const double tau = field.tau(next);
        if (std::isfinite(tau)) {
            above = tau;
            ++sides;
        }
    }
    return sides == 2 ? (above - below) / 2 : above - below;
}

/// Gradient of T at a point: T0 grad(tau) + tau grad(T0), with grad(tau) interpolated between the
/// nodes' centred differences. Zero at the source and where no wave arrives.
template <class Real, Space S>
FERMAT_HD Vec3 gradient_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    const Vec3 from_source = point - field.source.position;
    const double r = norm(from_source);
    if (r == 0) return {};
    double tau = 0;
    double weights = 0;
    Vec3 slope;
    for_each_corner(field.grid, point, [&](Index3 node, double weight) {
        const double here = field.tau(node);
        if (!(weight > 0) || !std::isfinite(here)) return;
        tau += weight * here;
        weights += weight;
        slope.x += weight * tau_slope(field, node, 0);
        if (!field.grid.is_2d()) slope.y += weight * tau_slope(field, node, 1);
        slope.z += weight * tau_slope(field, node, 2);
    });
    if (weights == 0) return {};
    const Vec3 h = field.grid.spacing;
    const Vec3 tau_gradient{slope.x / h.x, slope.y / h.y, slope.z / h.z};
    const double s0 = field.source_slowness / weights;
    return s0 * (r * tau_gradient + (tau / r) * from_source);
}

template <class Real>
double time_at(const BasicTimeField<Real>& field, Vec3 point) {
    return time_at(field.view(), point);
}
template <class Real>
Vec3 gradient_at(const BasicTimeField<Real>& field, Vec3 point) {
    return gradient_at(field.view(), point);
}

/// T on the nodes, in the memory that held tau.
template <class Real>
Field<Real> to_times(BasicTimeField<Real>&& field, int threads = 1);

}  // namespace fermat
