#include "tomography/gauss_newton/fold_test.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace fermat {

FoldTest::FoldTest(std::vector<std::int32_t> fold_of_pick, int folds)
    : fold_of_pick_(std::move(fold_of_pick)), models_(static_cast<std::size_t>(folds)) {}

std::vector<double> FoldTest::fit(const LinearProblem& problem, std::int32_t fold,
                                  StepSolver& solver, Roughness& roughness) {
    std::vector<double> weights(problem.weights.begin(), problem.weights.end());
    std::vector<double> residual(problem.residual.begin(), problem.residual.end());
    for (std::size_t n = 0; n < weights.size(); ++n) {
        if (fold_of_pick_[n] == fold) weights[n] = residual[n] = 0;
    }
    UnknownRows copy = *problem.rows;
    const WeightedRows rows(std::move(copy), weights, problem.regularised.size());
    std::vector<double>& model = models_[static_cast<std::size_t>(fold)];
    // Edges that all picks have found would tell a fold what it is to predict.
    constexpr int first_rounds = 3;
    const bool blocky = roughness.kind() == Regularisation::blocky;
    const int rounds = blocky && model.empty() ? first_rounds : 1;
    std::vector<double> step;
    for (int round = 0; round < rounds; ++round) {
        if (model.empty()) {
            roughness.weigh_alike();
        } else {
            roughness.reweight(model);
        }
        step = solver.solve(rows, residual, problem.regularised, {problem.lambda, 0});
        model.assign(problem.regularised.begin(), problem.regularised.end());
        for (std::size_t u = 0; u < model.size(); ++u) model[u] += step[u];
    }
    return step;
}

FoldScore FoldTest::score(const LinearProblem& problem, StepSolver& solver, Roughness& roughness,
                          int threads) {
    const std::vector<double> weights(problem.weights.begin(), problem.weights.end());
    UnknownRows copy = *problem.rows;
    const WeightedRows all(std::move(copy), weights, problem.regularised.size());
    double squares = 0;
    double sum = 0;
    double count = 0;
    std::vector<double> along(all.rows());
    for (std::size_t fold = 0; fold < models_.size(); ++fold) {
        const std::vector<double> step =
            fit(problem, static_cast<std::int32_t>(fold), solver, roughness);
        all.times(step, along, threads);
        for (std::size_t n = 0; n < along.size(); ++n) {
            const bool held_out = static_cast<std::size_t>(fold_of_pick_[n]) == fold;
            if (!held_out || weights[n] == 0) continue;
            sum += std::abs(problem.residual[n] - along[n]);
            squares += problem.residual[n] * problem.residual[n];
            count += 1;
        }
    }
    roughness.reweight(problem.regularised);
    return {std::sqrt(squares / count), std::sqrt(std::numbers::pi / 2) * sum / count};
}

}  // namespace fermat
