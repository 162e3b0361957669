#pragma once

#include <functional>
#include <vector>

#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/pick_hearing.hpp"
#include "tomography/gauss_newton/shorter_step.hpp"
#include "tomography/loop/loop.hpp"
#include "tomography/loop/normal_problem.hpp"

namespace fermat {

/// What somebody who watches a run wants it to do next.
struct Steering {
    bool ends = false;
    double lambda = 0;  ///< weight of the roughness of the next step; 0: as the run has it
};

/// Regularised Gauss-Newton steps of whatever unknowns a problem has: damped where they do not help
/// (Levenberg-Marquardt), with ever less weight of the roughness until the picks are explained and
/// then with more again (see Cooling), and with outliers heard before the end (see PickHearing).
class NormalStepper : public Stepper {
  public:
    struct Rules {
        double target_chi2 = 1;
        bool keeps_weight = false;  ///< of the roughness
        bool hears = true;          ///< picks that were left out, before the end
        bool takes_back = true;     ///< picks that agree with each other
        std::function<Steering(const NormalStepper&, double)> steer{};  ///< with lambda
    };
    NormalStepper(NormalProblem& problem, const Survey& picks, const InversionOptions& options,
                  Rules rules, const Execution& execution);

    void take_up(InversionState&& state) override;
    PassCost predict() override;
    Verdict judge() override;
    void renew() override;
    void settle() override;
    void describe(IterationReport& report) const override;
    void reported(const std::vector<IterationReport>& history) override;
    bool goes_on(const std::vector<IterationReport>& history) override;
    void propose() override;
    const Model& model() const override { return problem_.model(); }
    const std::vector<double>& residual() const override { return now_.residual; }
    void save(InversionState& state) const override;
    InversionResult finish() override;

    // Of the present model, on rank 0.
    double chi2() const { return chi2_of(scaled_, hearing_.use()); }
    const std::vector<double>& x() const { return x_; }
    const std::vector<PickUse>& use() const { return hearing_.use(); }
    /// What the next step starts from: residuals in errors, weighted.
    const std::vector<double>& right_side() const { return right_; }
    /// Weight of the roughness that made it; before any step, that of the next.
    double lambda() const { return made_by_ > 0 ? made_by_ : cooling_.lambda(); }
    Cooling::Phase phase() const { return cooling_.phase(); }

  private:
    using Vector = std::vector<double>;

    Vector scaled(const Vector& residual) const;
    double chi2_of(const Vector& z, const std::vector<PickUse>& use) const;
    double objective(const Trial& trial, const Trial& other) const;
    bool admitted(const Trial& trial);
    bool takes_back(std::size_t iterations);

    NormalProblem& problem_;
    const Survey& picks_;
    const InversionOptions& options_;
    Rules rules_;
    Ranks& ranks_;
    Cooling cooling_;
    PickHearing hearing_;
    Vector x_;
    Vector trial_;  ///< on all ranks

    // Of the present model, on rank 0.
    Trial now_;
    Vector scaled_;       ///< residuals in errors
    Vector right_;        ///< the same, weighted, as the step wants them
    double gain_ = 0;     ///< of the objective by the last step, as a part of it
    double change_ = 0;   ///< of velocity by the last step, at most
    double made_by_ = 0;  ///< weight of the roughness; 0: it is the start
    double damping_ = 0;  ///< of steps, in lambdas (Levenberg-Marquardt)
    ShorterStep shorter_;
    /// The present model is a part of a step to a smoother one that passed the target. A run ends
    /// with such a model: how it first came to the target, and by which weights, does not matter.
    bool meets_target_ = false;
    bool judged_anew_ = false;  ///< the present model comes once more: resumed, or picks taken back
    bool ended_ = false;        ///< by who steers
};

}  // namespace fermat
