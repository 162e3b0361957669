#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"
#include "tomography/gauss_newton/bounds.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// How unknowns make a model: the start model's samples, as unknowns of the bounds' transform, plus
/// what the unknowns spread over them. At x = 0 it is the start model.
class Parameters {
  public:
    /// Throws InputError where the start model has velocities outside the bounds.
    Parameters(const Model& start, Index3 ratio, const VelocityBounds& bounds);

    const Unknowns& unknowns() const { return unknowns_; }
    const VelocityBounds& bounds() const { return bounds_; }
    /// The start model on the unknowns' own nodes: means of the samples round them.
    const std::vector<double>& start_on_unknowns() const { return coarse_start_; }
    /// The start model at a sample of rock, as an unknown of the bounds' transform.
    double start_at(std::size_t sample) const { return start_values_[sample]; }
    /// Another model of the same samples there. Samples that are air in it count as the start's.
    std::vector<double> on_unknowns(const Model& model) const;

    /// What roughness is applied to: the change from the start model, or, blocky and mixed, the
    /// whole model.
    std::vector<double> regularised(std::span<const double> x, Regularisation kind) const;

    Model model_of(std::span<const double> x, int threads) const;
    /// Derivative of each sample's slowness by its part of the unknowns; 0 in air.
    std::vector<float> slopes_at(std::span<const double> x, int threads) const;
    /// Derivative of each sample's log-slowness by its part of the unknowns; 0 in air.
    double log_slope_at(std::span<const double> x, std::size_t sample) const;

  private:
    /// Per unknown: the mean of the samples round it.
    std::vector<double> means(std::span<const double> values) const;
    double unknown_at(std::span<const double> x, std::size_t sample) const;

    const Model start_;
    Unknowns unknowns_;
    VelocityBounds bounds_;
    std::vector<double> start_values_;  ///< per sample; not a number in air
    std::vector<double> coarse_start_;
};

}  // namespace fermat
