#pragma once

#include <vector>

#include "core/monitor.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/roughness.hpp"

namespace fermat {

/// Gauss-Newton's linear problem as deviations need it: d = A x + noise of 1, terms behind x.
struct PriorProblem {
    const Unknowns& unknowns;
    const PickMatrix& rows;
    const std::vector<double>& data;   ///< d
    const std::vector<double>& found;  ///< x of the run, terms behind it
    const std::vector<double>& term_damping;
    int threads = 1;
};

/// The weight of a prior's roughness R at which picks are most likely: the marginal likelihood
///
///     p(d | w) = integral of exp(-(|d - A x|^2 + w x^T R x) / 2) (w / 2 pi)^(n / 2) dx
///
/// is greatest where w x^T R x = g, with x the most likely model by w and g = tr A C A^T the
/// numbers that the picks fix (MacKay 1992). g is estimated by probes of +-1. The model that the
/// run has found is no less likely than that: of two roughnesses, its own and that of x, the larger
/// one counts, so that picks which ask for no change at all do not make a deviation of 0.
double likely_weight(const PriorProblem& problem, const Roughness& prior, Monitor& monitor);

}  // namespace fermat
