#pragma once

#include <string_view>

#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/factored_source.hpp"

namespace fermat {

/// The field of one factored source, a point or a front, by the solver and on the device that the
/// execution names. `source.until` is set from the options. Of fronts, all solvers but `vidale`.
template <class Real>
BasicTimeField<Real> solve_factored(const Model& model, FactoredSource source, double start_time,
                                    const EikonalOptions& options, const Execution& execution);

/// Memory for a field, unset. Throws ComputeError that says how much is needed.
template <class Real>
Field<Real> allocate_field(Shape shape);

/// FactoredSource::until of a source that starts at a time.
double wanted_until(const EikonalOptions& options, double start_time);
/// Makes times later than `until` infinite.
template <class Real>
void cut_late_times(BasicTimeField<Real>& field, double until, int threads);

/// Throws InputError, with `what` for what needs whole fields, where `until` cuts them.
void require_all_times(const EikonalOptions& options, std::string_view what);

}  // namespace fermat
