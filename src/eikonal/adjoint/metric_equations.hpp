#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "eikonal/adjoint/octant_derivative.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/kinks.hpp"
#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat {

/// T0 of a source on the nodes.
struct MetricFactorNodes {
    std::vector<double> t0;
    std::vector<Vec3> gamma;  ///< grad(T0) / T0 per node; 0 at the source
};

/// The equations of the nodes of a model with a metric, in double precision.
class MetricEquations {
  public:
    /// The model and what `slowness` views must outlive it.
    MetricEquations(const Model& model, NodeSlowness slowness, int order, int threads);

    MetricFactorNodes factor_nodes(const MetricFactor& factor, int threads) const;

    /// The equation of a node, solved.
    struct Solution {
        OctantSolution octant;
        double f2 = 0;
        Mat3 step;          ///< nodes per length along the directions of the frame
        double bend_x = 0;  ///< of the rows below the ground (kinks.hpp)
        double bend_y = 0;
    };
    /// From the neighbours of `held` or, if it is null, from those that the characteristic comes
    /// from.
    Solution solve(const MetricFactorNodes& source, const double* tau, Index3 n,
                   const OctantBranch* held) const;

    double slowness(std::size_t node) const { return slowness_[node]; }
    const Model& model() const { return model_; }

  private:
    template <bool Full>
    Solution solve(const MetricFactorNodes& source, const double* tau, Index3 n,
                   const OctantBranch* held) const;
    /// M of a node, where slopes per node have the direction of p.
    Mat3 tensor_in_nodes(std::size_t node, const Mat3& step, Vec3 p) const;
    void set_tensor(OctantNode<double>& node, const Mat3& m, double t0) const;
    void bend(Index3 n, OctantBranch& branch, OctantNode<double>& node, Solution& out,
              bool choose) const;

    const Model& model_;
    NodeSlowness slowness_;
    int order_;
    bool full_;
    std::vector<Mat3> steps_;
    GroundKinks kinks_;
};

}  // namespace fermat
