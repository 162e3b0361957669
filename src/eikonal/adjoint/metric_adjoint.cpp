#include "eikonal/adjoint/metric_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/metric_equations.hpp"
#include "eikonal/adjoint/metric_starts.hpp"
#include "eikonal/adjoint/receiver_hats.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double settled_change = 1e-14;  ///< of a time
constexpr double unsettled_change = 1e-9;
constexpr int free_sweeps = 12;  ///< after which nodes keep the neighbours that they read
constexpr int most_sweeps = 200;

Index3 index_of(Shape shape, std::size_t node) {
    const auto z = static_cast<std::size_t>(shape.z);
    const auto y = static_cast<std::size_t>(shape.y);
    return {static_cast<int>(node / (y * z)), static_cast<int>(node / z % y),
            static_cast<int>(node % z)};
}

/// A slope by grid coordinates as one by the coordinates of users.
Vec3 by_user(const Mapping& mapping, Vec3 q, Vec3 slope) {
    const Vec3 by_place = transposed(inverse(mapping.jacobian(q))) * slope;
    return transposed(mapping.user_jacobian(q)) * by_place;
}

}  // namespace

class MetricTimes::Solved {
  public:
    Solved(MetricFactor of, double start, MetricFactorNodes numbers)
        : factor(std::move(of)), start_time(start), nodes(std::move(numbers)) {}

    MetricFactor factor;
    double start_time;
    MetricFactorNodes nodes;
    std::vector<double> tau;           ///< infinite where no wave arrives
    std::vector<std::uint32_t> order;  ///< nodes that have equations, by time
    std::vector<OctantBranch> branch;
    std::vector<MetricStart> starts;
    std::int64_t unsettled = 0;
};

struct MetricTimes::Problem {
    Problem(const Model& model_, FieldView<const double> exact, const EikonalOptions& options,
            const Execution& execution)
        : model(model_),
          slowness(model_, exact),
          solver(model_, options, execution.on(Device::cpu)),
          equations(model_, slowness, options.order, resolve_threads(execution.threads)) {}

    const Model& model;
    NodeSlowness slowness;
    MetricSolver solver;
    MetricEquations equations;
    std::vector<PointSource> sources;
    std::vector<Vec3> places;  ///< of sources, in grid coordinates
    ReceiverHats hats;
    std::vector<Vec3> receivers;  ///< in grid coordinates

    /// tau at a receiver, infinite where no wave arrives, and its slope.
    HatValue tau_at(const Solved& field, std::size_t receiver) const {
        HatSum sum;
        const auto hats_of = hats.hats();
        for (std::size_t n = hats.begin()[receiver]; n < hats.begin()[receiver + 1]; ++n) {
            const ReceiverHat& hat = hats_of[n];
            sum.add(field.tau[hats.nodes()[hat.slot]], hat.weight, hat.gradient);
        }
        return sum.value();
    }
};

namespace {

const Model& solvable(const Model& model) {
    if (!model.coordinates().jumps.empty()) {
        throw InputError(
            "velocity jumps on rows of nodes, whose scheme has no adjoint (gradients at receivers "
            "go by rays)");
    }
    constexpr double most_nodes = 4.29e9;
    if (static_cast<double>(model.grid().node_count()) > most_nodes) {
        throw InputError(fmt::format(
            "a model of {} nodes is too large for the adjoint (must have fewer than 4.2e9)",
            model.grid().node_count()));
    }
    return model;
}

}  // namespace

MetricTimes::MetricTimes(const Model& model, FieldView<const double> exact,
                         std::vector<PointSource> sources, std::vector<Vec3> receivers,
                         const EikonalOptions& options, const Execution& execution) {
    require_all_times(options, "the adjoint needs whole fields: leave it out");
    if (exact.data() != nullptr && exact.shape() != model.given().shape()) {
        throw InputError(fmt::format("slowness has shape {} (must be {}, as the model's velocity)",
                                     to_string(exact.shape()), to_string(model.given().shape())));
    }
    auto problem = std::make_unique<Problem>(solvable(model), exact, options, execution);
    for (const PointSource& source : sources) {
        problem->places.push_back(require_rock(model, source.position, "source"));
    }
    for (Vec3& receiver : receivers) receiver = model.place().inside(receiver, "receiver");
    problem->hats =
        ReceiverHats(model.grid(), receivers, [&](Index3 n) { return !model.is_air(n); });
    problem->sources = std::move(sources);
    problem->receivers = std::move(receivers);
    problem_ = std::move(problem);
}

MetricTimes::~MetricTimes() = default;

std::size_t MetricTimes::source_count() const { return problem_->sources.size(); }
std::size_t MetricTimes::receiver_count() const { return problem_->receivers.size(); }

std::shared_ptr<const MetricTimes::Solved> MetricTimes::solve(std::size_t source,
                                                              const Execution& execution) const {
    const Problem& problem = *problem_;
    const Model& model = problem.model;
    const Shape shape = model.grid().shape;
    const MetricField first =
        problem.solver.solve(problem.sources[source], execution.on(Device::cpu));
    const MetricFactor factor = exact_factor(model, problem.slowness, problem.places[source]);
    auto field = std::make_shared<Solved>(
        factor, problem.sources[source].start_time,
        problem.equations.factor_nodes(factor, resolve_threads(execution.threads)));
    field->tau.assign(first.tau.begin(), first.tau.end());
    field->branch.resize(field->tau.size());
    field->starts = metric_starts(model, problem.slowness, problem.places[source]);
    std::vector<char> given(field->tau.size());
    for (const MetricStart& start : field->starts) {
        const double t0 = field->nodes.t0[start.node];
        field->tau[start.node] = t0 > 0 ? start.time / t0 : 1;
        given[start.node] = 1;
    }
    std::vector<double> time(field->tau.size());
    for (std::size_t n = 0; n < time.size(); ++n) {
        if (!(field->tau[n] < reached_limit<double>)) field->tau[n] = infinite;
        const bool solves = !given[n] && std::isfinite(field->tau[n]) && field->nodes.t0[n] > 0;
        time[n] = field->nodes.t0[n] * field->tau[n];
        if (solves) field->order.push_back(static_cast<std::uint32_t>(n));
    }
    std::stable_sort(field->order.begin(), field->order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time[a] < time[b]; });
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        execution.monitor.check();
        const bool free = sweep < free_sweeps;
        double change = 0;
        field->unsettled = 0;
        for (const std::uint32_t n : field->order) {
            OctantBranch& branch = field->branch[n];
            const auto found = problem.equations.solve(
                field->nodes, field->tau.data(), index_of(shape, n), free ? nullptr : &branch);
            const double now = found.octant.tau;
            if (!(now < reached_limit<double>) || !(found.octant.per > 0)) {
                ++field->unsettled;
                continue;
            }
            const double off = std::abs(now - field->tau[n]) / now;
            change = std::max(change, off);
            if (off > unsettled_change) ++field->unsettled;
            field->tau[n] = now;
            branch = found.octant.branch;
        }
        if (change < settled_change) break;
    }
    return field;
}

double MetricTimes::receiver_time(const Solved& field, std::size_t receiver) const {
    FERMAT_EXPECT(receiver < receiver_count());
    const Vec3 place = problem_->model.mapping().place(problem_->receivers[receiver]);
    const double t0 = field.factor.time(place);
    if (t0 == 0) return field.start_time;
    const HatValue tau = problem_->tau_at(field, receiver);
    return tau.weights == 0 ? infinite : field.start_time + t0 * tau.value;
}

void MetricTimes::write_times(const Solved& field, FieldView<double> times) const {
    for (std::size_t n = 0; n < times.size(); ++n) {
        const double t0 = field.nodes.t0[n];
        times[n] = t0 == 0 ? field.start_time : field.start_time + t0 * field.tau[n];
    }
}

AdjointGradient MetricTimes::nothing() const {
    AdjointGradient out;
    const Shape shape = problem_->model.grid().shape;
    out.slowness = Field<double>(shape, 0.0);
    out.sources.resize(source_count());
    out.start_times.resize(source_count());
    out.receivers.resize(receiver_count());
    const Anisotropy kind = problem_->model.anisotropy().kind;
    const std::size_t values = kind == Anisotropy::none ? 0 : kind == Anisotropy::thomsen ? 5 : 6;
    for (std::size_t n = 0; n < values; ++n) out.anisotropy.emplace_back(shape, 0.0);
    return out;
}

void MetricTimes::add_gradient(const Solved& field, std::size_t source, const TimeDerivatives& by,
                               bool by_position, AdjointGradient& sum,
                               const Execution& execution) const {
    FERMAT_EXPECT(source < source_count());
    const Problem& problem = *problem_;
    const Model& model = problem.model;
    const Grid& grid = model.grid();
    const std::size_t count = field.tau.size();
    std::vector<double> asked(count);  // dJ/dtau that a node has not passed on
    MetricFactorPull pull(count);
    if (by.nodes.data() != nullptr) {
        for (std::size_t n = 0; n < count; ++n) {
            if (by.nodes[n] == 0 || !std::isfinite(field.tau[n])) continue;
            require_derivative(by.nodes[n], "node", n);
            sum.start_times[source] += by.nodes[n];
            asked[n] += by.nodes[n] * field.nodes.t0[n];
            pull.by_t0[n] += by.nodes[n] * field.tau[n];
        }
    }
    for (std::size_t r = 0; r < by.receivers.size(); ++r) {
        const Vec3 q = problem.receivers[r];
        const MetricFactor::Value t0 = field.factor.at(model.mapping().place(q));
        const HatValue tau = problem.tau_at(field, r);
        if (tau.weights == 0 && t0.time > 0) continue;
        require_derivative(by.receivers[r], "receiver", r);
        sum.start_times[source] += by.receivers[r];
        if (t0.time == 0 || by.receivers[r] == 0) continue;
        const double share = by.receivers[r] * t0.time / tau.weights;
        for (std::size_t n = problem.hats.begin()[r]; n < problem.hats.begin()[r + 1]; ++n) {
            const ReceiverHat& hat = problem.hats.hats()[n];
            const std::size_t node = problem.hats.nodes()[hat.slot];
            if (std::isfinite(field.tau[node])) asked[node] += share * hat.weight;
        }
        pull.points.push_back({model.mapping().place(q), by.receivers[r] * tau.value});
        Vec3 slope =
            by.receivers[r] * (t0.time * tau.gradient +
                               tau.value * (transposed(model.mapping().jacobian(q)) * t0.gradient));
        if (grid.is_2d()) slope.y = 0;
        sum.receivers[r] = sum.receivers[r] + by_user(model.mapping(), q, slope);
    }
    sum.unsettled += field.unsettled;

    // Nodes pass on to earlier ones what is asked of them. Where axes couple, a neighbour may be
    // later: then once more.
    double largest = 0;
    for (const double value : asked) largest = std::max(largest, std::abs(value));
    const std::ptrdiff_t strides[3] = {static_cast<std::ptrdiff_t>(grid.shape.y) * grid.shape.z,
                                       grid.shape.z, 1};
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        execution.monitor.check();
        double left = 0;
        for (auto it = field.order.rbegin(); it != field.order.rend(); ++it) {
            const std::size_t n = *it;
            const double share = std::exchange(asked[n], 0.0);
            if (share == 0) continue;
            left = std::max(left, std::abs(share));
            const auto found = problem.equations.solve(field.nodes, field.tau.data(),
                                                       index_of(grid.shape, n), &field.branch[n]);
            const OctantSolution& octant = found.octant;
            if (!(octant.per > 0)) continue;
            for (int axis = 0; axis < 3; ++axis) {
                const bool low = octant.branch.from_low[static_cast<std::size_t>(axis)];
                const std::ptrdiff_t step = low ? -strides[axis] : strides[axis];
                const auto other = [&](int steps) -> double& {
                    return asked[n + static_cast<std::size_t>(steps * step)];
                };
                if (const double part = octant.by_near(axis)) other(1) += share * part;
                if (const double part = octant.by_far(axis)) other(2) += share * part;
            }
            sum.slowness[n] += share * found.f2 * octant.per / problem.slowness[n];
            add_node_anisotropy(model, problem.slowness, field.nodes.t0[n], found, n, share, sum);
            pull.by_t0[n] -= share * found.f2 * octant.per / field.nodes.t0[n];
            const Vec3 by_gamma{octant.by_gamma(0), octant.by_gamma(1), octant.by_gamma(2)};
            pull.by_gamma[n] = pull.by_gamma[n] + share * by_gamma;
            pull.by_gamma[n].z += share * (found.bend_x * by_gamma.x + found.bend_y * by_gamma.y);
        }
        if (!(left > 1e-15 * largest)) break;
    }
    for (const MetricStart& start : field.starts) {
        const double t0 = field.nodes.t0[start.node];
        if (asked[start.node] == 0 || t0 == 0) continue;
        const double by_time = asked[start.node] / t0;
        pull.starts.push_back({start.node, by_time});
        pull.by_t0[start.node] -= by_time * field.tau[start.node];
        add_start(model, problem.slowness, problem.places[source], start, by_time, sum);
    }
    const int threads = resolve_threads(execution.threads);
    if (by_position) {
        const Vec3 q = problem.places[source];
        const Vec3 slope =
            by_source_position(problem.equations, problem.slowness, q, pull, threads);
        sum.sources[source] = sum.sources[source] + by_user(model.mapping(), q, slope);
    }
    if (!model.is_isotropic()) {
        add_factor_shape(problem.equations, problem.slowness, field.factor, pull, threads, sum);
    }
}

void add_to(AdjointGradient& sum, const AdjointGradient& part) {
    const auto add = [](auto& to, const auto& from) {
        for (std::size_t n = 0; n < from.size(); ++n) to[n] = to[n] + from[n];
    };
    add(sum.slowness, part.slowness);
    add(sum.sources, part.sources);
    add(sum.start_times, part.start_times);
    add(sum.receivers, part.receivers);
    for (std::size_t n = 0; n < part.anisotropy.size(); ++n) {
        add(sum.anisotropy[n], part.anisotropy[n]);
    }
    sum.unsettled += part.unsettled;
}

AdjointGradient MetricTimes::gradient(std::span<const std::shared_ptr<const Solved>> fields,
                                      const DeriveTimes& derive, bool by_position,
                                      const Execution& execution) const {
    const int threads = resolve_threads(execution.threads);
    const std::size_t count = source_count();
    const std::size_t at_once = std::min(count, static_cast<std::size_t>(threads));
    Monitor& monitor = execution.monitor;
    monitor.begin("adjoint", static_cast<std::int64_t>(count));
    AdjointGradient sum = nothing();
    for (std::size_t begin = 0; begin < count; begin += at_once) {
        const std::size_t batch = std::min(at_once, count - begin);
        std::vector<AdjointGradient> parts(batch);
        for_each_by_teams(static_cast<std::int64_t>(batch), threads, [&](std::int64_t i, int team) {
            monitor.check();
            const auto slot = static_cast<std::size_t>(i);
            const std::size_t n = begin + slot;
            const Execution own = execution.with_threads(team).heard_by(silent_monitor());
            const auto field = n < fields.size() && fields[n] ? fields[n] : solve(n, own);
            parts[slot] = nothing();
            add_gradient(*field, n, derive(n, *field), by_position, parts[slot], own);
            monitor.advance();
        });
        for (const AdjointGradient& part : parts) add_to(sum, part);
    }
    monitor.end();
    return sum;
}

}  // namespace fermat
