#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "model/medium.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"
#include "tomography/joint/joint_step.hpp"

namespace fermat {

/// The model of each phase that has picks: of P first, or of the only one.
using PhaseModels = std::vector<Model>;

/// Times of all picks by all unknowns.
struct JointPrediction {
    std::vector<double> time;  ///< on rank 0, from the event's origin; not a number where lost
    /// On rank 0, where events move: dt/dx at the event, by flat coordinates.
    std::vector<Vec3> slope;
    std::vector<RowLot> rows;  ///< by slowness of P, and of S behind it
    /// Of each phase and cell: this rank's rays that cross it.
    std::vector<std::vector<std::int32_t>> crossings;
    /// On rank 0: fields, of all phases, that are of first order, because the second did not
    /// settle.
    std::int64_t first_order_fields = 0;
    std::int64_t coarse_fields = 0;  ///< likewise, beside jumps alone
    double seconds = 0;
    double ray_fraction = 0;
};

/// The forward operator of P and S and of events that move: one field per station and phase where
/// stations are fewer than events or events move, else one per event and phase.
class JointForward {
  public:
    /// `medium` has the phases of the picks. `bounds`: of the first phase; those of S are the same
    /// over the start's median Vp/Vs, wide enough for the start.
    JointForward(const Medium& medium, const Survey& picks, Index3 ratio,
                 const VelocityBounds& bounds, const RayOptions& rays, bool events_move);

    const std::vector<Phase>& phases() const { return phases_; }
    /// Of each pick, the number of its phase among `phases`.
    const std::vector<std::int32_t>& slots() const { return slots_; }
    const Parameters& parameters(std::size_t slot) const { return parameters_[slot]; }
    const Unknowns& unknowns() const { return parameters_.front().unknowns(); }

    PhaseModels models_of(std::span<const double> x, const JointLayout& layout, int threads) const;
    /// All ranks must call it with one x.
    JointPrediction predict(const PhaseModels& models, std::span<const double> x,
                            const JointLayout& layout, const Execution& execution) const;

    /// ln slowness of a phase, as unknowns of its parameters.
    std::vector<double> slowness_of(std::size_t slot, std::span<const double> x,
                                    const JointLayout& layout) const;

  private:
    /// The picks of a phase with the events where they are now.
    Survey part(std::size_t slot, std::span<const double> x, const JointLayout& layout) const;

    std::vector<Phase> phases_;
    std::vector<std::int32_t> slots_;
    std::vector<Parameters> parameters_;
    RayOptions rays_;
    bool turned_;
    bool events_move_;
    Place place_;
    std::vector<std::vector<std::int32_t>> numbers_;  ///< of the picks of each phase
    std::vector<Survey> parts_;                       ///< the same, with origin times of 0
};

}  // namespace fermat
