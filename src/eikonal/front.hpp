#pragma once

#include <cstddef>

#include "core/execution.hpp"
#include "core/field.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals of a wavefront given on nodes: a plane wave, a line source, the field of an
/// earlier solve, the times of a wave at a reflector. `times` has the shape of the model. A node
/// with a finite time of at least 0 belongs to the front; NaN, infinite and negative values mean
/// unknown. Times at nodes in air are ignored. The given times are kept, unless the wave from the
/// rest of the front reaches a node clearly earlier (by more than a fraction of the time across a
/// cell): then the earlier time is used. `notes` reports the number of nodes in both cases.
///
/// T0 is constant (source_factor.hpp), so this solves the plain eikonal equation. It reaches its
/// order of accuracy where the front is smooth. If the front bends within a few cells (a point, a
/// line), give the times on more than one layer of nodes.
template <class Real = float>
BasicTimeField<Real> solve_front(const Model& model, FieldView<const double> times,
                                 const EikonalOptions& options, const Execution& execution,
                                 Notes& notes);

/// The factor and start nodes of a front, and the time at which its field starts.
struct FactoredFront {
    FactoredSource source;
    double start_time = 0;
    std::size_t in_air = 0;  ///< nodes of the front in air, which are ignored
};
FactoredFront factor_front(const Model& model, FieldView<const double> times);

/// The model's velocity with 0 at the start nodes, as if they were air. Solvers skip air, so they
/// leave the times of these nodes unchanged.
Field<float> held_velocity(const Model& model, const FactoredSource& source);

}  // namespace fermat
