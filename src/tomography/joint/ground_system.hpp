#pragma once

#include <span>
#include <vector>

#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/joint/joint_step.hpp"

namespace fermat {

/// The part of a joint step's normal equations that is of velocities and station terms: products
/// with A and its transpose, roughness, and what is near the inverse.
class GroundSystem {
  public:
    using Vector = std::vector<double>;

    /// `picks_share`: how much of the squares of rows is curvature; the rest cancels.
    GroundSystem(const JointParts& parts, SpectralSolver& velocity, SpectralSolver& ratio,
                 const PickMatrix& rows, std::span<const double> row_weights, double lambda,
                 double picks_share = 1);

    /// A v.
    void times(std::span<const double> v, std::span<double> out);
    /// A^T y.
    void transposed_times(std::span<const double> y, std::span<double> out);
    /// out += factor R v.
    void add_roughness(double factor, std::span<const double> v, std::span<double> out);
    void add_term_damping(double factor, std::span<const double> v, std::span<double> out) const;
    /// lambda R v, and the damping of terms.
    void add_regularisation(std::span<const double> v, std::span<double> out) {
        add_roughness(lambda_, v, out);
        add_term_damping(1, v, out);
    }
    /// Gives 0 for what is kept and terms of mean 0, so that no step leaves these.
    void precondition_ground(std::span<const double> in, std::span<double> out);

    // What conjugate gradients need.
    double dot(const Vector& a, const Vector& b) const;
    void add(Vector& to, double factor, const Vector& from) const;
    void scale_add(Vector& to, double factor, const Vector& from) const;

  protected:
    const JointParts& parts_;
    Vector along_;  ///< one number per row

  private:
    SpectralSolver& velocity_;
    SpectralSolver& ratio_;
    const PickMatrix& rows_;
    std::span<const double> row_weights_;
    double lambda_;
    double velocity_mean_ = 0;
    double ratio_mean_ = 0;
    Vector by_slowness_;
    Vector smooth_;
    Vector term_diagonal_;
};

}  // namespace fermat
