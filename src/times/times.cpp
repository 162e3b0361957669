#include "times/times.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/front.hpp"
#include "eikonal/metric/metric_gradient.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "eikonal/time_gradient.hpp"
#include "graph/graph.hpp"
#include "survey/mapped_points.hpp"
#include "times/arrival_reader.hpp"

namespace fermat {
namespace {

/// Calls the function that knows the kind of a variant's value.
template <class... Functions>
struct Either : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Either(Functions...) -> Either<Functions...>;

/// What a graph was solved to.
struct GraphTimes {
    const Graph* graph;
    GraphField field;
};

/// Grid coordinates of a point of a user, in the closed box.
Vec3 grid_point(const MetricField& field, Vec3 user) { return field.model.place().nearest(user); }

/// The gradient along the last edge of the shortest path.
Vec3 edge_gradient(const Graph& graph, const GraphField& field, Vec3 point) {
    const GraphPath path = graph_path(graph, field, point);
    if (path.points.size() < 2) return {};
    const Vec3 edge = path.points[0] - path.points[1];
    const double time = path.time - time_at(graph, field, path.points[1]);
    return (time / dot(edge, edge)) * edge;
}

template <class Real>
constexpr bool is_single = std::is_same_v<Real, float>;

/// Times and gradients keep the precision of their field.
InputError other_precision() {
    return InputError("times are asked for in another precision than they were solved in");
}

}  // namespace

struct ArrivalField::Solved {
    std::variant<TimeField, BasicTimeField<double>, MetricField, GraphTimes> field;

    template <class Kind>
    Kind* as() {
        return std::get_if<Kind>(&field);
    }
};

ArrivalField::ArrivalField(TimeField&& field) : solved_(new Solved{std::move(field)}) {}
ArrivalField::ArrivalField(BasicTimeField<double>&& field)
    : solved_(new Solved{std::move(field)}) {}
ArrivalField::ArrivalField(MetricField&& field) : solved_(new Solved{std::move(field)}) {}
ArrivalField::ArrivalField(const Graph& graph, GraphField&& field)
    : solved_(new Solved{GraphTimes{&graph, std::move(field)}}) {}
ArrivalField::ArrivalField(ArrivalField&&) noexcept = default;
ArrivalField& ArrivalField::operator=(ArrivalField&&) noexcept = default;
ArrivalField::~ArrivalField() = default;

TimeField* ArrivalField::eikonal() { return solved_->as<TimeField>(); }
BasicTimeField<double>* ArrivalField::exact() { return solved_->as<BasicTimeField<double>>(); }
MetricField* ArrivalField::metric() { return solved_->as<MetricField>(); }
ArrivalField::OnGraph ArrivalField::on_graph() {
    GraphTimes* const on = solved_->as<GraphTimes>();
    return on == nullptr ? OnGraph{} : OnGraph{on->graph, &on->field};
}

double ArrivalField::time_at(Vec3 point) const {
    return std::visit(
        Either{[&](const MetricField& field) {
                   return fermat::time_at(field, grid_point(field, point));
               },
               [&](const GraphTimes& on) { return fermat::time_at(*on.graph, on.field, point); },
               [&](const auto& field) { return fermat::time_at(field, field.grid.clamp(point)); }},
        solved_->field);
}

Vec3 ArrivalField::gradient_at(Vec3 point) const {
    return std::visit(
        Either{[&](const MetricField& field) {
                   return frame_gradient(field, grid_point(field, point));
               },
               [&](const GraphTimes& on) { return edge_gradient(*on.graph, on.field, point); },
               [&](const auto& field) { return fermat::gradient_at(field.view(), point); }},
        solved_->field);
}

template <class Real>
Field<Real> ArrivalField::on_nodes(int threads) const {
    if (const auto* on = solved_->as<GraphTimes>()) {
        if constexpr (is_single<Real>) return node_times(*on->graph, on->field);
    }
    const auto* const metric = solved_->as<MetricField>();
    if (const auto* field = solved_->as<BasicTimeField<Real>>()) {
        Field<Real> times(field->grid.shape);
        write_times(*field, times.view(), threads);
        return times;
    }
    if constexpr (is_single<Real>) {
        if (metric != nullptr) {
            Field<Real> times(metric->grid().shape);
            write_times(*metric, times.view(), threads);
            return times;
        }
    }
    throw other_precision();
}

template <class Real>
Field<Real> ArrivalField::take_nodes(int threads) && {
    if (auto* field = solved_->as<BasicTimeField<Real>>()) {
        return to_times(std::move(*field), threads);
    }
    return on_nodes<Real>(threads);
}

template <class Real>
void ArrivalField::write_nodes(FieldView<Real> times) const {
    if (const auto* field = solved_->as<BasicTimeField<Real>>()) {
        write_times(*field, times);
        return;
    }
    const Field<Real> made = on_nodes<Real>();
    std::copy(made.begin(), made.end(), times.data());
}

template <class Real>
std::array<Field<Real>, 3> ArrivalField::gradient_on_nodes(int threads) const {
    if (solved_->as<GraphTimes>() != nullptr) {
        throw InputError("the grid graph has no gradient of times on nodes (use `solver=fim`)");
    }
    if (const auto* field = solved_->as<BasicTimeField<Real>>()) {
        return time_gradient(*field, threads);
    }
    if constexpr (is_single<Real>) {
        if (const auto* field = solved_->as<MetricField>()) {
            return time_gradient(*field, threads);
        }
    }
    throw other_precision();
}

template Field<float> ArrivalField::on_nodes(int) const;
template Field<double> ArrivalField::on_nodes(int) const;
template Field<float> ArrivalField::take_nodes(int) &&;
template Field<double> ArrivalField::take_nodes(int) &&;
template void ArrivalField::write_nodes(FieldView<float>) const;
template void ArrivalField::write_nodes(FieldView<double>) const;
template std::array<Field<float>, 3> ArrivalField::gradient_on_nodes(int) const;
template std::array<Field<double>, 3> ArrivalField::gradient_on_nodes(int) const;

TimeSolver::TimeSolver(const Model& model, const TimeMethod& method, const Execution& execution,
                       Precision precision)
    : model_(model), precision_(precision) {
    if (const auto* eikonal = std::get_if<EikonalOptions>(&method)) {
        eikonal_ = *eikonal;
        if (precision == Precision::full) require_plain(model, "this computation");
        if (!model.is_plain()) metric_ = std::make_unique<MetricSolver>(model, eikonal_, execution);
    } else {
        if (precision == Precision::full) throw other_precision();
        graph_ = std::make_unique<Graph>(model, std::get<GraphOptions>(method), execution);
    }
}

TimeSolver::~TimeSolver() = default;

Notes TimeSolver::notes() const {
    Notes notes;
    tell(notes);
    return notes;
}

void TimeSolver::tell(Notes& notes) const {
    if (metric_) metric_->tell(notes);
    if (graph_) graph_->tell(notes);
}

ArrivalField TimeSolver::solve(const PointSource& source, const Execution& execution) const {
    if (graph_) return {*graph_, fermat::solve(*graph_, source, execution)};
    if (metric_) return ArrivalField(metric_->solve(source, execution));
    if (precision_ == Precision::full) {
        return ArrivalField(fermat::solve<double>(model_, source, eikonal_, execution));
    }
    return ArrivalField(fermat::solve(model_, source, eikonal_, execution));
}

ArrivalField TimeSolver::solve_front(FieldView<const double> times, const Execution& execution,
                                     Notes& notes) const {
    if (precision_ == Precision::full) {
        return ArrivalField(fermat::solve_front<double>(model_, times, eikonal_, execution, notes));
    }
    return ArrivalField(fermat::solve_front<float>(model_, times, eikonal_, execution, notes));
}

void TimeSolver::for_each_field(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, ArrivalField&&)>& consume) const {
    const auto hand_on = [&](std::size_t n, auto&& field) {
        consume(n, ArrivalField(std::move(field)));
    };
    if (graph_) {
        fermat::for_each_field(*graph_, sources, execution, [&](std::size_t n, GraphField&& field) {
            consume(n, ArrivalField(*graph_, std::move(field)));
        });
    } else if (metric_) {
        metric_->for_each_field(sources, execution, hand_on);
    } else if (precision_ == Precision::full) {
        execution.monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
        for (std::size_t n = 0; n < sources.size(); ++n) {
            consume(n, solve(sources[n], execution));
            execution.monitor.advance();
        }
        execution.monitor.end();
    } else {
        fermat::for_each_field(model_, sources, eikonal_, execution, hand_on);
    }
}

void TimeSolver::for_each_event(
    const Survey& survey, const ArrivalLists& lists, const Execution& execution,
    const std::function<void(std::size_t, ArrivalField&&)>& consume) const {
    std::vector<PointSource> alive;
    std::vector<std::size_t> numbers;
    for (std::size_t e = 0; e < lists.size(); ++e) {
        PointSource source = survey.events[e].source();
        const Vec3 inside = model_.place().nearest(source.position);
        if (lists[e].empty() || in_air(model_, inside)) continue;
        if (model_.is_plain()) source.position = inside;
        alive.push_back(source);
        numbers.push_back(e);
    }
    for_each_field(alive, execution, [&](std::size_t n, ArrivalField&& field) {
        consume(numbers[n], std::move(field));
    });
}

template <class Real>
Field<Real> TimeSolver::first_arrivals(std::span<const PointSource> sources,
                                       const Execution& execution) const {
    if ((precision_ == Precision::single) != is_single<Real>) throw other_precision();
    if constexpr (is_single<Real>) {
        if (graph_) return fermat::first_arrivals(*graph_, sources, execution);
    }
    if (!metric_) return fermat::first_arrivals<Real>(model_, sources, eikonal_, execution);
    if (sources.empty()) throw InputError("no source is given (at least one is needed)");
    Field<Real> earliest(model_.grid().shape, std::numeric_limits<Real>::infinity());
    execution.monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
    for (const PointSource& source : sources) {
        const Field<Real> times =
            solve(source, execution).on_nodes<Real>(resolve_threads(execution.threads));
        for (std::size_t n = 0; n < times.size(); ++n) {
            earliest[n] = std::min(earliest[n], times[n]);
        }
        execution.monitor.advance();
    }
    execution.monitor.end();
    return earliest;
}

template Field<float> TimeSolver::first_arrivals(std::span<const PointSource>,
                                                 const Execution&) const;
template Field<double> TimeSolver::first_arrivals(std::span<const PointSource>,
                                                  const Execution&) const;

std::vector<double> TimeSolver::receiver_times(std::span<const PointSource> sources,
                                               std::span<const Vec3> receivers,
                                               const Execution& execution) const {
    if (!graph_ && !metric_ && precision_ == Precision::single) {
        return fermat::receiver_times(model_, sources, receivers, eikonal_, execution);
    }
    for (const Vec3 receiver : receivers) model_.place().inside(receiver, "receiver");
    return receiver_times_by_fields(sources, receivers, execution);
}

std::vector<double> TimeSolver::receiver_times_by_fields(std::span<const PointSource> sources,
                                                         std::span<const Vec3> receivers,
                                                         const Execution& execution) const {
    std::vector<double> times(sources.size() * receivers.size(),
                              std::numeric_limits<double>::infinity());
    if (sources.size() <= receivers.size() || precision_ == Precision::full) {
        for_each_field(sources, execution, [&](std::size_t s, ArrivalField&& field) {
            const ArrivalReader read(model_, field);
            for (std::size_t r = 0; r < receivers.size(); ++r) {
                times[s * receivers.size() + r] = read.at(receivers[r]);
            }
        });
        return times;
    }
    std::vector<PointSource> from_receivers;
    std::vector<std::size_t> numbers;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        if (in_air(model_, model_.place().nearest(receivers[r]))) continue;
        from_receivers.push_back({receivers[r], 0});
        numbers.push_back(r);
    }
    for (const PointSource& source : sources) require_rock(model_, source.position, "source");
    for_each_field(from_receivers, execution, [&](std::size_t n, ArrivalField&& field) {
        const ArrivalReader read(model_, field);
        for (std::size_t s = 0; s < sources.size(); ++s) {
            times[s * receivers.size() + numbers[n]] =
                sources[s].start_time + read.at(sources[s].position);
        }
    });
    return times;
}

std::vector<double> arrival_times(const Medium& medium, const Survey& survey,
                                  const EikonalOptions& options, const Execution& execution,
                                  Notes* told) {
    validate(survey, medium.first());
    require_phases(medium, survey);
    std::vector<double> times(survey.arrivals.size(), std::numeric_limits<double>::infinity());
    for (const Phase phase : phases_of(survey)) {
        const Model& model = medium.of(phase);
        const TimeSolver solver(model, options, execution);
        ArrivalLists lists = by_event(survey);
        for (auto& list : lists) {
            std::erase_if(list, [&](std::int32_t n) {
                return survey.arrivals[static_cast<std::size_t>(n)].phase != phase;
            });
        }
        solver.for_each_event(survey, lists, execution, [&](std::size_t e, ArrivalField&& field) {
            const ArrivalReader read(model, field);
            for (const std::int32_t number : lists[e]) {
                const auto p = static_cast<std::size_t>(number);
                const Vec3 station = survey.station_of(survey.arrivals[p]).position;
                if (!in_air(model, model.place().nearest(station))) times[p] = read.at(station);
            }
        });
        if (told != nullptr) solver.tell(*told);
    }
    return times;
}

}  // namespace fermat
