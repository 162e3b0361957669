#pragma once

#include <memory>
#include <optional>

#include "eikonal/metric/layered_rays.hpp"
#include "model/model.hpp"

namespace fermat {

/// The layered sphere nearest to a spherical model with rows of jumps: the mean slowness of each
/// row, changed by a hundredth at most so that LayeredRays knows it. Nothing where that is not
/// enough, where velocity differs from it by more than a tenth, where a node is air and for
/// anisotropic media.
std::optional<LayeredSphere> nearest_layers(const Model& model);

/// First arrivals of a source in the layered sphere nearest to a model, by its rays. They take the
/// place of T0 in the equations of nodes: T = T_L tau. T_L has the kinks of T, at rows of jumps and
/// where a wave overtakes another, and its singularity at the source. So tau is smooth and near 1,
/// and its error is that of tau - 1, which vanishes where velocity depends on depth alone.
class LayeredTimes {
  public:
    /// `source` is in grid coordinates.
    LayeredTimes(const Model& model, const LayeredSphere& layers, Vec3 source);

    /// A column of nodes.
    struct Column {
        double angle = 0;  ///< from the source, in radians
        Vec3 by_axis;      ///< change of the angle per grid coordinate
    };
    Column column(int i, int j) const;
    /// T_L and its slopes per radian of the column's angle and per length downwards, on both sides
    /// of the row.
    struct Node {
        double time = 0;
        double by_angle = 0;
        double above = 0;
        double below = 0;
    };
    Node node(const Column& column, int row) const;
    double time(const Column& column, int row) const;
    /// At a point in grid coordinates; takes some microseconds.
    double time(Vec3 q) const;
    /// The mean ratio of slownesses, of the model to the layers, from the source to a point next to
    /// it.
    double ratio_to(Vec3 q) const;

  private:
    double angle_to(Vec3 q) const;
    double layered_slowness(double depth) const;

    Model model_;
    LayeredSphere layers_;
    Vec3 source_;
    Vec3 direction_;
    std::unique_ptr<const LayeredRays> rays_;
};

}  // namespace fermat
