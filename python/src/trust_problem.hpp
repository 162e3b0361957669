#pragma once

#include <optional>

#include "tomography/invert.hpp"
#include "tomography/trust/linear_problem.hpp"

namespace fermat::python {

/// The inputs and the result of a run, for questions about it afterwards.
struct TrustProblem {
    Model start;
    Survey picks;
    InversionOptions options;
    std::optional<FoundModel> found;  ///< of a Gauss-Newton run that made a step
};

}  // namespace fermat::python
