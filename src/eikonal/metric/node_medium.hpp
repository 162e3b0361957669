#pragma once

#include <array>
#include <vector>

#include "core/field.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/kinks.hpp"
#include "eikonal/metric/layered_times.hpp"
#include "eikonal/metric/node_numbers.hpp"
#include "model/model.hpp"

namespace fermat {

/// Fields of NodeNumbers; empty where there is none.
using NodeFields = std::array<Field<float>, node_numbers>;

/// The fields that belong to one source: gamma, f2 and tau. Of Thomsen's medium also the tensors.
struct SourceNumbers {
    NodeFields fields;
    Field<float> first_f2;  ///< Thomsen: f^2 before the first ellipses
    std::vector<StartNode> starts;
    std::vector<float> gamma_below;  ///< NodeNumbers::gamma_below
};

/// The steps of the grid, 0 along y in 2-D.
inline Vec3 steps_along(const Grid& grid) {
    return {grid.spacing.x, grid.is_2d() ? 0.0 : grid.spacing.y, grid.spacing.z};
}

/// What the equations of nodes need of a model with a metric, made once for all sources.
class NodeMedium {
  public:
    NodeMedium(const Model& model, int threads);

    /// Ellipses of Thomsen's medium are at first those of the direction of grad T0.
    SourceNumbers fields_of(const MetricFactor& factor, int threads) const;
    /// With the times of layers for T0.
    SourceNumbers fields_of(const LayeredTimes& layers, const MetricFactor& factor,
                            int threads) const;
    /// The start nodes alone, for a device that makes the rest.
    SourceNumbers starts_of(const MetricFactor& factor) const;
    /// Thomsen's medium: the tensors that touch the slowness surface in the direction of grad T, or
    /// of grad T0 if tau is empty.
    void touch(FieldView<const float> tau, SourceNumbers& of, int threads) const;
    /// `source` is in grid coordinates.
    NodeNumbers numbers(const SourceNumbers& of, Vec3 source) const;
    /// The shape of the fields. Registers of a sweep lie across the last two axes, so in 2-D these
    /// are x and z.
    Shape shape() const;
    /// False if no tensor couples the axes of the grid.
    bool full() const { return full_; }
    /// Whether a wave crosses some cell so much faster along one way than along another that second
    /// order must start from the first-order solution (has_long_cells).
    bool long_cells() const { return long_cells_; }

  private:
    void make_diagonal(int threads);
    void find_long_cells(int threads);
    void put_tensor(NodeFields& fields, std::size_t node, Mat3 m) const;
    std::vector<StartNode> start_nodes(const MetricFactor& factor) const;

    Model model_;
    bool full_ = false;
    bool long_cells_ = false;
    NodeFields tensors_;
    Field<float> mean_;  ///< mu
    GroundKinks kinks_;
    std::vector<float> jumps_;  ///< NodeNumbers::jumps
};

}  // namespace fermat
