#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/invert.hpp"
#include "tomography/trust/found_model.hpp"

namespace fermat {

/// The most unknowns that dense algebra is done with: 3.2 GB.
inline constexpr std::size_t most_dense_unknowns = 20000;

/// The linear problem of a run at the model it found. With A the derivatives of the used picks'
/// times over their errors, and R the roughness, the model is the most likely one of a Gaussian
/// posterior with the covariance
///
///     C = (A^T A + lambda R)^-1,
///
/// and it is the truth seen through the resolution matrix C A^T A = I - lambda C R (Tarantola 2005,
/// chapter 3). Terms of shots and receivers are unknowns behind those of the grid, with their
/// damping in the place of lambda R: what they explain as well does not resolve the ground. Blocky
/// roughness is taken with the weights that the model gives it. What is known of the ground beside
/// the picks has rows below theirs.
///
/// Deviations have a prior of their own: the run's roughness is that of the smoothest model, whose
/// C says what noise does to it and not how wrong it is. The prior is a Gaussian field whose
/// deviation the picks themselves make most likely (prior.hpp): of the second order below a line
/// along the surface, where ground that weathers is smoother than fields of the first order
/// (Roughness::take_length), which stand for all else.
class LinearProblem {
  public:
    /// Makes the rows in one pass over all sources; every rank then has them all.
    LinearProblem(const Model& start, const Survey& picks, const InversionOptions& options,
                  const FoundModel& found, const Execution& execution);

    const Parameters& parameters() const { return parameters_; }
    const Unknowns& unknowns() const { return parameters_.unknowns(); }
    const Roughness& roughness() const { return roughness_; }
    const PickMatrix& rows() const { return *rows_; }
    /// These rows as numbers; empty with more than most_dense_unknowns.
    const UnknownRows& matrix() const { return matrix_; }
    const Model& model() const { return model_; }
    double lambda() const { return lambda_; }
    /// The field that the truth is a sample of before there are picks. Its weight takes some
    /// solves; every rank makes the same.
    const Roughness& prior() const { return prior_; }
    double prior_weight(Monitor& monitor) const;
    /// Whether the problem is that of a line along the surface, in 2-D.
    bool along_surface() const { return along_surface_; }
    int threads() const { return threads_; }
    /// Unknowns of the grid.
    std::size_t size() const { return x_.size(); }
    /// Those and the terms, which are the columns of the rows.
    std::size_t columns() const { return x_.size() + term_damping_.size(); }
    /// Weights of the terms' squares.
    const std::vector<double>& term_damping() const { return term_damping_; }

    /// What the unknowns `change` spread over the samples of the model.
    std::vector<double> on_samples(std::span<const double> change, int threads) const;
    /// Velocity of each sample times the derivative of its logarithm by its part of the unknowns:
    /// turns deviations of unknowns into those of velocity. 0 in air.
    std::vector<double> velocity_slopes() const;

  private:
    std::vector<double> x_;
    double lambda_;
    int threads_;
    Parameters parameters_;
    Model model_;
    Roughness roughness_;
    Roughness prior_;
    bool along_surface_;
    std::vector<double> data_;  ///< residuals and A x, in errors, per row
    std::vector<double> term_damping_;
    UnknownRows matrix_;
    std::optional<WeightedRows> rows_;
};

}  // namespace fermat
