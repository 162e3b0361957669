#pragma once

#include <cstddef>
#include <vector>

#include "eikonal/adjoint/metric_node.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/kinks.hpp"
#include "model/model.hpp"

namespace fermat {

/// T0 of a source on the nodes.
struct MetricFactorNodes {
    std::vector<double> t0;
    std::vector<Vec3> gamma;  ///< grad(T0) / T0 per node; 0 at the source

    MetricSource view() const { return {t0.data(), gamma.data()}; }
};

/// The equations of the nodes of a model with a metric, in double precision.
class MetricEquations {
  public:
    /// The model and what `slowness` views must outlive it.
    MetricEquations(const Model& model, NodeSlowness slowness, int order, int threads);
    MetricEquations(const MetricEquations&) = delete;
    MetricEquations& operator=(const MetricEquations&) = delete;

    MetricFactorNodes factor_nodes(const MetricFactor& factor, int threads) const;
    /// What the equations are made of.
    const MetricNodes& nodes() const { return nodes_; }
    const Model& model() const { return model_; }

  private:
    const Model& model_;
    std::vector<double> slowness_;  ///< empty where it is given in double precision
    std::vector<Mat3> steps_;
    GroundKinks kinks_;
    MetricNodes nodes_;
};

/// The same but for slowness and steps, which have no data; `kinks` must outlive it.
MetricNodes metric_nodes(const Model& model, const GroundKinks& kinks, int order);

}  // namespace fermat
