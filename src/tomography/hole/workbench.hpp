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

/// Where the large fields of an inversion lie and are worked on: the host's memory or a CUDA
/// device. Between a pass and the update that follows, what rays left in the cells stays there.
class Workbench {
  public:
    virtual ~Workbench() = default;

    /// As backproject. All ranks call it; only rank 0 gets a report.
    virtual PassReport project(const Model& model, const BackprojectionOptions& options,
                               const Execution& execution) = 0;
    /// On rank 0: smooths what the last pass left and makes the next model of it.
    virtual ModelUpdate update(const Model& model, const Stage& stage, Monitor& monitor) = 0;
    /// On rank 0: rays in each cell in the last pass.
    virtual Field<float> coverage() = 0;
};

/// Picks and options must outlive the bench.
std::unique_ptr<Workbench> make_host_workbench(const Grid& grid, const Survey& picks,
                                               const InversionOptions& options, int threads);
/// Each of several ranks on a machine takes a device of its own, as far as there are.
std::unique_ptr<Workbench> make_cuda_workbench(const Grid& grid, const Survey& picks,
                                               const InversionOptions& options, const Ranks& ranks);

}  // namespace fermat
