#pragma once

#include "tomography/loop/method_state.hpp"

namespace fermat {

/// How much roughness may cost, from one accepted model to the next (Occam's inversion after
/// Constable, Parker & Constable 1987, with damped steps): a large weight at first, halved until
/// the picks are explained to their errors, then raised again as long as they still are, so that
/// the smoothest model that explains them remains.
class Cooling {
  public:
    using Phase = CoolingPhase;

    /// `target`: of chi2. With `kept` the weight stays what it is at first.
    Cooling(double target, bool kept) : target_(target), kept_(kept) {}

    /// What a checkpoint keeps.
    const CoolingState& save() const { return state_; }
    void restore(const CoolingState& state) { state_ = state; }

    void start(double lambda) { state_.lambda = lambda; }
    double lambda() const { return state_.lambda; }
    double target() const { return target_; }
    bool keeps_weight() const { return kept_; }
    Phase phase() const { return state_.phase; }

    /// Whether a model of this chi2 may take the place of the present one: while relaxing only if
    /// it still explains the picks.
    bool admits(double chi2) const { return state_.phase != Phase::relaxing || chi2 <= target_; }
    /// Whether chi2 is the target or less by no more than a twentieth.
    bool is_close(double chi2) const;
    /// A model was accepted: chooses the weight of the next step, or ends. `smoothest`: none that
    /// is smoother is to be looked for if this one is close.
    void accepted(double chi2, bool smoothest);
    /// No model that is admitted was found with this weight.
    void refused();
    /// More picks count from now on: their misfit is another, and the weight may have to fall
    /// again.
    void reopen();

  private:
    double target_;
    bool kept_;
    CoolingState state_;
};

}  // namespace fermat
