#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tomography/gauss_newton/pick_weights.hpp"
#include "tomography/loop/method_state.hpp"

namespace fermat {

/// Which picks a run listens to, from model to model.
///
/// While the smoothing falls, picks beyond the limits are left out (see uses_of) and come back once
/// a model explains them. Where a smooth model explains the others to their errors, some of those
/// left out may be good picks that need a rougher one: so before the end they are heard. Each one
/// counts again, no more than a pick at the limit would. It is admitted for good once a model
/// explains it, and rejected for good once a step does not bring it nearer by a tenth. From then on
/// nothing changes, so that the smoothest model is looked for that explains all admitted picks: a
/// model that loses some of them does not pass for one that explains the picks.
///
/// Picks that are taken back count from then on, whatever their residuals: the others are judged
/// anew beside them.
///
/// Norms other than `trimmed` weigh all picks and hear none; beyond the limits they do not count in
/// chi2.
class PickHearing {
  public:
    /// `outliers`: deviations, 0 for none. With `hears` false nobody is heard.
    PickHearing(DataNorm norm, double outliers, bool hears)
        : norm_(norm), outliers_(norm == DataNorm::l2 ? 0 : outliers), hears_(hears) {}

    /// How a model with these residuals would use the picks.
    std::vector<PickUse> uses(std::span<const double> scaled_residual) const;
    /// A model was accepted; `target`: of chi2.
    void accept(std::span<const double> scaled_residual, double target);
    /// The same model once more: nothing goes on.
    void settle(std::span<const double> scaled_residual);
    /// Ends the hearing: who was not admitted is rejected.
    void close();
    /// These count for good; their numbers, in order.
    void take_back(std::span<const std::int32_t> picks);
    const std::vector<std::int32_t>& taken_back() const { return state_.taken_back; }
    /// Whether picks that are left out have no say at all.
    bool leaves_out() const { return norm_ == DataNorm::trimmed && outliers_ > 0; }

    /// Of the accepted model.
    const std::vector<PickUse>& use() const { return use_; }
    /// Throws InputError if no pick is used.
    void require_used() const;
    /// Factors of residuals and rows; 0 where a pick has no say.
    const std::vector<double>& weights() const { return weights_; }
    bool is_hearing() const { return state_.phase == Phase::hearing; }
    /// Steps made in the hearing.
    int rounds() const { return state_.rounds; }

    /// What a checkpoint keeps.
    const HearingState& save() const { return state_; }
    void restore(const HearingState& state) { state_ = state; }

  private:
    using Phase = HearingPhase;

    DataNorm norm_;
    double outliers_;
    bool hears_;
    HearingState state_;
    std::vector<PickUse> use_;
    std::vector<double> weights_;
};

}  // namespace fermat
