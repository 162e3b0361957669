#pragma once

#include <limits>

#include "core/field.hpp"
#include "core/grid.hpp"

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
template <class Real>
struct BasicTimeField {
    Grid grid;
    PointSource source;
    double source_slowness = 0;
    Field<Real> tau;
};
using TimeField = BasicTimeField<float>;

/// T at a point of the box: exact T0 times interpolated tau. Corners where no wave arrives are left
/// out of the interpolation; infinite where none remains.
template <class Real>
double time_at(const BasicTimeField<Real>& field, Vec3 point);

/// Gradient of T at a point: T0 grad(tau) + tau grad(T0). Zero at the source itself.
template <class Real>
Vec3 gradient_at(const BasicTimeField<Real>& field, Vec3 point);

/// T on the nodes, in the memory that held tau.
template <class Real>
Field<Real> to_times(BasicTimeField<Real>&& field);

}  // namespace fermat
