#include "eikonal/metric/metric_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {
namespace {

constexpr std::size_t at(NodeNumber number) { return static_cast<std::size_t>(number); }

/// The axis of the sweeps for an axis of the grid. Registers lie across the last two axes of the
/// sweeps, so in 2-D these are x and z, and the first has one node.
int sweep_axis(const Grid& grid, int axis) { return grid.is_2d() && axis < 2 ? 1 - axis : axis; }

NodeNumber cross_number(int a, int b) {
    const int sum = a + b;
    return sum == 1 ? NodeNumber::xy : sum == 2 ? NodeNumber::xz : NodeNumber::yz;
}

/// Steps of a node along the directions of the frame, in nodes of the grid.
Mat3 steps_of(const Grid& grid, const Mat3& jacobian, const Mat3& frame) {
    Mat3 step = inverse(jacobian) * frame;
    for (int axis = 0; axis < 3; ++axis) {
        for (int c = 0; c < 3; ++c) step(axis, c) /= grid.spacing[axis];
    }
    return step;
}

template <class Visit>
void each_line(const Model& model, int threads, Visit visit) {
    const Grid& grid = model.grid();
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        std::vector<MappedPoint> line(static_cast<std::size_t>(grid.shape.z));
        for (int j = 0; j < grid.shape.y; ++j) {
            model.metric()->mapping().line(grid, i, j, line);
            visit(i, j, std::span<const MappedPoint>(line));
        }
    });
}

bool couples_axes(const Metric& metric) {
    return !metric.isotropic() || metric.coordinates().system == Coordinates::terrain;
}

}  // namespace

MetricSolver::MetricSolver(const Model& model, const EikonalOptions& options,
                           const Execution& execution)
    : model_(model), options_(options) {
    validate(options);
    if (options.solver != Solver::fim) {
        require_plain(model, fmt::format("solver '{}'", name_of(options.solver)));
    }
    if (execution.device == Device::cuda) require_plain(model, "`device=cuda`");
    make_tensors(resolve_threads(execution.threads));
}

Shape MetricSolver::solver_shape() const {
    const Shape shape = model_.grid().shape;
    return model_.grid().is_2d() ? Shape{1, shape.x, shape.z} : shape;
}

void MetricSolver::put_tensor(NodeFields& fields, std::size_t node, const Mat3& step,
                              const Mat3& tensor, double velocity) const {
    const Grid& grid = model_.grid();
    Mat3 m = (velocity * velocity) * (step * tensor * transposed(step));
    if (grid.is_2d()) {
        for (int axis = 0; axis < 3; ++axis) m(1, axis) = m(axis, 1) = 0;
    }
    const double mean = (m(0, 0) + m(1, 1) + m(2, 2)) / grid.dimensions();
    if (grid.is_2d()) m(1, 1) = mean;
    const double per = mean > 0 ? 1 / mean : 0;
    const bool full = !fields[at(NodeNumber::xy)].empty();
    for (int a = 0; a < 3; ++a) {
        const int to = sweep_axis(grid, a);
        fields[static_cast<std::size_t>(to)][node] =
            mean > 0 ? static_cast<float>(per * m(a, a)) : 1.0F;
        for (int b = 0; b < a && full; ++b) {
            fields[at(cross_number(to, sweep_axis(grid, b)))][node] =
                static_cast<float>(per * m(a, b));
        }
    }
}

void MetricSolver::make_tensors(int threads) {
    const Grid& grid = model_.grid();
    const Metric& metric = *model_.metric();
    const bool full = couples_axes(metric);
    for (const NodeNumber number : {NodeNumber::xx, NodeNumber::yy, NodeNumber::zz}) {
        tensors_[at(number)] = Field<float>(solver_shape());
    }
    for (const NodeNumber number : {NodeNumber::xy, NodeNumber::xz, NodeNumber::yz}) {
        if (full) tensors_[at(number)] = Field<float>(solver_shape());
    }
    mean_ = Field<float>(grid.shape);
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Index3 index{i, j, k};
            const std::size_t node = grid.shape.offset(index);
            const double v = model_.velocity()(index);
            const Mat3 step = steps_of(grid, line[static_cast<std::size_t>(k)].jacobian,
                                       metric.mapping().frame(grid.position(index)));
            const Mat3 tensor = metric.tensor(node);
            put_tensor(tensors_, node, step, tensor, v);
            const Mat3 m = step * tensor * transposed(step);
            const double trace = m(0, 0) + m(2, 2) + (grid.is_2d() ? 0 : m(1, 1));
            mean_[node] = static_cast<float>(v * v * trace / grid.dimensions());
        }
    });
}

NodeFields MetricSolver::fields_of(const MetricFactor& factor, int threads) const {
    const Grid& grid = model_.grid();
    NodeFields fields;
    for (std::size_t n = 0; n < node_numbers; ++n) {
        const bool own = n >= at(NodeNumber::gamma_x);
        if (own) fields[n] = Field<float>(solver_shape());
        if (!own && !tensors_[n].empty()) fields[n] = tensors_[n].copy();
    }
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const std::size_t node = grid.shape.offset(i, j, k);
            const MappedPoint& here = line[static_cast<std::size_t>(k)];
            const MetricFactor::Value t0 = factor.at(here.place);
            const double per = t0.time > 0 ? 1 / t0.time : 0;
            const Vec3 slope = transposed(here.jacobian) * t0.gradient;
            for (int axis = 0; axis < 3; ++axis) {
                const bool absent = axis == 1 && grid.is_2d();
                fields[at(NodeNumber::gamma_x) + static_cast<std::size_t>(sweep_axis(grid, axis))]
                      [node] = absent ? 0.0F
                                      : static_cast<float>(grid.spacing[axis] * slope[axis] * per);
            }
            const double mean = mean_[node];
            const bool dead = !(mean > 0) || t0.time == 0;
            fields[at(NodeNumber::f2)][node] = dead ? -1.0F : static_cast<float>(per * per / mean);
            fields[at(NodeNumber::tau)][node] = unreached<float>;
        }
    });
    return fields;
}

void MetricSolver::set_starts(const MetricFactor& factor, NodeFields& fields) const {
    const Grid& grid = model_.grid();
    const Vec3 where = grid.to_index(factor.position());
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        constexpr double reach = 1 + 1e-6;
        first[axis] = std::max(0, static_cast<int>(std::ceil(where[axis] - reach)));
        last[axis] =
            std::min(grid.shape[axis] - 1, static_cast<int>(std::floor(where[axis] + reach)));
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 index{i, j, k};
                if (model_.is_air(index)) continue;
                const Vec3 q = grid.position(index);
                const double t0 = factor.at(model_.metric()->mapping().place(q)).time;
                const double time = straight_time(model_, factor.position(), q);
                if (!std::isfinite(time)) continue;
                const std::size_t node = grid.shape.offset(index);
                fields[at(NodeNumber::tau)][node] = t0 > 0 ? static_cast<float>(time / t0) : 1.0F;
                fields[at(NodeNumber::f2)][node] = -1;
            }
        }
    }
}

void MetricSolver::touch(const MetricField& field, NodeFields& fields, int threads) const {
    const Grid& grid = model_.grid();
    const Metric& metric = *model_.metric();
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Index3 index{i, j, k};
            const std::size_t node = grid.shape.offset(index);
            const double tau = field.tau[node];
            if (!std::isfinite(tau)) continue;
            const MappedPoint& here = line[static_cast<std::size_t>(k)];
            const MetricFactor::Value t0 = field.factor.at(here.place);
            Vec3 slope;
            for (int axis = 0; axis < 3; ++axis) {
                if (axis == 1 && grid.is_2d()) continue;
                slope[axis] =
                    t0.time * tau_slope(field.tau_view(), index, axis) / grid.spacing_along(axis);
            }
            slope = slope + tau * (transposed(here.jacobian) * t0.gradient);
            const Mat3 frame = metric.mapping().frame(grid.position(index));
            const Vec3 slowness = transposed(inverse(here.jacobian) * frame) * slope;
            const Mat3 step = steps_of(grid, here.jacobian, frame);
            const Mat3 tensor = metric.tensor(node, slowness);
            const double v = model_.velocity()(index);
            put_tensor(fields, node, step, tensor, v);
            const Mat3 m = step * tensor * transposed(step);
            const double trace = m(0, 0) + m(2, 2) + (grid.is_2d() ? 0 : m(1, 1));
            float& f2 = fields[at(NodeNumber::f2)][node];
            if (f2 > 0) {
                f2 = static_cast<float>(grid.dimensions() / (v * v * trace * t0.time * t0.time));
            }
        }
    });
}

Vec3 MetricSolver::inside(Vec3 user, const std::string& what) const {
    const Grid& grid = model_.grid();
    if (grid.is_2d()) user.y = grid.origin.y;
    const Vec3 q = model_.metric()->mapping().to_grid(user);
    if (!grid.contains(q)) {
        const Mapping& mapping = model_.metric()->mapping();
        throw InputError(fmt::format("{} at {} lies outside the grid, which goes from {} to {}",
                                     what, to_string(grid, user),
                                     to_string(grid, mapping.to_user(grid.origin)),
                                     to_string(grid, mapping.to_user(grid.far_corner()))));
    }
    return grid.clamp(q);
}

Vec3 MetricSolver::require_source(Vec3 user) const {
    const Vec3 q = inside(user, "source");
    if (in_air(model_, q)) {
        throw InputError(fmt::format("source at {} is in air (move it below the surface)",
                                     to_string(model_.grid(), user)));
    }
    return q;
}

void MetricSolver::require_settled(const MetricSweeps::Settled& settled) const {
    constexpr float most = 1e-3F;
    if (settled.change <= most) return;
    throw ComputeError(fmt::format(
        "times in {} do not settle: one still changes by {:.2g} of itself after {} rounds "
        "(smooth the jumps of the model, refine the grid, or use `order=1`)",
        model_.metric()->name(), settled.change, settled.rounds));
}

MetricField MetricSolver::solve(const PointSource& source, const Execution& execution) const {
    const int threads = resolve_threads(execution.threads);
    MetricField field{model_, MetricFactor(model_, require_source(source.position)),
                      source.start_time, Field<float>(model_.grid().shape)};
    NodeFields fields = fields_of(field.factor, threads);
    const bool thomsen = model_.metric()->has_thomsen();
    if (thomsen) {
        // The first ellipses are those of the homogeneous medium.
        std::fill(field.tau.begin(), field.tau.end(), 1.0F);
        touch(field, fields, threads);
    }
    set_starts(field.factor, fields);
    MetricSweeps sweeps(fields, threads);
    sweeps.first_order(execution.monitor);
    MetricSweeps::Settled settled = sweeps.settle(options_.order, execution.monitor);
    sweeps.copy_to({field.tau.data(), solver_shape()});
    if (thomsen) {
        constexpr int most_ellipses = 12;
        for (int n = 0; n < most_ellipses; ++n) {
            touch(field, fields, threads);
            sweeps.replace_tensors(fields);
            settled = sweeps.settle(options_.order, execution.monitor);
            sweeps.copy_to({field.tau.data(), solver_shape()});
            if (settled.rounds <= 1) break;
        }
    }
    require_settled(settled);
    if (std::isfinite(options_.until)) {
        for (std::size_t n = 0; n < field.tau.size(); ++n) {
            const Shape s = model_.grid().shape;
            const auto y = static_cast<std::size_t>(s.y);
            const auto z = static_cast<std::size_t>(s.z);
            const Vec3 q =
                model_.grid().position({static_cast<int>(n / (y * z)), static_cast<int>(n / z % y),
                                        static_cast<int>(n % z)});
            if (time_at(field, q) > options_.until) {
                field.tau[n] = std::numeric_limits<float>::infinity();
            }
        }
    }
    return field;
}

void MetricSolver::for_each_field(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, MetricField&&)>& consume) const {
    for (const PointSource& source : sources) require_source(source.position);
    Monitor& monitor = execution.monitor;
    const auto count = static_cast<std::int64_t>(sources.size());
    monitor.begin("first arrivals", count);
    for_each_by_teams(count, resolve_threads(execution.threads), [&](std::int64_t i, int team) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        consume(n, solve(sources[n], execution.with_threads(team)));
        monitor.advance();
    });
    monitor.end();
}

}  // namespace fermat
