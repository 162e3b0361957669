#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/fold_test.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/known_ground.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/gauss_newton/term_unknowns.hpp"
#include "tomography/loop/normal_problem.hpp"

namespace fermat {

/// The unknowns of one velocity, and terms of shots and receivers behind them.
class VelocityProblem : public NormalProblem {
  public:
    /// What becomes of its result.
    enum class Use { inversion, validation };
    /// For a validation nobody asks for coverage.
    VelocityProblem(const Model& start, const Survey& picks, const InversionOptions& options,
                    const Execution& execution, Use use = Use::inversion);

    std::size_t size() const override { return parameters_.unknowns().size() + terms_.size(); }
    /// Of the velocity alone.
    std::size_t grid_size() const { return parameters_.unknowns().size(); }
    const std::vector<double>& errors() const override { return errors_; }
    PassCost predict(std::span<const double> x) override;
    Trial trial_of(std::vector<double>&& x) const override;
    double adopt(const Trial& trial, bool resumed) override;
    void renew(std::vector<double>&& weights) override;
    double penalty(const Trial& trial, const Trial&) const override;
    double roughness_of(std::span<const double> x) const override {
        return solver_.roughness_of(regularised(x));
    }
    void reweight(std::span<const double> x) override { roughness_.reweight(regularised(x)); }
    double first_weight() const override {
        return much_weight(roughness_.kind()) * rows_->trace() / roughness_.trace();
    }
    std::vector<std::int32_t> agreeing(std::span<const double> residual,
                                       std::span<const PickUse> use) const override;
    void while_served(const std::function<void()>& work) override {
        rows_->while_served(threads_, work);
    }
    std::vector<double> step(std::span<const double> x, std::span<const double> right,
                             double lambda, double damping) override;
    const Model& model() const override { return model_; }
    void finish(std::span<const double> x, InversionResult& result) override;

    /// How well picks that are left out of the linear problem at x are predicted; `glance`: see
    /// LinearizedPicks.
    HeldOutScore held_out(FoldTest& folds, std::span<const double> x, std::span<const double> right,
                          std::span<const PickUse> use, double lambda, bool glance);

  private:
    VelocityProblem(const Model& start, const Survey& picks, const InversionOptions& options,
                    const Execution& execution, Use use, ProblemPlan plan);

    /// A model on trial, and what was found there.
    struct Tried {
        Model model;
        Prediction prediction;
    };

    std::vector<double> regularised(std::span<const double> x) const;
    std::vector<double> offset_of(const InversionOptions& options) const;
    /// Calls work(rows, right) with the rows of picks and of what is known beside them.
    template <class Work>
    auto with_known(std::span<const double> x, std::span<const double> right, Work work) const;

    const Survey& picks_;
    const Survey survey_;  ///< turned round where receivers are fewer than sources
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    RayOptions rays_;
    Parameters parameters_;
    Roughness roughness_;
    RowPlace place_;
    std::vector<double> offset_;
    std::vector<double> errors_;
    TermUnknowns terms_;
    KnownRows known_;  ///< of what is known beside the picks
    StepSolver solver_;
    PredictionExtras extras_;
    Model model_;
    std::optional<Tried> tried_;
    std::optional<DealtRows> rows_;        ///< on all ranks
    std::vector<std::int32_t> crossings_;  ///< of this rank's rays in each cell
    bool is_start_ = true;                 ///< no trial was adopted yet
    std::int64_t first_order_sources_ = 0;
    std::int64_t coarse_sources_ = 0;  ///< beside jumps
};

}  // namespace fermat
