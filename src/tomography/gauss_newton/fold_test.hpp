#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {

/// What a step of Gauss-Newton is made of, at a model.
struct LinearizedPicks {
    const PickMatrix& rows;               ///< in errors
    std::span<const PickUse> use;         ///< of each pick
    std::span<const double> residual;     ///< in errors; 0 where a pick is not used; of all rows
    std::span<const double> regularised;  ///< what the roughness is applied to
    double lambda = 0;
    /// Whether the score only says where to go next: it is made to a hundredth, and the next score
    /// does not start from its models.
    bool is_glance = false;
};

/// Misfits in errors.
struct HeldOutScore {
    double rms = 0;       ///< of a model that all picks have made
    double held_out = 0;  ///< of picks left out: sqrt(pi / 2) times the mean of absolute residuals,
                          ///< the deviation of Gaussian ones, which outliers move little
};

/// Cross-validation that needs no pass over the sources: each fold of the picks is left out of the
/// linear problem at a model, and predicted by what the others make of it. The model, which all
/// picks have made, serves as the point of linearisation only; a fold finds its weights of the
/// roughness by itself.
class FoldTest {
  public:
    /// `fold_of_pick`: from 0 to folds - 1.
    FoldTest(std::vector<std::int32_t> fold_of_pick, int folds);

    /// Leaves the roughness with weights of `regularised`.
    HeldOutScore score(const LinearizedPicks& problem, StepSolver& solver, Roughness& roughness,
                       int threads);

  private:
    std::vector<double> fit(const LinearizedPicks& problem, std::int32_t fold, StepSolver& solver,
                            Roughness& roughness);

    std::vector<std::int32_t> fold_of_pick_;
    std::vector<std::vector<double>> models_;  ///< of each fold, as last found
};

}  // namespace fermat
