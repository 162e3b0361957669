#pragma once

#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// What rank 0 makes of a model that was tried.
enum class Verdict {
    refused,   ///< the run goes on from the model before it
    taken,     ///< a step on the way to the next iteration
    amended,   ///< the model of the last iteration once more: its report changes
    accepted,  ///< the model of a new iteration
};

/// How long the prediction of a trial took, on rank 0.
struct PassCost {
    double seconds = 0;
    double ray_fraction = 0;  ///< of these, how much went into rays and not into time fields
};

/// One way from residuals to a better model. The loop asks for its parts in the order in which they
/// stand here.
class Stepper {
  public:
    virtual ~Stepper() = default;

    /// On rank 0, before all else: goes on from a state of the same run.
    virtual void take_up(InversionState&& state) = 0;

    /// On all ranks: shares rank 0's trial and predicts its times.
    virtual PassCost predict() = 0;
    /// On rank 0: whether the trial takes the place of the present model.
    virtual Verdict judge() = 0;
    /// On all ranks, unless the trial was refused: what the next step needs of its prediction.
    virtual void renew() {}
    /// On rank 0, after renew().
    virtual void settle() {}
    /// On rank 0: fills in what it knows of the present model. Iteration, passes and seconds are
    /// there.
    virtual void describe(IterationReport& report) const = 0;
    /// On rank 0: an iteration was reported.
    virtual void reported(const std::vector<IterationReport>& history) = 0;
    /// On rank 0: whether there is another trial.
    virtual bool goes_on(const std::vector<IterationReport>& history) = 0;
    /// On all ranks: makes the next trial.
    virtual void propose() = 0;

    /// The present model, of the first phase.
    virtual const Model& model() const = 0;
    /// Observed - computed of the present model, one per pick.
    virtual const std::vector<double>& residual() const = 0;
    /// Gives what is to be kept of the iteration that was reported.
    virtual void keep(const InversionListener& listener, int iteration) const {
        if (listener.has_to_keep(iteration)) listener.keep({iteration, model()});
    }
    /// What it needs to go on, beside the history and the velocities.
    virtual void save(InversionState& state) const = 0;
    /// Whether a state holds the model that comes next, and not the one that was reported.
    virtual bool saves_next() const { return false; }
    /// Whether a pass over the sources is what a user pays for, and is counted.
    virtual bool counts_passes() const { return true; }

    /// On all ranks, after the last trial: all but the history.
    virtual InversionResult finish() = 0;
};

/// Trial, predict, judge, accept, report, save, until the stepper ends. Rank 0 decides; the others
/// solve and trace what they are dealt.
class Loop {
  public:
    Loop(Stepper& stepper, const Execution& execution, const InversionListener& listener)
        : stepper_(stepper), ranks_(execution.ranks), listener_(listener) {}

    InversionResult run(std::optional<InversionState> resume);
    /// All of it but the result: the stepper stays with the last model.
    void search();

  private:
    void take_up(InversionState&& state);
    void book(Verdict verdict);
    void report();
    void amend();
    void save() const;

    Stepper& stepper_;
    Ranks& ranks_;
    const InversionListener& listener_;
    std::vector<IterationReport> history_;
    std::vector<double> initial_residual_;
    IterationSeconds seconds_;  ///< since the last report
    int passes_ = 0;
    bool resumed_ = false;  ///< and the present model is on its way once more
};

}  // namespace fermat
