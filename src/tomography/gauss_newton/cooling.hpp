#pragma once

#include <vector>

namespace fermat {

/// How much roughness may cost, from one accepted model to the next (Occam's inversion after
/// Constable, Parker & Constable 1987, with damped steps): a large weight at first, halved until
/// the picks are explained to their errors, then raised again as long as they still are, so that
/// the smoothest model that explains them remains.
class Cooling {
  public:
    enum class Phase { cooling, relaxing, done, stagnant };

    /// `target`: of chi2. With `kept` the weight stays what it is at first.
    Cooling(double target, bool kept) : target_(target), kept_(kept) {}

    /// The state, as numbers that a checkpoint keeps.
    std::vector<double> save() const;
    void restore(const std::vector<double>& numbers);

    void start(double lambda) { lambda_ = lambda; }
    double lambda() const { return lambda_; }
    double target() const { return target_; }
    bool keeps_weight() const { return kept_; }
    Phase phase() const { return phase_; }

    /// Whether a model of this chi2 may take the place of the present one: while relaxing only if
    /// it still explains the picks.
    bool admits(double chi2) const { return phase_ != Phase::relaxing || chi2 <= target_; }
    /// A model was accepted: chooses the weight of the next step, or ends.
    void accepted(double chi2);
    /// No model that is admitted was found with this weight.
    void refused();
    /// More picks count from now on: their misfit is another, and the weight may have to fall
    /// again.
    void reopen();

  private:
    double target_;
    bool kept_;
    double lambda_ = 0;
    Phase phase_ = Phase::cooling;
    double relax_factor_ = 2;
    double last_chi2_ = 0;  ///< 0 before the first model
    int slow_ = 0;          ///< accepted models in a row that hardly changed chi2
};

}  // namespace fermat
