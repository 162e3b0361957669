#include "times/times.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/factored_source.hpp"
#include "eikonal/metric/metric_gradient.hpp"
#include "eikonal/time_gradient.hpp"

namespace fermat {

namespace {

/// Grid coordinates of a point of a user, in the closed box.
Vec3 grid_point(const MetricField& field, Vec3 user) { return field.model.place().nearest(user); }

}  // namespace

double ArrivalField::time_at(Vec3 point) const {
    if (const auto* field = std::get_if<MetricField>(&solved_)) {
        return fermat::time_at(*field, grid_point(*field, point));
    }
    if (const auto* field = std::get_if<TimeField>(&solved_)) return fermat::time_at(*field, point);
    const auto& on_graph = std::get<OnGraph>(solved_);
    return fermat::time_at(*on_graph.graph, on_graph.field, point);
}

Vec3 ArrivalField::gradient_at(Vec3 point) const {
    if (const auto* field = std::get_if<MetricField>(&solved_)) {
        return frame_gradient(*field, grid_point(*field, point));
    }
    if (const auto* field = std::get_if<TimeField>(&solved_)) {
        return fermat::gradient_at(field->view(), point);
    }
    const auto& [graph, field] = std::get<OnGraph>(solved_);
    const GraphPath path = graph_path(*graph, field, point);
    if (path.points.size() < 2) return {};
    const Vec3 edge = path.points[0] - path.points[1];
    const double time = path.time - fermat::time_at(*graph, field, path.points[1]);
    return (time / dot(edge, edge)) * edge;
}

Field<float> ArrivalField::on_nodes(int threads) const {
    if (const auto* field = std::get_if<TimeField>(&solved_)) {
        Field<float> times(field->grid.shape);
        write_times(*field, times.view(), threads);
        return times;
    }
    if (const auto* field = std::get_if<MetricField>(&solved_)) {
        Field<float> times(field->grid().shape);
        write_times(*field, times.view(), threads);
        return times;
    }
    const auto& [graph, field] = std::get<OnGraph>(solved_);
    return node_times(*graph, field);
}

std::array<Field<float>, 3> ArrivalField::gradient_on_nodes(int threads) const {
    if (const auto* field = std::get_if<TimeField>(&solved_)) return time_gradient(*field, threads);
    if (const auto* field = std::get_if<MetricField>(&solved_)) {
        return time_gradient(*field, threads);
    }
    throw InputError("the grid graph has no gradient of times on nodes (use `solver=fim`)");
}

void ArrivalField::write_nodes(FieldView<float> times) const {
    if (const auto* field = std::get_if<TimeField>(&solved_)) {
        write_times(*field, times);
        return;
    }
    const Field<float> made = on_nodes();
    std::copy(made.begin(), made.end(), times.data());
}

TimeSolver::TimeSolver(const Model& model, const TimeMethod& method, const Execution& execution)
    : model_(model) {
    if (const auto* eikonal = std::get_if<EikonalOptions>(&method)) {
        eikonal_ = *eikonal;
        if (!model.is_plain()) metric_ = std::make_unique<MetricSolver>(model, eikonal_, execution);
    } else {
        graph_ = std::make_unique<Graph>(model, std::get<GraphOptions>(method), execution);
    }
}

Notes TimeSolver::notes() const {
    Notes notes;
    if (metric_) metric_->tell(notes);
    if (graph_) graph_->tell(notes);
    return notes;
}

void TimeSolver::for_each_field(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, ArrivalField&&)>& consume) const {
    if (graph_) {
        fermat::for_each_field(*graph_, sources, execution, [&](std::size_t n, GraphField&& field) {
            consume(n, ArrivalField(*graph_, std::move(field)));
        });
    } else if (metric_) {
        metric_->for_each_field(sources, execution, [&](std::size_t n, MetricField&& field) {
            consume(n, ArrivalField(std::move(field)));
        });
    } else {
        fermat::for_each_field(
            model_, sources, eikonal_, execution,
            [&](std::size_t n, TimeField&& field) { consume(n, ArrivalField(std::move(field))); });
    }
}

Field<float> TimeSolver::first_arrivals(std::span<const PointSource> sources,
                                        const Execution& execution) const {
    if (metric_) {
        if (sources.empty()) throw InputError("no source is given (at least one is needed)");
        Field<float> earliest(model_.grid().shape, std::numeric_limits<float>::infinity());
        execution.monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
        for (const PointSource& source : sources) {
            const MetricField field = metric_->solve(source, execution);
            Field<float> times(model_.grid().shape);
            write_times(field, times.view(), resolve_threads(execution.threads));
            for (std::size_t n = 0; n < times.size(); ++n) {
                earliest[n] = std::min(earliest[n], times[n]);
            }
            execution.monitor.advance();
        }
        execution.monitor.end();
        return earliest;
    }
    return graph_ ? fermat::first_arrivals(*graph_, sources, execution)
                  : fermat::first_arrivals(model_, sources, eikonal_, execution);
}

std::vector<double> TimeSolver::receiver_times(std::span<const PointSource> sources,
                                               std::span<const Vec3> receivers,
                                               const Execution& execution) const {
    if (!graph_ && !metric_) {
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
    if (sources.size() <= receivers.size()) {
        for_each_field(sources, execution, [&](std::size_t s, const ArrivalField& field) {
            for (std::size_t r = 0; r < receivers.size(); ++r) {
                times[s * receivers.size() + r] = field.time_at(receivers[r]);
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
    for_each_field(from_receivers, execution, [&](std::size_t n, const ArrivalField& field) {
        for (std::size_t s = 0; s < sources.size(); ++s) {
            times[s * receivers.size() + numbers[n]] =
                sources[s].start_time + field.time_at(sources[s].position);
        }
    });
    return times;
}

}  // namespace fermat
