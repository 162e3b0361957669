#include "eikonal/metric/metric_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/metric/layered_section.hpp"
#include "eikonal/metric/metric_cuda.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "eikonal/metric/refined_box.hpp"
#include "eikonal/metric/tile_schedule.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// A source before its solve.
struct MetricSolver::Prepared {
    MetricField field;
    SourceNumbers of;
    NodeNumbers numbers;
};

/// The memory of the device serves one batch at a time.
struct MetricSolver::OnCuda {
    explicit OnCuda(CudaMetric made) : solver(std::move(made)) {}

    std::mutex one_at_a_time;
    CudaMetric solver;
};

namespace {

constexpr int most_ellipses = 12;
constexpr float most_swing = 1e-3F;  ///< of a time that counts as settled

void mark_unreached(FieldView<float> tau) {
    for (float& value : tau) {
        if (!(value < reached_limit<float>)) value = std::numeric_limits<float>::infinity();
    }
}

/// Behind a jump at distance b, tau varies as b / r, and the error of differences is of the order
/// (h / r)^2 b: so times within `start_reach` steps of the source come from a grid of half the
/// steps, and those within as many of its steps from the next.
bool needs_finer_start(int halvings, double rows) {
    constexpr double enough = 8;
    return halvings < 2 || (halvings < 4 && rows < enough);
}
constexpr int section_reach = 32;
int start_reach(int halvings, bool is_2d) {
    if (!is_2d) return 8;
    return halvings < 2 ? 32 : 16;
}

}  // namespace

MetricSolver::MetricSolver(const Model& model, const EikonalOptions& options,
                           const Execution& execution)
    : model_(model), options_(options) {
    validate(options);
    if (options.solver != Solver::fim) {
        require_plain(model, fmt::format("solver '{}'", name_of(options.solver)));
    }
    const bool jumps = !model.metric()->coordinates().jumps.empty();
    const bool device =
        on_cuda(execution.device,
                jumps ? "velocity jumps on rows of nodes, which is solved on the CPU" : "");
    medium_ = std::make_shared<const NodeMedium>(model_, resolve_threads(execution.threads));
    if (device) {
        // The tensors of Thomsen's medium belong to one source. Others have six fields each in the
        // host's memory.
        const std::size_t batch = model_.metric()->has_thomsen()
                                      ? 1
                                      : std::max<std::size_t>(1, filling_batch(model_.grid()) / 4);
        cuda_ = std::make_shared<OnCuda>(
            CudaMetric(medium_->numbers({}, model_.grid().origin), options.order, batch));
    }
}

double MetricSolver::device_seconds() const { return cuda_ ? cuda_->solver.work().seconds : 0; }

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

void MetricSolver::require_settled(int rounds, float change) const {
    if (change <= most_swing) return;
    throw UnsettledTimes(fmt::format(
        "times in {} do not settle: one still changes by {:.2g} of itself after {} visits "
        "(smooth the jumps of the model, refine the grid, or use `order=1`)",
        model_.metric()->name(), change, rounds));
}

void MetricSolver::solve_on_cpu(SourceNumbers& of, const NodeNumbers& numbers, FieldView<float> tau,
                                int threads, Monitor& monitor) const {
    MetricTiles tiles(numbers, tau.data(), threads);
    MetricTiles::Settled settled;
    bool from_first_order = medium_->long_cells() || numbers.jumps != nullptr;
    if (!from_first_order) {
        settled = tiles.settle(options_.order, monitor);
        from_first_order = settled.swing > 0;
        if (from_first_order) tiles.restart();
    }
    if (from_first_order) {
        tiles.first_order(monitor);
        settled = tiles.settle(options_.order, monitor);
    }
    if (numbers.jumps != nullptr && options_.order == 2 && settled.swing > most_swing) {
        tiles.restart();
        tiles.leave_out_jump_slopes();
        ++*coarse_;
        tiles.first_order(monitor);
        settled = tiles.settle(options_.order, monitor);
    }
    mark_unreached(tau);
    for (int n = 0; n < most_ellipses && model_.metric()->has_thomsen(); ++n) {
        constexpr float quiet = 1.5e-6F;
        medium_->touch({tau.data(), model_.grid().shape}, of, threads);
        tiles.renew();
        settled = tiles.settle(options_.order, monitor);
        mark_unreached(tau);
        if (settled.change < quiet) break;
    }
    require_settled(fim_free_visits, settled.swing);
}

void MetricSolver::solve_on_cuda(std::span<Prepared> sources, int threads) const {
    const std::lock_guard lock(cuda_->one_at_a_time);
    CudaMetric& solver = cuda_->solver;
    std::vector<CudaMetric::Shot> shots;
    for (Prepared& source : sources) {
        shots.push_back({source.numbers, {source.field.tau.data(), medium_->shape()}});
    }
    if (!model_.metric()->has_thomsen()) {
        solver.solve(shots);
        return;
    }
    constexpr float quiet = 1.5e-6F;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        const FieldView<float> tau{sources[n].field.tau.data(), model_.grid().shape};
        solver.replace_tensors(sources[n].numbers);
        solver.solve(std::span(shots).subspan(n, 1));
        float change = 0;
        int rounds = 0;
        do {
            medium_->touch(tau, sources[n].of, threads);
            solver.replace_tensors(sources[n].numbers);
            change = solver.settle_again(shots[n]);
            ++rounds;
        } while (change > quiet && rounds < most_ellipses);
        require_settled(rounds, change);
    }
}

MetricField MetricSolver::finer_field(const Model& model, Vec3 source, int halvings,
                                      const Execution& execution) const {
    EikonalOptions options = options_;
    options.until = std::numeric_limits<double>::infinity();
    MetricSolver finer(model, options, execution);
    finer.halvings_ = halvings;
    return finer.solve_from(source, 0, execution);
}

int MetricSolver::start_finer(const MetricFactor& factor, SourceNumbers& of,
                              const Execution& execution) const {
    const auto& jumps = model_.metric()->coordinates().jumps;
    if (jumps.empty() || options_.order == 1) return 0;
    const Grid& grid = model_.grid();
    const Vec3 source = factor.position();
    const auto take = [&](Index3 low, Index3 high, auto tau_of) {
        // Differences of second order beside a row of jumps need its slopes, which start nodes
        // lack.
        if (low.z > 0 && jumps[static_cast<std::size_t>(low.z)] != 1) ++low.z;
        if (high.z + 1 < grid.shape.z && jumps[static_cast<std::size_t>(high.z)] != 1) --high.z;
        for (int i = low.x; i <= high.x; ++i) {
            for (int j = low.y; j <= high.y; ++j) {
                for (int k = low.z; k <= high.z; ++k) {
                    const std::size_t node = grid.shape.offset({i, j, k});
                    of.fields[static_cast<std::size_t>(NodeNumber::tau)][node] =
                        tau_of(Index3{i, j, k});
                    of.fields[static_cast<std::size_t>(NodeNumber::f2)][node] = -1;
                }
            }
        }
    };
    if (const auto section = layered_section(model_, source, section_reach)) {
        const MetricField field = finer_field(section->model, section->source, 1, execution);
        take(section->first, section->last, [&](Index3 n) {
            const Vec3 q = grid.position(n);
            const Vec3 place = model_.metric()->mapping().place(q);
            return static_cast<float>(tau_at(field.tau_view(), section->point(place, q.z)));
        });
        return section_reach + 1;
    }
    const Vec3 at = grid.to_index(source);
    if (!needs_finer_start(halvings_, rows_to_jump(jumps, at.z))) return 0;
    const int reach = start_reach(halvings_, grid.is_2d());
    // Waves that leave the box and come back could be earlier beyond the middle of it only.
    const auto box = refined_box(model_, source, 2 * reach);
    if (!box) return 0;
    const MetricField field = finer_field(box->model, source, halvings_ + 1, execution);
    Index3 low = box->first;
    Index3 high = box->last;
    for (int axis = 0; axis < 3; ++axis) {
        const int centre = static_cast<int>(std::lround(at[axis]));
        low[axis] = std::max(low[axis], centre - reach);
        high[axis] = std::min(high[axis], centre + reach);
    }
    take(low, high, [&](Index3 n) { return field.tau(box->inside(n)); });
    return reach + 1;
}

MetricField MetricSolver::solve(const PointSource& source, const Execution& execution) const {
    return solve_from(require_source(source.position), source.start_time, execution);
}

MetricSolver::Prepared MetricSolver::prepare(Vec3 source, double start_time,
                                             const Execution& execution) const {
    Prepared out{
        {model_, MetricFactor(model_, source), start_time, Field<float>(model_.grid().shape)},
        {},
        {}};
    const MetricFactor& factor = out.field.factor;
    out.of = medium_->fields_of(factor, resolve_threads(execution.threads));
    const int started = start_finer(factor, out.of, execution);
    out.numbers = medium_->numbers(out.of, factor.position());
    out.numbers.start_reach = std::max(out.numbers.start_reach, started);
    return out;
}

MetricField MetricSolver::finished(Prepared&& prepared) const {
    MetricField field = std::move(prepared.field);
    if (!std::isfinite(options_.until)) return field;
    const Grid& grid = model_.grid();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                if (!(time_at(field, grid.position({i, j, k})) > options_.until)) continue;
                field.tau(i, j, k) = std::numeric_limits<float>::infinity();
            }
        }
    }
    return field;
}

MetricField MetricSolver::solve_from(Vec3 source, double start_time,
                                     const Execution& execution) const {
    const int threads = resolve_threads(execution.threads);
    Prepared prepared = prepare(source, start_time, execution);
    if (cuda_) {
        solve_on_cuda(std::span(&prepared, 1), threads);
    } else {
        const FieldView<float> tau{prepared.field.tau.data(), medium_->shape()};
        solve_on_cpu(prepared.of, prepared.numbers, tau, threads, execution.monitor);
    }
    return finished(std::move(prepared));
}

void MetricSolver::for_each_batch(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, MetricField&&)>& consume) const {
    const std::size_t batch = cuda_->solver.batch();
    for (std::size_t first = 0; first < sources.size(); first += batch) {
        execution.monitor.check();
        const std::size_t count = std::min(batch, sources.size() - first);
        std::vector<Prepared> prepared;
        for (std::size_t n = first; n < first + count; ++n) {
            prepared.push_back(
                prepare(require_source(sources[n].position), sources[n].start_time, execution));
        }
        solve_on_cuda(prepared, resolve_threads(execution.threads));
        for (std::size_t n = 0; n < count; ++n) {
            consume(first + n, finished(std::move(prepared[n])));
            execution.monitor.advance();
        }
    }
}

void MetricSolver::for_each_field(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, MetricField&&)>& consume) const {
    for (const PointSource& source : sources) require_source(source.position);
    Monitor& monitor = execution.monitor;
    const auto count = static_cast<std::int64_t>(sources.size());
    monitor.begin("first arrivals", count);
    const auto one = [&](std::int64_t i, int team) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        consume(n, solve(sources[n], execution.with_threads(team)));
        monitor.advance();
    };
    if (cuda_) {
        for_each_batch(sources, execution, consume);
    } else {
        for_each_by_teams(count, resolve_threads(execution.threads), one);
    }
    monitor.end();
}

}  // namespace fermat
