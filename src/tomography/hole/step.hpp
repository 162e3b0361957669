#pragma once

#include <memory>

#include "core/execution.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"
#include "tomography/hole/backprojection.hpp"
#include "tomography/hole/schedule.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// A model made of the one before, and the seconds that its parts took.
struct ModelUpdate {
    Model model;
    double max_change = 0;  ///< largest relative change of velocity
    double cell_smoothing = 0;
    double vertex_smoothing = 0;
    double update = 0;
};

/// The step of Hole and Vidale, on the host or on a CUDA device. What rays leave in the cells stays
/// on the device between predict() and the step that follows.
class HoleStep {
  public:
    virtual ~HoleStep() = default;

    /// Solves, traces and spreads the residuals over the cells, as backproject(). All ranks call
    /// it; only rank 0 gets a report.
    virtual PassReport predict(const Model& model, const BackprojectionOptions& options,
                               const Execution& execution) = 0;
    /// On rank 0: smooths what the last prediction left in the cells and makes the next model.
    /// Where `kept` is not null, it gets the smoothed fields.
    virtual ModelUpdate step(const Model& model, const Stage& stage, Monitor& monitor,
                             KeptIteration* kept) = 0;
    /// On rank 0, before the step: what the last prediction left in the cells.
    virtual CellSums sums() = 0;
    /// On rank 0: rays in each cell at the last prediction.
    virtual Field<float> coverage() = 0;
};

/// Picks and options must outlive the step.
std::unique_ptr<HoleStep> make_host_step(const Grid& grid, const Survey& picks,
                                         const InversionOptions& options, int threads);
/// Each of several ranks on a machine takes a device of its own, as far as there are.
std::unique_ptr<HoleStep> make_cuda_step(const Grid& grid, const Survey& picks,
                                         const InversionOptions& options, const Ranks& ranks);

}  // namespace fermat
