#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "tomography/gauss_newton/banded_cholesky.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/roughness_stencil.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// Shortest side of a grid.
double least_extent(const Grid& grid);

/// The quadratic form x^T R x that stands for roughness, on the unknowns of an inversion.
///
/// First order: R = W^T V W, where W takes the differences of neighbours times
/// weight * sqrt(cell) / spacing, so that x^T R x is the integral of |grad x|^2. Blocky:
/// V_e = (1 + (g_e / g_0)^2)^(-1/2) with g_e the difference across edge e and g_0 half of its RMS,
/// renewed from the present model (iteratively reweighted least squares: a norm between L2 and L1).
///
/// Second order: R = K B K with K = W^T W + cell / L^2 and B_u = (1 + (c_u / c_0)^2)^(-1/4), where
/// c = K x is the curvature of the present model and c_0 half of its RMS: a norm between the powers
/// 2 and 1.5, in which few strong bends cost less than many weak ones. Truths between boreholes
/// come out better with it (bench/inversion). B = 1 in 3-D, where smooth truths came out worse by a
/// tenth, and where weights differ along the axes, as below a surface: there runs got stuck.
///
/// Mixed: x = b + s, so that b^T R_b b + s^T R_s s is least, with R_b as of blocky, whose V is made
/// of b, and R_s = l^2 K K / cell with V = B = 1 (infimal convolution, Chambolle & Lions 1997):
/// what is longer than l costs less in s and what is shorter, as an edge, less in b. Then R = R_b -
/// R_b (R_b + R_s)^-1 R_b, and the matrix in the middle has a band: 2-D only.
///
/// Where cells differ in space (Unknowns::sizes), spacings and cells are those of each edge and
/// unknown, and K = W^T W + D and B C^-1 stand for K and B, with the cells C, over their mean, and
/// D = C / L^2: without B it is the integral of (x / L^2 - laplace x)^2 too.
class Roughness {
  public:
    Roughness(const Unknowns& unknowns, const RoughnessOptions& options);

    /// R x.
    void apply(std::span<const double> x, std::span<double> out, int threads) const;
    /// L noise, where R = L L^T: as W^T V^(1/2), or K B^(1/2) for second order, or of both. So
    /// standard normal noise becomes noise of the covariance R. 4 numbers of noise per unknown.
    void apply_root(std::span<const double> noise, std::span<double> out) const;
    /// Multiplies the differences from each unknown to the next along x, y, z by factors of their
    /// own, once and before all else.
    void take_edges(std::span<const Vec3> factors);
    /// First order: adds cell / L^2, so that R^-1 is the covariance of a field of finite deviation
    /// whose values belong together within L.
    void take_length(double length);
    /// Renews V or B by a model's own values, where they are not 1.
    void reweight(std::span<const double> model);
    bool is_reweighted() const {
        return options_.kind == Regularisation::blocky || options_.kind == Regularisation::mixed ||
               bends_;
    }
    /// V = B = 1, as before the first reweighting.
    void weigh_alike();
    /// Mixed: the blocky part of x.
    std::vector<double> blocky_part(std::span<const double> x) const;
    /// Mixed: the factor of the smooth part; else 0.
    double smooth_factor() const { return smooth_; }
    double smooth_diagonal() const { return smooth_diagonal_; }
    double trace() const;
    Regularisation kind() const { return options_.kind; }

    /// Along each axis: the factor of squared differences; and what is added to the diagonal of
    /// W^T V W.
    Vec3 axis_factors() const { return factors_; }
    double diagonal() const { return diagonal_; }
    /// W^T V W + d: R itself, or K for second order.
    RoughnessStencil stencil() const {
        return {factors_,
                diagonal_,
                neighbours_.data(),
                weights_.empty() ? nullptr : weights_.data(),
                volumes_.empty() ? nullptr : volumes_.data(),
                between_.empty() ? nullptr : between_.data(),
                rim()};
    }
    /// Mean of V or B.
    double mean_weight() const { return mean_weight_; }

  private:
    void take_sizes(const Unknowns& unknowns);
    /// Makes the slope of x at the ends of z -e x / L, in lengths of that axis; e: end damping.
    double rim() const {
        return options_.end_damping.value_or(0) * std::sqrt(factors_.z * diagonal_);
    }
    void reweight_edges(std::span<const double> model);
    void reweight_curvature(std::span<const double> model);
    void reweight_mixed(std::span<const double> model);
    std::shared_ptr<const BandedCholesky> factored_both() const;
    void add_smooth_noise(std::span<const double> noise, std::span<double> out) const;
    /// K of the smooth part.
    RoughnessStencil smooth_stencil() const;
    void apply_once(std::span<const double> x, std::span<double> out, int threads) const;
    double edge_factor(std::size_t unknown, int side) const {
        return stencil().edge_factor(unknown, side);
    }

    RoughnessOptions options_;
    Vec3 factors_;
    double cell_ = 0;  ///< of an unknown, in the mean
    double diagonal_ = 0;
    bool bends_ = false;  ///< B is renewed
    /// Mixed: the square of the length that divides both parts, over the cell.
    double smooth_ = 0;
    double smooth_diagonal_ = 0;                   ///< mixed: d of K
    std::shared_ptr<const BandedCholesky> both_;   ///< mixed: R_b + smooth R_s
    std::shared_ptr<const BandedCholesky> alike_;  ///< the same where V = 1
    double mean_weight_ = 1;
    std::vector<Neighbours> neighbours_;
    /// V of the edges from each unknown to the next along x, y, z; empty where all are 1.
    std::vector<Vec3> weights_;
    /// Where cells differ in space: the factors of edges and the volumes, over their means.
    std::vector<Vec3> own_factors_;
    std::vector<double> volumes_;
    std::vector<double> between_;  ///< B over the volumes; empty where all are 1
};

}  // namespace fermat
