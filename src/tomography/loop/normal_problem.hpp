#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "tomography/invert.hpp"
#include "tomography/loop/loop.hpp"

namespace fermat {

/// A trial as far as rank 0 knows it.
struct Trial {
    std::vector<double> x;
    std::vector<double> residual;       ///< observed - computed, per pick; not a number where lost
    std::vector<double> differences{};  ///< the same per difference of times
};

/// Blocks of unknowns that one step of normal equations solves for: how they enter the medium,
/// their rows, their regularisation and their step. A problem has a present model and, from
/// predict() until the next, a trial; the first trial that is adopted is the start model.
class NormalProblem {
  public:
    virtual ~NormalProblem() = default;

    virtual std::size_t size() const = 0;
    /// The unknowns that a run begins with.
    virtual std::vector<double> first() const { return std::vector<double>(size(), 0.0); }
    /// Errors that residuals are divided by, one per pick.
    virtual const std::vector<double>& errors() const = 0;

    /// On all ranks, with one x: times and rows of a trial.
    virtual PassCost predict(std::span<const double> x) = 0;
    /// On rank 0: what the trial leaves of the picks.
    virtual Trial trial_of(std::vector<double>&& x) const = 0;
    /// On rank 0: the trial becomes the present model. Gives the largest relative change of
    /// velocity, 0 where there was no model before.
    virtual double adopt(const Trial& trial, bool resumed) = 0;
    /// On all ranks, with the weights of picks as factors of rows on rank 0: rows of the model that
    /// was adopted.
    virtual void renew(std::vector<double>&& weights) = 0;

    /// What beside picks and roughness is to be small at a trial: squares of unknowns that have no
    /// roughness, and differences that both trials explain.
    virtual double penalty(const Trial& trial, const Trial& other) const = 0;
    virtual double roughness_of(std::span<const double> x) const = 0;
    /// What R is applied to changes its weights, as those of edges.
    virtual void reweight(std::span<const double> x) = 0;
    /// A weight of the roughness to begin with: far more than the picks can stand.
    virtual double first_weight() const = 0;
    /// Degrees of freedom per pick: unknowns that few picks fix take them away.
    virtual double freedom(const std::vector<PickUse>&) const { return 1; }
    /// What the residuals of picks, weighted, become on the right side of the step.
    virtual std::vector<double> right_side(std::vector<double>&& residual) const {
        return std::move(residual);
    }
    /// Whether a fit beside the picks, as of differences, still gets clearly better. Asked once per
    /// accepted model.
    virtual bool still_falls() { return false; }
    /// Picks left out that agree with each other.
    virtual std::vector<std::int32_t> agreeing(std::span<const double>,
                                               std::span<const PickUse>) const {
        return {};
    }

    /// Runs `work` on rank 0 while the other ranks serve products of rows; all must call it.
    virtual void while_served(const std::function<void()>& work) = 0;
    /// On rank 0, while served: the next trial from x. `damping`: in lambdas.
    virtual std::vector<double> step(std::span<const double> x, std::span<const double> right,
                                     double lambda, double damping) = 0;

    virtual const Model& model() const = 0;
    virtual void save(MethodState&) const {}
    virtual void take_up(const MethodState&) {}
    /// On all ranks: fills in models, coverage, terms and events, given x on rank 0.
    virtual void finish(std::span<const double> x, InversionResult& result) = 0;
};

/// By what the weight of a kind of roughness at first exceeds that at which it counts as the picks.
inline double much_weight(Regularisation kind) {
    return kind == Regularisation::second ? 20000 : 1000;
}

}  // namespace fermat
