#pragma once

#include <span>
#include <vector>

#include "core/execution.hpp"
#include "phases/branch_ray.hpp"
#include "phases/phases.hpp"
#include "tomography/layers/layer_unknowns.hpp"
#include "tomography/layers/phase_picks.hpp"

namespace fermat {

/// What a medium makes of one pick: on rank 0.
struct PredictedPick {
    BranchStatus status = BranchStatus::absent;
    double time = 0;
    Vec3 by_source;  ///< derivative of the time by the Cartesian place of the event
    LayerRow row;
};

/// Traces the picks' branches in media, on all ranks.
class LayerForward {
  public:
    LayerForward(const LayeredMedium& start, const PhasePicks& picks, const PhaseOptions& rays,
                 const Execution& execution);

    const std::vector<Branch>& branches() const { return branches_; }
    /// What `unknowns` at x make of the picks, whose events are at `sources`. All ranks must call
    /// it; the result is empty on others than rank 0.
    std::vector<PredictedPick> predict(const LayerUnknowns& unknowns, std::span<const double> x,
                                       const LayeredMedium& medium,
                                       std::span<const Vec3> sources) const;

  private:
    const PhasePicks& picks_;
    const PhaseOptions& rays_;
    const Execution& execution_;
    std::vector<Branch> branches_;
    std::vector<Vec3> receivers_;
};

}  // namespace fermat
