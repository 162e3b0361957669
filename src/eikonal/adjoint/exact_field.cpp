#include "eikonal/adjoint/exact_field.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "eikonal/adjoint/causal_order.hpp"
#include "eikonal/adjoint/node_scheme.hpp"
#include "eikonal/adjoint/source_starts.hpp"

namespace fermat {
namespace {

template <int Dim, int Order>
void settle(BasicTimeField<double>& field, const NodeSlowness& slowness, const SourceStarts& starts,
            Monitor& monitor) {
    // Where fronts collide, second order may change to and fro: then values may only fall.
    constexpr int free_passes = 30;
    constexpr int most_passes = 60;
    constexpr double tolerance = 1e-15;
    Field<double>& tau = field.tau;
    const NodeScheme<double, Dim, Order> scheme(field.view(), slowness, starts);
    const auto order = latest_first(causal_times(field.view()));
    for (int pass = 0; pass < most_passes; ++pass) {
        monitor.check();
        bool changed = false;
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (starts.holds(*node)) continue;
            const auto equation = scheme.equation(*node, scheme.index_of(*node),
                                                  [&](std::size_t other) { return tau[other]; });
            const double found = scheme.solution(equation);
            const double old = tau[*node];
            const bool take = found < reached_limit<double> && (found < old || pass < free_passes);
            if (!take || std::abs(found - old) <= tolerance * found) continue;
            tau[*node] = found;
            changed = true;
        }
        if (!changed) return;
    }
}

}  // namespace

BasicTimeField<double> solve_exactly(const Model& model, const NodeSlowness& slowness,
                                     const PointSource& source, const EikonalOptions& options,
                                     const Execution& execution) {
    BasicTimeField<double> field = solve<double>(model, source, options, execution.on(Device::cpu));
    if (!slowness.is_exact()) return field;
    const SourceStarts starts(model, slowness, source.position);
    const double rounded = field.factor.slowness;
    field.factor.slowness = starts.source_slowness();
    const double scale = rounded / field.factor.slowness;
    for (double& tau : field.tau) tau *= scale;
    for (const std::size_t node : starts.nodes()) {
        field.tau[node] = starts.mean_slowness(node) / field.factor.slowness;
    }
    Monitor& monitor = execution.monitor;
    const bool first_order = options.order == 1;
    if (model.grid().is_2d()) {
        first_order ? settle<2, 1>(field, slowness, starts, monitor)
                    : settle<2, 2>(field, slowness, starts, monitor);
    } else {
        first_order ? settle<3, 1>(field, slowness, starts, monitor)
                    : settle<3, 2>(field, slowness, starts, monitor);
    }
    return field;
}

}  // namespace fermat
