#include "eikonal/adjoint/metric_problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat {
namespace {

constexpr double settled_change = 1e-14;  ///< of a time
constexpr double unsettled_change = 1e-9;
constexpr int free_sweeps = 12;  ///< after which nodes keep the neighbours that they read
constexpr int most_sweeps = 200;

std::unique_ptr<CudaMetricAdjoint> sent_to_device(const Model& model, const NodeSlowness& slowness,
                                                  int order, int threads) {
    const std::optional<NodeFrames> frames = node_frames(model.place(), threads);
    if (!frames) {
        throw InputError(
            "device is 'cuda' (columns of nodes are bent, whose adjoint computes on the CPU: use "
            "cpu)");
    }
    const GroundKinks kinks = ground_kinks(model);
    MetricNodes nodes = metric_nodes(model, kinks, order);
    std::vector<double> made;
    nodes.slowness = slowness.values(made);
    return std::make_unique<CudaMetricAdjoint>(nodes, *frames);
}

}  // namespace

MetricTimes::Problem::Problem(const Model& model_, FieldView<const double> exact,
                              const EikonalOptions& options, const Execution& execution)
    : model(model_),
      slowness(model_, exact),
      device(on_cuda(options, execution.device, model_)),
      solver(model_, options, execution.on(where())) {
    const int threads = resolve_threads(execution.threads);
    if (device) {
        cuda = sent_to_device(model, slowness, options.order, threads);
    } else {
        equations.emplace(model, slowness, options.order, threads);
    }
}

HatValue MetricTimes::Problem::tau_at(const Solved& field, std::size_t receiver) const {
    HatSum sum;
    const auto hats_of = hats.hats();
    for (std::size_t n = hats.begin()[receiver]; n < hats.begin()[receiver + 1]; ++n) {
        const ReceiverHat& hat = hats_of[n];
        sum.add(field.tau[hats.nodes()[hat.slot]], hat.weight, hat.gradient);
    }
    return sum.value();
}

/// What J asks of the nodes of a field, and what T0 says there.
struct MetricTimes::Problem::Asked {
    explicit Asked(std::size_t nodes) : by_tau(nodes), by_t0(nodes), by_gamma(nodes) {}

    std::vector<double> by_tau;
    std::vector<double> by_t0;
    std::vector<Vec3> by_gamma;
};

void MetricTimes::Problem::sort_nodes(Solved& field) const {
    std::vector<char> given(field.tau.size());
    for (const MetricStart& start : field.starts) given[start.node] = 1;
    std::vector<double> time(field.tau.size());
    for (std::size_t n = 0; n < time.size(); ++n) {
        time[n] = field.nodes.t0[n] * field.tau[n];
        const bool solves = !given[n] && std::isfinite(field.tau[n]) && field.nodes.t0[n] > 0;
        if (solves) field.order.push_back(static_cast<std::uint32_t>(n));
    }
    std::stable_sort(field.order.begin(), field.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time[a] < time[b]; });
}

void MetricTimes::Problem::settle(Solved& field, Monitor& monitor) const {
    const MetricNodes& nodes = equations->nodes();
    field.branch.resize(field.tau.size());
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        monitor.check();
        const bool free = sweep < free_sweeps;
        double change = 0;
        field.unsettled = 0;
        for (const std::uint32_t n : field.order) {
            const OctantBranch held = OctantBranch::unpacked(field.branch[n]);
            const OctantSolution found =
                solve_metric_node(nodes, field.nodes.view(), field.tau.data(), nodes.index_of(n),
                                  free ? nullptr : &held)
                    .octant;
            if (!is_solved(found)) {
                ++field.unsettled;
                continue;
            }
            const double off = std::abs(found.tau - field.tau[n]) / found.tau;
            change = std::max(change, off);
            if (off > unsettled_change) ++field.unsettled;
            field.tau[n] = found.tau;
            field.branch[n] = found.branch.packed();
        }
        if (change < settled_change) break;
    }
}

std::vector<double> MetricTimes::Problem::by_equations(const Solved& field, std::size_t source,
                                                       const TimeDerivatives& by,
                                                       MetricFactorPull& pull, AdjointGradient& sum,
                                                       const Execution& execution) const {
    const auto asked = std::make_shared<Asked>(field.tau.size());
    for (std::size_t n = 0; by.nodes.data() != nullptr && n < field.tau.size(); ++n) {
        if (by.nodes[n] == 0 || !std::isfinite(field.tau[n])) continue;
        asked->by_tau[n] += by.nodes[n] * field.nodes.t0[n];
        asked->by_t0[n] += by.nodes[n] * field.tau[n];
    }
    add_receivers(field, source, by.receivers, pull, sum,
                  [&](std::size_t node, double value) { asked->by_tau[node] += value; });
    substitute(field, *asked, sum, execution.monitor);
    std::vector<double> at_starts(field.starts.size());
    for (std::size_t n = 0; n < at_starts.size(); ++n) {
        const std::size_t node = field.starts[n].node;
        const double t0 = field.nodes.t0[node];
        if (asked->by_tau[node] == 0 || t0 == 0) continue;
        at_starts[n] = asked->by_tau[node] / t0;
        asked->by_t0[node] -= at_starts[n] * field.tau[node];
    }
    pull.nodes = [this, asked, threads = resolve_threads(execution.threads)](
                     const MetricFactor& low, const MetricFactor& high) {
        const MetricFactorNodes a = equations->factor_nodes(low, threads);
        const MetricFactorNodes b = equations->factor_nodes(high, threads);
        double share = 0;
        for (std::size_t n = 0; n < asked->by_t0.size(); ++n) {
            share += asked->by_t0[n] * (b.t0[n] - a.t0[n]) +
                     dot(asked->by_gamma[n], b.gamma[n] - a.gamma[n]);
        }
        return share;
    };
    return at_starts;
}

std::vector<double> MetricTimes::Problem::by_equations_on_device(const Solved& field,
                                                                 std::size_t source,
                                                                 const TimeDerivatives& by,
                                                                 MetricFactorPull& pull,
                                                                 AdjointGradient& sum) const {
    std::map<std::size_t, double> of_node;
    add_receivers(field, source, by.receivers, pull, sum,
                  [&](std::size_t node, double value) { of_node[node] += value; });
    const auto starts = field.device_starts();
    std::vector<double> at_starts =
        cuda->substitute(field.factor, {field.tau, field.branch, field.number}, starts, by.nodes,
                         CudaMetricAdjoint::Asked(of_node.begin(), of_node.end()));
    for (std::size_t n = 0; n < at_starts.size(); ++n) {
        const double t0 = field.nodes.t0[field.starts[n].node];
        at_starts[n] = t0 > 0 ? at_starts[n] / t0 : 0;
    }
    pull.nodes = [this](const MetricFactor& low, const MetricFactor& high) {
        return cuda->between(low, high);
    };
    return at_starts;
}

template <class Ask>
void MetricTimes::Problem::add_receivers(const Solved& field, std::size_t source,
                                         std::span<const double> by, MetricFactorPull& pull,
                                         AdjointGradient& sum, Ask ask) const {
    for (std::size_t r = 0; r < by.size(); ++r) {
        const Vec3 q = receivers[r];
        const MetricFactor::Value t0 = field.factor.at(model.mapping().place(q));
        const HatValue tau = tau_at(field, r);
        if (tau.weights == 0 && t0.time > 0) continue;
        require_derivative(by[r], "receiver", r);
        sum.start_times[source] += by[r];
        if (t0.time == 0 || by[r] == 0) continue;
        const double share = by[r] * t0.time / tau.weights;
        for (std::size_t n = hats.begin()[r]; n < hats.begin()[r + 1]; ++n) {
            const ReceiverHat& hat = hats.hats()[n];
            const std::size_t node = hats.nodes()[hat.slot];
            if (std::isfinite(field.tau[node])) ask(node, share * hat.weight);
        }
        pull.points.push_back({model.mapping().place(q), by[r] * tau.value});
        Vec3 slope = by[r] * (t0.time * tau.gradient +
                              tau.value * (transposed(model.mapping().jacobian(q)) * t0.gradient));
        if (model.grid().is_2d()) slope.y = 0;
        sum.receivers[r] = sum.receivers[r] + by_user(model.mapping(), q, slope);
    }
}

/// Nodes pass on to earlier ones what is asked of them. Where axes couple, a neighbour may be
/// later: then once more.
void MetricTimes::Problem::substitute(const Solved& field, Asked& asked, AdjointGradient& sum,
                                      Monitor& monitor) const {
    const MetricNodes& nodes = equations->nodes();
    double largest = 0;
    for (const double value : asked.by_tau) largest = std::max(largest, std::abs(value));
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        monitor.check();
        double left = 0;
        for (auto it = field.order.rbegin(); it != field.order.rend(); ++it) {
            const std::size_t n = *it;
            const double share = std::exchange(asked.by_tau[n], 0.0);
            if (share == 0) continue;
            left = std::max(left, std::abs(share));
            const OctantBranch held = OctantBranch::unpacked(field.branch[n]);
            const MetricSolution found = solve_metric_node(
                nodes, field.nodes.view(), field.tau.data(), nodes.index_of(n), &held);
            const OctantSolution& octant = found.octant;
            if (!(octant.per > 0)) continue;
            for (int axis = 0; axis < 3; ++axis) {
                const std::ptrdiff_t step =
                    octant.branch.from_low[axis] ? -nodes.stride(axis) : nodes.stride(axis);
                const auto other = [&](int steps) -> double& {
                    return asked.by_tau[n + static_cast<std::size_t>(steps * step)];
                };
                if (const double part = octant.by_near(axis)) other(1) += share * part;
                if (const double part = octant.by_far(axis)) other(2) += share * part;
            }
            const NodePull pull = pull_of_node(nodes, field.nodes.view(), found, n, share);
            sum.slowness[n] += pull.slowness;
            for (std::size_t k = 0; k < sum.anisotropy.size(); ++k) {
                sum.anisotropy[k][n] += pull.anisotropy[k];
            }
            asked.by_t0[n] += pull.t0;
            asked.by_gamma[n] = asked.by_gamma[n] + pull.gamma;
        }
        if (!(left > 1e-15 * largest)) break;
    }
}

}  // namespace fermat
