#include "eikonal/metric/metric_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/metric/ellipse_march.hpp"
#include "eikonal/metric/ground_march.hpp"
#include "eikonal/metric/metric_cuda.hpp"
#include "eikonal/metric/node_frames.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "eikonal/metric/tile_schedule.hpp"
#include "eikonal/resolution.hpp"
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
    bool makes_factors = false;  ///< the numbers of sources, but their start nodes
};

namespace {

constexpr int most_ellipses = 12;
constexpr float most_swing = 1e-3F;      ///< of a time that counts as settled
constexpr float quiet_change = 1.5e-6F;  ///< of times that need no other ellipses

void mark_unreached(FieldView<float> tau) {
    for (float& value : tau) {
        if (!(value < reached_limit<float>)) value = std::numeric_limits<float>::infinity();
    }
}

/// The marches through cells, which take some twenty times as long as the tiles, and in 3-D more.
bool can_march(const Model& model) {
    return can_march_below_ground(model) || can_march_through_ellipses(model);
}

/// Behind corners of the ground differences along rows are poor, and swing; in long ellipses the
/// octants of nodes do.
bool marches_through_cells(const Model& model, const EikonalOptions& options) {
    if (options.order != 2) return false;
    if (can_march_through_ellipses(model)) return has_long_tilted_ellipses(model);
    const double sharp = model.grid().is_2d() ? 0.2 : 0.5;
    return can_march_below_ground(model) && sharpest_corner(model) > sharp;
}

void march_through_cells(const Model& model, const MetricFactor& factor, int order,
                         FieldView<float> tau, Monitor& monitor) {
    if (can_march_through_ellipses(model)) {
        return march_through_ellipses(model, factor, order, tau, monitor);
    }
    march_below_ground(model, factor, order, tau, monitor);
}

}  // namespace

MetricSolver::MetricSolver(const Model& model, const EikonalOptions& options,
                           const Execution& execution)
    : model_(model), options_(options) {
    validate(options);
    if (options.solver != Solver::fim) {
        require_plain(model, fmt::format("solver '{}'", name_of(options.solver)));
    }
    require_contrast(model);
    marches_ = marches_through_cells(model_, options_);
    const bool device = on_cuda(options, execution.device, model);
    medium_ = std::make_shared<const NodeMedium>(model_, resolve_threads(execution.threads));
    if (options.order == 2) layers_ = nearest_layers(model_);
    if (device) {
        // The tensors of Thomsen's medium belong to one source. Others have six fields each in the
        // host's memory.
        const std::size_t batch =
            model_.has_thomsen() ? 1 : std::max<std::size_t>(1, filling_batch(model_.grid()) / 4);
        // T0 is made on the device but in Thomsen's medium.
        std::optional<NodeFrames> frames;
        if (!model_.has_thomsen()) {
            frames = node_frames(model_.place(), resolve_threads(execution.threads));
        }
        cuda_ =
            std::make_shared<OnCuda>(CudaMetric(medium_->numbers({}, model_.grid().origin),
                                                frames ? &*frames : nullptr, options.order, batch));
        cuda_->makes_factors = frames.has_value();
    }
}

double MetricSolver::device_seconds() const { return cuda_ ? cuda_->solver.work().seconds : 0; }

namespace {

/// One source's waves on the tiles of the CPU.
class CpuWaves {
  public:
    CpuWaves(const Model& model, const NodeMedium& medium, SourceNumbers& of,
             const NodeNumbers& numbers, FieldView<float> tau, int threads, Monitor& monitor)
        : thomsen_(model.has_thomsen()),
          grid_shape_(model.grid().shape),
          medium_(medium),
          of_(of),
          numbers_(numbers),
          tau_(tau),
          threads_(threads),
          monitor_(monitor),
          tiles_(numbers, tau.data(), threads) {}

    /// From the start nodes. Returns whether times settle.
    bool solve(int order) {
        MetricTiles::Settled settled;
        bool from_first_order = medium_.long_cells() || numbers_.jumps != nullptr;
        if (!from_first_order) {
            settled = tiles_.settle(order, monitor_);
            from_first_order = settled.swing > 0;
            if (from_first_order) tiles_.restart();
        }
        if (from_first_order) settled = after_first_order(order);
        const bool has_slopes = numbers_.jumps != nullptr && numbers_.gamma_below == nullptr;
        if (has_slopes && order == 2 && settled.swing > most_swing) {
            coarse_beside_jumps_ = true;
            tiles_.restart();
            tiles_.leave_out_jump_slopes();
            settled = after_first_order(order);
        }
        mark_unreached(tau_);
        const auto again = [&] { return tiles_.settle(order, monitor_); };
        return touched(settled, again).swing <= most_swing;
    }
    /// In any medium.
    void solve_to_first_order() {
        const auto fall = [&] {
            tiles_.restart();
            tiles_.first_order(monitor_);
            return tiles_.fall_to_first_order(monitor_);
        };
        const MetricTiles::Settled settled = fall();
        mark_unreached(tau_);
        touched(settled, fall);
    }
    bool coarse_beside_jumps() const { return coarse_beside_jumps_; }

  private:
    MetricTiles::Settled after_first_order(int order) {
        tiles_.first_order(monitor_);
        return tiles_.settle(order, monitor_);
    }
    /// The ellipses of Thomsen's medium touch its slowness surface where the times say.
    template <class Again>
    MetricTiles::Settled touched(MetricTiles::Settled settled, Again again) {
        for (int n = 0; n < most_ellipses && thomsen_; ++n) {
            medium_.touch({tau_.data(), grid_shape_}, of_, threads_);
            tiles_.renew();
            settled = again();
            mark_unreached(tau_);
            if (settled.change < quiet_change) break;
        }
        return settled;
    }

    bool thomsen_;
    Shape grid_shape_;  ///< in 2-D that of the medium has its axes in another order
    const NodeMedium& medium_;
    SourceNumbers& of_;
    const NodeNumbers& numbers_;
    FieldView<float> tau_;
    int threads_;
    Monitor& monitor_;
    MetricTiles tiles_;
    bool coarse_beside_jumps_ = false;
};

}  // namespace

void MetricSolver::solve_on_cpu(Prepared& source, int threads, Monitor& monitor) const {
    MetricField& field = source.field;
    const auto march = [&] {
        march_through_cells(model_, field.factor, options_.order, field.tau.view(), monitor);
    };
    if (marches_) return march();
    CpuWaves waves(model_, *medium_, source.of, source.numbers,
                   {field.tau.data(), medium_->shape()}, threads, monitor);
    const bool settled = waves.solve(options_.order);
    field.coarse_beside_jumps = settled && waves.coarse_beside_jumps();
    if (settled) return;
    if (can_march(model_)) return march();
    waves.solve_to_first_order();
    field.first_order = options_.order == 2;
}

std::string MetricSolver::what_is_rough() const {
    const bool terrain = model_.coordinates().system == Coordinates::terrain;
    return terrain ? "the ground or the model" : "the model";
}

void MetricSolver::tell(Notes& notes) const {
    const auto counted = [](int count) {
        return fmt::format("times of {} {} are of first order", count,
                           count == 1 ? "source" : "sources");
    };
    constexpr double march_per_node = 80e-6;  // seconds, in 3-D
    constexpr double long_march = 5;
    const double march = march_per_node * static_cast<double>(model_.grid().node_count());
    if (marches_ && !model_.grid().is_2d() && march > long_march) {
        notes.add(
            fmt::format("the ground turns down by more than 29 degrees, so times are made through "
                        "the cells of the "
                        "grid, on one thread per source (some {:.0f} s each; a smoother ground, or "
                        "the less exact "
                        "`order=1`, is some twenty times as fast)",
                        march));
    }
    if (const int count = first_order_->everywhere) {
        notes.add(fmt::format(
            "{}, because the second did not settle (less exact, by a few parts in a thousand to a "
            "few in a hundred; smooth {} for the second order, or use `order=1` for all)",
            counted(count), what_is_rough()));
    }
    if (const int count = first_order_->beside_jumps) {
        notes.add(fmt::format(
            "{} beside jumps of velocity, where they did not settle otherwise (a few parts in a "
            "thousand; rows closer together, `spacing`, may settle)",
            counted(count)));
    }
}

void MetricSolver::solve_on_cuda(std::span<Prepared> sources, const Execution& execution) const {
    const std::lock_guard lock(cuda_->one_at_a_time);
    const int threads = resolve_threads(execution.threads);
    CudaMetric& solver = cuda_->solver;
    const Grid& grid = model_.grid();
    const Vec3 steps = steps_along(grid);
    std::vector<CudaMetric::Shot> shots;
    for (Prepared& source : sources) {
        const MetricFactor& factor = source.field.factor;
        shots.push_back({source.numbers,
                         {source.field.tau.data(), medium_->shape()},
                         {factor.place(), factor.ellipse(), steps, grid.is_2d()}});
    }
    std::vector<std::size_t> unsettled;
    if (marches_) {
        for (std::size_t n = 0; n < sources.size(); ++n) unsettled.push_back(n);
    } else if (!model_.has_thomsen()) {
        solver.solve(shots);
        unsettled = solver.unsettled(shots, most_swing);
    }
    for (std::size_t n = 0; n < sources.size() && model_.has_thomsen(); ++n) {
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
        } while (change > quiet_change && rounds < most_ellipses);
        if (change > most_swing) unsettled.push_back(n);
    }
    for (const std::size_t n : unsettled) {
        Prepared& source = sources[n];
        if (cuda_->makes_factors) {
            source.of = medium_->fields_of(source.field.factor, threads);
            source.numbers = medium_->numbers(source.of, source.field.factor.position());
        }
        solve_on_cpu(source, threads, execution.monitor);
    }
}

MetricField MetricSolver::solve(const PointSource& source, const Execution& execution) const {
    return solve_from(require_rock(model_, source.position, "source"), source.start_time,
                      execution);
}

MetricSolver::Prepared MetricSolver::prepare(Vec3 source, double start_time,
                                             const Execution& execution) const {
    Prepared out{
        {model_, MetricFactor(model_, source), start_time, Field<float>(model_.grid().shape)},
        {},
        {}};
    const MetricFactor& factor = out.field.factor;
    if (cuda_ && cuda_->makes_factors) {
        out.of = medium_->starts_of(factor);
        out.numbers = medium_->numbers(out.of, factor.position());
        return out;
    }
    out.of = medium_->fields_of(factor, resolve_threads(execution.threads));
    const int started = start_finer(out.field, out.of, execution);
    out.numbers = medium_->numbers(out.of, factor.position());
    out.numbers.start_reach = std::max(out.numbers.start_reach, started);
    return out;
}

MetricField MetricSolver::finished(MetricField&& field) const {
    if (field.first_order) ++first_order_->everywhere;
    if (field.coarse_beside_jumps) ++first_order_->beside_jumps;
    if (!std::isfinite(options_.until)) return std::move(field);
    field.near_source = {};
    const Grid& grid = model_.grid();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                if (!(multilinear_time_at(field, grid.position({i, j, k})) > options_.until))
                    continue;
                field.tau(i, j, k) = std::numeric_limits<float>::infinity();
            }
        }
    }
    return std::move(field);
}

std::optional<MetricField> MetricSolver::solve_by_layers(Vec3 source, double start_time,
                                                         const Execution& execution) const {
    const int threads = resolve_threads(execution.threads);
    MetricField field{model_, MetricFactor(model_, source), start_time,
                      Field<float>(model_.grid().shape)};
    field.layers = std::make_shared<const LayeredTimes>(model_, *layers_, source);
    SourceNumbers of = medium_->fields_of(*field.layers, field.factor, threads);
    const NodeNumbers numbers = medium_->numbers(of, source);
    CpuWaves waves(model_, *medium_, of, numbers, {field.tau.data(), medium_->shape()}, threads,
                   execution.monitor);
    if (!waves.solve(options_.order)) return {};
    to_straight_factor(field, threads);
    return field;
}

MetricField MetricSolver::solve_from(Vec3 source, double start_time,
                                     const Execution& execution) const {
    if (layers_) {
        if (auto field = solve_by_layers(source, start_time, execution)) {
            return finished(std::move(*field));
        }
    }
    Prepared prepared = prepare(source, start_time, execution);
    if (cuda_) {
        solve_on_cuda(std::span(&prepared, 1), execution);
    } else {
        solve_on_cpu(prepared, resolve_threads(execution.threads), execution.monitor);
    }
    return finished(std::move(prepared.field));
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
            prepared.push_back(prepare(require_rock(model_, sources[n].position, "source"),
                                       sources[n].start_time, execution));
        }
        solve_on_cuda(prepared, execution);
        for (std::size_t n = 0; n < count; ++n) {
            consume(first + n, finished(std::move(prepared[n].field)));
            execution.monitor.advance();
        }
    }
}

void MetricSolver::for_each_field(
    std::span<const PointSource> sources, const Execution& execution,
    const std::function<void(std::size_t, MetricField&&)>& consume) const {
    for (const PointSource& source : sources) require_rock(model_, source.position, "source");
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
