#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// What one pass over all events asks and finds without rays or a matrix.
struct PickGradient {
    std::vector<double> time;     ///< per pick; not a number where no wave arrives
    std::vector<double> samples;  ///< by the slowness of every sample of the model
};

/// How the picks of a survey pull on the model: dJ/dT of a pick from its number and its computed
/// time, called from any thread.
using PullOfPick = std::function<double(std::size_t pick, double time)>;

/// Solves each event's field and its adjoint. Times are those of the field at the stations. Events
/// are dealt out to threads and ranks in lots of a fixed size; rank 0 gets the result, the same
/// bits for any number of either. Memory is a few fields per thread. Where the execution's device
/// is `cuda`, the devices of each rank take them.
PickGradient pick_gradient(const Model& model, const Survey& survey, const PullOfPick& pull,
                           const EikonalOptions& options, const Execution& execution);

}  // namespace fermat
