#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/metric/factor.hpp"
#include "model/model.hpp"

namespace fermat {

/// What the times of a metric field are made of besides its equations: the nodes round the source,
/// whose times are those of straight lines, and T0, whose shape hangs on the medium at the source.

/// A node round the source.
struct MetricStart {
    std::size_t node = 0;
    double time = 0;
};
std::vector<MetricStart> metric_starts(const Model& model, const NodeSlowness& slowness,
                                       Vec3 source);

/// T0 of a source whose shape is that of the slowness given, which the model's is rounded from.
MetricFactor exact_factor(const Model& model, const NodeSlowness& slowness, Vec3 source);

/// dJ by what T0 says: on nodes, at points whose time is T0 times a number, and by the times of
/// start nodes.
struct MetricFactorPull {
    struct Point {
        Vec3 place;
        double by_t0 = 0;
    };
    struct Start {
        std::size_t node = 0;
        double by_time = 0;
    };
    /// By the nodes, dJ between two shapes or places of T0.
    std::function<double(const MetricFactor& low, const MetricFactor& high)> nodes;
    std::vector<Point> points;
    std::vector<Start> starts;
};

/// Adds dJ by the medium on the line to a start node, from dJ by its time.
void add_start(const Model& model, const NodeSlowness& slowness, Vec3 source,
               const MetricStart& start, double by_time, AdjointGradient& sum);

/// dJ by the source's position in grid coordinates. T0 is differentiated by central differences of
/// its closed form, to some ten digits.
Vec3 by_source_position(const Model& model, const NodeSlowness& slowness, Vec3 source,
                        const MetricFactorPull& pull);

/// Adds dJ by the anisotropy round the source through the shape of T0, by such differences too.
void add_factor_shape(const Model& model, const NodeSlowness& slowness, const MetricFactor& factor,
                      const MetricFactorPull& pull, AdjointGradient& sum);

}  // namespace fermat
