#pragma once

#include <vector>

#include "core/execution.hpp"
#include "tomography/adjoint/lbfgs.hpp"
#include "tomography/adjoint/pick_gradient.hpp"
#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/pick_weights.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/loop/loop.hpp"

namespace fermat {

/// Steps along directions of L-BFGS by gradients of the adjoint. One iteration has one weight of
/// the roughness: steps until they gain little. Rank 0 has the memory and finds the directions; all
/// take part in the passes over events.
class GradientStepper : public Stepper {
  public:
    GradientStepper(const Model& start, const Survey& picks, const InversionOptions& options,
                    const Execution& execution);

    void take_up(InversionState&& state) override;
    PassCost predict() override;
    Verdict judge() override;
    void describe(IterationReport& report) const override;
    void reported(const std::vector<IterationReport>& history) override;
    bool goes_on(const std::vector<IterationReport>& history) override;
    void propose() override {}  // goes_on() has found the next trial
    const Model& model() const override { return model_; }
    const std::vector<double>& residual() const override { return now_.residual; }
    void save(InversionState& state) const override;
    InversionResult finish() override;

  private:
    using Vector = std::vector<double>;

    /// A model with its times and the gradient of its misfit.
    struct Candidate {
        Vector x;
        Vector residual;  ///< observed - computed, per pick; not a number where lost
        Vector gradient;  ///< of half the sum of squared, scaled residuals, by the unknowns
    };
    /// What a pass over the events is for.
    enum class Task : int { misfit, probe, coverage };
    /// What a trial is to become. Where the picks that count have changed, the model is passed over
    /// again, for its gradient.
    enum class Aim {
        start,    ///< the first model
        resumed,  ///< the model that a state was saved at
        line,     ///< a step along the present direction
        weight,   ///< the last model of a weight of the roughness, by other picks
        back,     ///< the model before it: that one was too smooth
    };

    PickGradient pass(Task task, Vector& x);
    Vector by_unknowns(const Vector& x, const Vector& samples) const;
    Candidate candidate();
    Vector scaled(const Vector& residual) const;
    bool renew_uses();
    Vector regularised(const Vector& x) const;
    Vector rough(const Vector& x) const;
    double objective(const Candidate& model, const Candidate& other) const;

    bool passes_again();
    Verdict begin();
    Verdict try_step();
    Verdict end_weight();
    Verdict settle_weight();
    Verdict go_back();
    bool find_direction();
    void aim_at(Aim aim, Vector x, Task task = Task::misfit);
    void try_length();
    Field<float> coverage(const PickGradient& found) const;

    const Survey& picks_;
    ProblemPlan plan_;
    const Survey survey_;  ///< turned round where stations are fewer than events
    const InversionOptions& options_;
    double outliers_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    Parameters parameters_;
    Roughness roughness_;
    SpectralSolver spectral_;
    Cooling cooling_;
    Model model_;
    Vector weights_;  ///< 1 / error of each pick; 0 of outliers

    Vector trial_;
    Task task_ = Task::misfit;
    Aim aim_ = Aim::start;
    bool aimed_ = true;       ///< the next trial is known
    bool once_more_ = false;  ///< the trial is the present model by other picks
    PickGradient found_;      ///< of the trial

    Candidate now_;
    std::vector<PickUse> use_;
    double chi2_ = 0;
    double curvature_ = 0;  ///< the trace of A^T A
    double change_ = 0;     ///< of velocity by the last iteration, at most
    Lbfgs lbfgs_;

    // Of the weight of the roughness that is under way.
    Vector before_;  ///< the model that it began with; empty between weights
    int steps_ = 0;  ///< made
    bool moved_ = false;
    Vector way_;         ///< the present direction
    double slope_ = 0;   ///< of the objective along it
    double length_ = 1;  ///< of the trial's step
    int tries_ = 0;
};

}  // namespace fermat
