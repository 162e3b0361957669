#include "eikonal/adjoint/metric_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/metric_problem.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

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

bool MetricTimes::on_device() const { return problem_->device; }

MetricTimes::Work MetricTimes::work() const {
    if (!problem_->device) return {};
    const CudaMetricAdjoint::Work found = problem_->cuda->work();
    return {found.seconds, found.passes, found.visits, found.back_seconds, found.back_passes};
}

std::size_t MetricTimes::source_count() const { return problem_->sources.size(); }
std::size_t MetricTimes::receiver_count() const { return problem_->receivers.size(); }

std::shared_ptr<const MetricTimes::Solved> MetricTimes::solve(std::size_t source,
                                                              const Execution& execution) const {
    const Problem& problem = *problem_;
    const Model& model = problem.model;
    const MetricField first =
        problem.solver.solve(problem.sources[source], execution.on(problem.where()));
    auto field =
        std::make_shared<Solved>(exact_factor(model, problem.slowness, problem.places[source]),
                                 problem.sources[source].start_time);
    field->starts = metric_starts(model, problem.slowness, problem.places[source]);
    const auto start_tau = [](const MetricStart& start, double t0) {
        return t0 > 0 ? start.time / t0 : 1;
    };
    if (problem.device) {
        std::vector<CudaMetricAdjoint::Start> starts;
        for (const MetricStart& start : field->starts) {
            const Index3 n = node_index(model.grid().shape, start.node);
            const double t0 = field->factor.time(model.mapping().place(model.grid().position(n)));
            starts.push_back({start.node, start_tau(start, t0)});
        }
        const std::lock_guard lock(problem.one_at_a_time);
        auto carried = problem.cuda->carry_on(field->factor, first.tau, starts);
        field->tau = std::move(carried.tau);
        field->nodes.t0 = std::move(carried.t0);
        field->branch = std::move(carried.branch);
        field->unsettled = carried.unsettled;
        field->number = carried.number;
        return field;
    }
    field->nodes =
        problem.equations->factor_nodes(field->factor, resolve_threads(execution.threads));
    field->tau.assign(first.tau.begin(), first.tau.end());
    for (double& tau : field->tau) {
        if (!(tau < reached_limit<double>)) tau = infinite;
    }
    for (const MetricStart& start : field->starts) {
        field->tau[start.node] = start_tau(start, field->nodes.t0[start.node]);
    }
    problem.sort_nodes(*field);
    problem.settle(*field, execution.monitor);
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
    if (!problem.device) return add_part(field, source, by, by_position, sum, execution);
    const std::lock_guard lock(problem.summing);
    problem.cuda->clear_sums();
    add_part(field, source, by, by_position, sum, execution);
    problem.cuda->add_sums(sum);
}

/// On a device, where the sums by the medium stay there.
void MetricTimes::add_part(const Solved& field, std::size_t source, const TimeDerivatives& by,
                           bool by_position, AdjointGradient& sum,
                           const Execution& execution) const {
    const Problem& problem = *problem_;
    const Model& model = problem.model;
    MetricFactorPull pull;
    if (by.nodes.data() != nullptr) {
        for (std::size_t n = 0; n < field.tau.size(); ++n) {
            if (by.nodes[n] == 0 || !std::isfinite(field.tau[n])) continue;
            require_derivative(by.nodes[n], "node", n);
            sum.start_times[source] += by.nodes[n];
        }
    }
    sum.unsettled += field.unsettled;
    std::unique_lock lock(problem.one_at_a_time, std::defer_lock);
    if (problem.device) lock.lock();
    const std::vector<double> at_starts =
        problem.device ? problem.by_equations_on_device(field, source, by, pull, sum)
                       : problem.by_equations(field, source, by, pull, sum, execution);
    for (std::size_t n = 0; n < at_starts.size(); ++n) {
        const MetricStart& start = field.starts[n];
        if (at_starts[n] == 0) continue;
        pull.starts.push_back({start.node, at_starts[n]});
        add_start(model, problem.slowness, problem.places[source], start, at_starts[n], sum);
    }
    if (by_position) {
        const Vec3 q = problem.places[source];
        const Vec3 slope = by_source_position(model, problem.slowness, q, pull);
        sum.sources[source] = sum.sources[source] + by_user(model.mapping(), q, slope);
    }
    if (!model.is_isotropic()) {
        add_factor_shape(model, problem.slowness, field.factor, pull, sum);
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
    if (on_device()) return gradient_on_device(fields, derive, by_position, execution);
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

AdjointGradient MetricTimes::gradient_on_device(
    std::span<const std::shared_ptr<const Solved>> fields, const DeriveTimes& derive,
    bool by_position, const Execution& execution) const {
    const std::lock_guard lock(problem_->summing);
    Monitor& monitor = execution.monitor;
    monitor.begin("adjoint", static_cast<std::int64_t>(source_count()));
    const Execution quiet = execution.heard_by(silent_monitor());
    AdjointGradient sum = nothing();
    problem_->cuda->clear_sums();
    for (std::size_t n = 0; n < source_count(); ++n) {
        monitor.check();
        const auto field = n < fields.size() && fields[n] ? fields[n] : solve(n, quiet);
        add_part(*field, n, derive(n, *field), by_position, sum, quiet);
        monitor.advance();
    }
    problem_->cuda->add_sums(sum);
    monitor.end();
    return sum;
}

}  // namespace fermat
