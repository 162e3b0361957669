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
/// earlier solve, the times of a wave at a reflector. `times` is of the model's shape: a node with
/// a finite time of at least 0 belongs to the front; NaN, infinite and negative mean unknown. Times
/// at nodes in air are left out. The front's times stand as they are, unless the wave from the rest
/// of the front comes to a node earlier by more than a part of the time across a cell: then the
/// earlier time counts. Both are told in `notes`, with counts.
///
/// T0 is constant (source_factor.hpp): the plain eikonal equation is solved, which is as accurate
/// as its order where the front is smooth. Beside a front that bends within a few cells (a point, a
/// line) give the times on more than one layer of nodes.
template <class Real = float>
BasicTimeField<Real> solve_front(const Model& model, FieldView<const double> times,
                                 const EikonalOptions& options, const Execution& execution,
                                 Notes& notes);

/// The factor and start nodes of a front, and the time at which its field starts.
struct FactoredFront {
    FactoredSource source;
    double start_time = 0;
    std::size_t in_air = 0;  ///< nodes left out
};
FactoredFront factor_front(const Model& model, FieldView<const double> times);

/// The model's velocity with 0 at start nodes, as if they were air: a solver that computes no air
/// then leaves their times as they are.
Field<float> held_velocity(const Model& model, const FactoredSource& source);

}  // namespace fermat
