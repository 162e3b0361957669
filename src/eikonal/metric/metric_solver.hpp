#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/metric/metric_field.hpp"
#include "eikonal/metric/sweeps.hpp"

namespace fermat {

/// First arrivals of a model with a metric. Its tensors are made once for all sources. Positions
/// are in the coordinates of users (latitudes, true depths), except those of MetricField.
class MetricSolver {
  public:
    /// Throws InputError for options that do not know a metric: another solver than `fim`, or CUDA.
    MetricSolver(const Model& model, const EikonalOptions& options, const Execution& execution);

    MetricField solve(const PointSource& source, const Execution& execution) const;
    /// Solves every source by itself, in parallel over sources; as for_each_field of eikonal.hpp.
    void for_each_field(std::span<const PointSource> sources, const Execution& execution,
                        const std::function<void(std::size_t, MetricField&&)>& consume) const;
    /// Grid coordinates of a point of a user. Throws InputError outside the grid.
    Vec3 inside(Vec3 user, const std::string& what) const;
    /// As inside(), and throws InputError in air.
    Vec3 require_source(Vec3 user) const;
    const Model& model() const { return model_; }

  private:
    void make_tensors(int threads);
    NodeFields fields_of(const MetricFactor& factor, int threads) const;
    void set_starts(const MetricFactor& factor, NodeFields& fields) const;
    /// Thomsen's medium: the tensors that touch the slowness surface in the direction of grad T.
    void touch(const MetricField& field, NodeFields& fields, int threads) const;
    void put_tensor(NodeFields& fields, std::size_t node, const Mat3& step, const Mat3& tensor,
                    double velocity) const;
    Shape solver_shape() const;
    /// Throws ComputeError where times still change so much that none can be trusted.
    void require_settled(const MetricSweeps::Settled& settled) const;

    Model model_;
    EikonalOptions options_;
    NodeFields tensors_;  ///< those of NodeFields that no source changes
    Field<float> mean_;   ///< mu
};

}  // namespace fermat
