#include "eikonal/adjoint/metric_equations.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "eikonal/metric/node_steps.hpp"

namespace fermat {
namespace {

template <class Visit>
void for_each_node_line(const Model& model, int threads, Visit visit) {
    const Grid& grid = model.grid();
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        std::vector<MappedPoint> line(static_cast<std::size_t>(grid.shape.z));
        for (int j = 0; j < grid.shape.y; ++j) {
            model.mapping().line(grid, i, j, line);
            const std::size_t first = grid.shape.offset(i, j, 0);
            for (std::size_t k = 0; k < line.size(); ++k) visit(first + k, line[k]);
        }
    });
}

}  // namespace

MetricNodes metric_nodes(const Model& model, const GroundKinks& kinks, int order) {
    const Metric& metric = *model.metric();
    MetricNodes out;
    out.shape = model.grid().shape;
    out.spacing = model.grid().spacing;
    out.order = order;
    out.full = couples_axes(metric);
    out.aligned = is_aligned(metric);
    out.anisotropy = metric.values();
    if (!kinks.any()) return out;
    out.share = kinks.share.data();
    for (std::size_t n = 0; n < 4; ++n) out.at_ground[n] = kinks.at_ground[n].data();
    return out;
}

MetricEquations::MetricEquations(const Model& model, NodeSlowness slowness, int order, int threads)
    : model_(model),
      steps_(model.grid().node_count()),
      kinks_(ground_kinks(model)),
      nodes_(metric_nodes(model, kinks_, order)) {
    nodes_.slowness = slowness.values(slowness_);
    for_each_node_line(model, threads, [&](std::size_t node, const MappedPoint& here) {
        steps_[node] = steps_of(model_.grid(), *model_.metric(), here);
    });
    nodes_.steps = steps_.data();
}

MetricFactorNodes MetricEquations::factor_nodes(const MetricFactor& factor, int threads) const {
    const Grid& grid = model_.grid();
    MetricFactorNodes out;
    out.t0.resize(grid.node_count());
    out.gamma.resize(grid.node_count());
    for_each_node_line(model_, threads, [&](std::size_t node, const MappedPoint& here) {
        const MetricNodeFactor found =
            node_factor(factor, here.place, here.jacobian, steps_along(grid));
        out.t0[node] = found.t0;
        out.gamma[node] = found.gamma;
    });
    return out;
}

}  // namespace fermat
