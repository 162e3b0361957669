#pragma once

#include <cstddef>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/adjoint/metric_equations.hpp"

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
    explicit MetricFactorPull(std::size_t nodes) : by_t0(nodes), by_gamma(nodes) {}

    struct Point {
        Vec3 place;
        double by_t0 = 0;
    };
    struct Start {
        std::size_t node = 0;
        double by_time = 0;
    };
    std::vector<double> by_t0;
    std::vector<Vec3> by_gamma;
    std::vector<Point> points;
    std::vector<Start> starts;
};

/// Adds dJ by the medium on the line to a start node, from dJ by its time.
void add_start(const Model& model, const NodeSlowness& slowness, Vec3 source,
               const MetricStart& start, double by_time, AdjointGradient& sum);

/// Adds dJ by the anisotropy of a node from dJ by its tau.
void add_node_anisotropy(const Model& model, const NodeSlowness& slowness, double t0,
                         const MetricEquations::Solution& found, std::size_t node, double by_tau,
                         AdjointGradient& sum);

/// dJ by the source's position in grid coordinates. T0 is differentiated by central differences of
/// its closed form, to some ten digits.
Vec3 by_source_position(const MetricEquations& equations, const NodeSlowness& slowness, Vec3 source,
                        const MetricFactorPull& pull, int threads);

/// Adds dJ by the anisotropy round the source through the shape of T0, by such differences too.
void add_factor_shape(const MetricEquations& equations, const NodeSlowness& slowness,
                      const MetricFactor& factor, const MetricFactorPull& pull, int threads,
                      AdjointGradient& sum);

}  // namespace fermat
