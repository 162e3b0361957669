#include "tomography/gauss_newton/fold_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace fermat {
namespace {

/// The rows of all picks but one fold.
class MaskedRows : public PickMatrix {
  public:
    MaskedRows(const PickMatrix& all, std::span<const std::int32_t> fold_of_pick, std::int32_t fold,
               int folds)
        : all_(all), fold_of_pick_(fold_of_pick), fold_(fold), folds_(folds), kept_(all.rows()) {}

    std::size_t rows() const override { return all_.rows(); }
    std::size_t columns() const override { return all_.columns(); }
    void times(std::span<const double> x, std::span<double> out, int threads) const override {
        all_.times(x, out, threads);
        mask(out);
    }
    void transposed_times(std::span<const double> y, std::span<double> out,
                          int threads) const override {
        kept_.assign(y.begin(), y.end());
        mask(kept_);
        all_.transposed_times(kept_, out, threads);
    }
    // What the preconditioner asks for need not be exact.
    double trace() const override { return all_.trace() * (folds_ - 1) / folds_; }
    void column_squares(std::span<double> out, int threads) const override {
        all_.column_squares(out, threads);
    }

  private:
    void mask(std::span<double> y) const {
        // What is known beside the picks is in every fold.
        for (std::size_t n = 0; n < fold_of_pick_.size(); ++n) {
            if (fold_of_pick_[n] == fold_) y[n] = 0;
        }
    }

    const PickMatrix& all_;
    std::span<const std::int32_t> fold_of_pick_;
    std::int32_t fold_;
    int folds_;
    mutable std::vector<double> kept_;
};

}  // namespace

FoldTest::FoldTest(std::vector<std::int32_t> fold_of_pick, int folds)
    : fold_of_pick_(std::move(fold_of_pick)), models_(static_cast<std::size_t>(folds)) {}

std::vector<double> FoldTest::fit(const LinearizedPicks& problem, std::int32_t fold,
                                  StepSolver& solver, Roughness& roughness) {
    const MaskedRows rows(problem.rows, fold_of_pick_, fold, static_cast<int>(models_.size()));
    std::vector<double>& kept = models_[static_cast<std::size_t>(fold)];
    std::vector<double> model = kept;
    // Edges that all picks have found would tell a fold what it is to predict.
    constexpr int first_rounds = 3;
    // Scores are compared to one in fifty.
    const SolveLimits limits{problem.is_glance ? 1e-2 : 2e-3};
    const int rounds = roughness.is_reweighted() && model.empty() ? first_rounds : 1;
    std::vector<double> step;
    for (int round = 0; round < rounds; ++round) {
        if (model.empty()) {
            roughness.weigh_alike();
        } else {
            roughness.reweight(model);
        }
        std::vector<double> guess = model;
        for (std::size_t u = 0; u < guess.size(); ++u) guess[u] -= problem.regularised[u];
        step = solver.solve(rows, problem.residual, problem.regularised, {problem.lambda, 0},
                            limits, std::move(guess));
        model.assign(problem.regularised.begin(), problem.regularised.end());
        for (std::size_t u = 0; u < model.size(); ++u) model[u] += step[u];
    }
    if (!problem.is_glance) kept = std::move(model);
    return step;
}

HeldOutScore FoldTest::score(const LinearizedPicks& problem, StepSolver& solver,
                             Roughness& roughness, int threads) {
    double of_fitted = 0;  // squares
    double fitted = 0;
    double of_held_out = 0;
    double held_out = 0;
    double sum = 0;
    double of_model = 0;
    std::vector<double> along(problem.rows.rows());
    for (std::size_t fold = 0; fold < models_.size(); ++fold) {
        const std::vector<double> step =
            fit(problem, static_cast<std::int32_t>(fold), solver, roughness);
        problem.rows.times(step, along, threads);
        for (std::size_t n = 0; n < problem.use.size(); ++n) {
            if (problem.use[n] != PickUse::used) continue;
            const double left = problem.residual[n] - along[n];
            if (static_cast<std::size_t>(fold_of_pick_[n]) == fold) {
                of_held_out += left * left;
                sum += std::abs(left);
                of_model += problem.residual[n] * problem.residual[n];
                held_out += 1;
            } else {
                of_fitted += left * left;
                fitted += 1;
            }
        }
    }
    // The mean square of n picks that p numbers are fitted to is s^2 (1 - p / n), that of others
    // s^2 (1 + p / n). All k folds are k / (k - 1) times as many picks as all but one.
    const double below = of_fitted / fitted;
    const double spread = std::max(0.0, of_held_out / held_out - below) / 2;
    const double linear = std::sqrt(below + spread / static_cast<double>(models_.size()));
    // A model that a long step has made is still on its way; one that is there fits a little worse
    // than its linear problem says.
    constexpr double on_its_way = 1.07;
    const double rms = std::clamp(std::sqrt(of_model / held_out), linear, on_its_way * linear);
    roughness.reweight(problem.regularised);
    return {rms, std::sqrt(std::numbers::pi / 2) * sum / held_out};
}

}  // namespace fermat
