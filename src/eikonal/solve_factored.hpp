#pragma once

#include <string_view>

#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/factored_source.hpp"

namespace fermat {

/// Solves the field of one factored source, a point or a front, by the solver of the options and on
/// the device of the execution. Sets `source.until` from the options. `vidale` solves points only.
template <class Real>
BasicTimeField<Real> solve_factored(const Model& model, FactoredSource source, double start_time,
                                    const EikonalOptions& options, const Execution& execution);

/// Allocates an uninitialized field. If memory is short, throws ComputeError that says how much is
/// needed.
template <class Real>
Field<Real> allocate_field(Shape shape);

/// Makes tau infinite where no wave arrives, as callers expect.
template <class Real>
void mark_unreached(FieldView<Real> tau, int threads);

/// FactoredSource::until of a source that starts at `start_time`.
double wanted_until(const EikonalOptions& options, double start_time);
/// Makes times later than `until` infinite.
template <class Real>
void cut_late_times(BasicTimeField<Real>& field, double until, int threads);

/// Throws InputError if `until` is set; `what` is the reason that the message gives.
void require_all_times(const EikonalOptions& options, std::string_view what);

}  // namespace fermat
