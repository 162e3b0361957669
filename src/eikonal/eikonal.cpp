#include "eikonal/eikonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/cells/march.hpp"
#include "eikonal/factored_source.hpp"
#include "eikonal/fim/fim.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fmm/fmm.hpp"
#include "eikonal/fsm.hpp"
#include "eikonal/resolution.hpp"
#include "eikonal/stencil.hpp"
#include "eikonal/vidale/vidale.hpp"

namespace fermat {
namespace {

template <class Real>
Field<Real> allocate(Shape shape) {
    try {
        Field<Real> field(shape);
        advise_huge_pages(field.data(), field.size() * sizeof(Real));
        return field;
    } catch (const std::bad_alloc&) {
        throw ComputeError(fmt::format(
            "a time field of shape {} does not fit in memory ({:.1f} GB are needed for each "
            "thread)",
            to_string(shape), 1e-9 * static_cast<double>(shape.count() * sizeof(Real))));
    }
}

/// tau of a field of times, in its memory. At the source itself tau is 1.
template <class Real>
void divide_by_constant_medium(const Grid& grid, const FactoredSource& source,
                               FieldView<Real> times) {
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double t0 =
                    source.slowness * distance(grid.position({i, j, k}), source.position);
                Real& t = times(i, j, k);
                t = t0 > 0 ? static_cast<Real>(t / t0) : Real(1);
            }
        }
    }
}

/// What no wave reaches has an infinite tau for all the world.
template <class Real>
void mark_unreached(FieldView<Real> field, int threads) {
    const auto nodes = static_cast<std::int64_t>(field.size());
    parallel_ranges(nodes, threads, [&](std::int64_t begin, std::int64_t end) {
        for (Real* tau = field.data() + begin; tau != field.data() + end; ++tau) {
            if (!(*tau < reached_limit<Real>)) *tau = std::numeric_limits<Real>::infinity();
        }
    });
}

template <class Real>
BasicTimeField<Real> solve_on(const Model& model, const PointSource& source,
                              const EikonalOptions& options, int threads, Monitor& monitor) {
    const FactoredSource factored = factor_source(model, source.position);
    require_crossing_time(model.grid(), factored);
    BasicTimeField<Real> field{
        model.grid(), {factored.position, source.start_time}, factored.slowness, {}};
    if (options.solver == Solver::vidale) {
        require_nodes(model, "solver 'vidale'");
        field.tau = vidale_times<Real>(model, factored.position, monitor);
        divide_by_constant_medium(model.grid(), factored, field.tau.view());
        return field;
    }
    field.tau = allocate<Real>(model.grid().shape);
    if (model.jumping_cells().exist()) {
        march_through_cells<Real>(model, factored, options.order, field.tau, monitor);
        mark_unreached(field.tau.view(), threads);
        return field;
    }
    switch (options.solver) {
        case Solver::fmm:
            fmm_solve<Real>(model, factored, options.order, field.tau, monitor);
            break;
        case Solver::fsm:
            fsm_solve<Real>(model, factored, options.order, field.tau, monitor);
            break;
        default:
            fim_solve<Real>(model, factored, options.order, threads, field.tau, monitor);
    }
    require_resolved<Real>(model, factored, field.tau.view(), threads);
    mark_unreached(field.tau.view(), threads);
    return field;
}

/// The same on the CUDA device, as many sources at once as fill it.
template <class Consume>
void solve_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        const EikonalOptions& options, const Execution& execution,
                        Consume&& consume) {
    Monitor& monitor = execution.monitor;
    CudaFim fim(model, options.order, std::min(sources.size(), filling_batch(model.grid())));
    for (std::size_t first = 0; first < sources.size(); first += fim.batch()) {
        monitor.check();
        const auto batch = sources.subspan(first, std::min(fim.batch(), sources.size() - first));
        std::vector<FactoredSource> factored;
        for (const PointSource& source : batch) {
            factored.push_back(factor_source(model, source.position));
            require_crossing_time(model.grid(), factored.back());
        }
        fim.solve(factored);
        for (std::size_t n = 0; n < batch.size(); ++n) {
            TimeField field{model.grid(),
                            {factored[n].position, batch[n].start_time},
                            factored[n].slowness,
                            allocate<float>(model.grid().shape)};
            fim.download(n, field.tau.view());
            require_resolved<float>(model, factored[n], field.tau.view(),
                                    resolve_threads(execution.threads));
            consume(first + n, std::move(field));
            monitor.advance();
        }
    }
}

/// Solves all sources, each field going to consume(i, field). Sources run in parallel, each on one
/// thread or, where they are too few to go round, on a team of threads.
template <class Real, class Consume>
void solve_each(const Model& model, std::span<const PointSource> sources,
                const EikonalOptions& options, const Execution& execution, Consume&& consume) {
    Monitor& monitor = execution.monitor;
    validate(options);
    for (const PointSource& source : sources) require_source(model, source.position);
    const int threads = resolve_threads(execution.threads);
    const auto count = static_cast<std::int64_t>(sources.size());
    monitor.begin("first arrivals", count);
    if constexpr (std::is_same_v<Real, float>) {
        if (on_cuda(options, execution.device, model)) {
            solve_each_on_cuda(model, sources, options, execution, consume);
            monitor.end();
            return;
        }
    }
    for_each_by_teams(count, threads, [&](std::int64_t i, int team) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        consume(n, solve_on<Real>(model, sources[n], options, team, monitor));
        monitor.advance();
    });
    monitor.end();
}

std::string cuda_obstacle(const EikonalOptions& options, Precision precision) {
    if (options.solver != Solver::fim) {
        return fmt::format("solver '{}' computes on the CPU", name_of(options.solver));
    }
    return precision == Precision::full ? "precision 'double' is the CPU's" : "";
}

}  // namespace

void validate(const EikonalOptions& options) { validate_options(options); }

bool on_cuda(const EikonalOptions& options, Device device, Precision precision) {
    return on_cuda(device, cuda_obstacle(options, precision));
}

bool on_cuda(const EikonalOptions& options, Device device, const Model& model,
             Precision precision) {
    const std::string obstacle = cuda_obstacle(options, precision);
    if (!obstacle.empty() || !model.jumping_cells().exist()) {
        return on_cuda(device, obstacle);
    }
    return on_cuda(device, "velocity jumps between cells, which is solved on the CPU",
                   "convert to nodes");
}

template <class Real>
BasicTimeField<Real> solve(const Model& model, const PointSource& source,
                           const EikonalOptions& options, const Execution& execution) {
    validate(options);
    const int threads = resolve_threads(execution.threads);
    constexpr bool single = std::is_same_v<Real, float>;
    const bool device =
        on_cuda(options, execution.device, model, single ? Precision::single : Precision::full);
    if constexpr (single) {
        if (device) {
            TimeField field;
            solve_each_on_cuda(model, std::span(&source, 1), options,
                               execution.heard_by(silent_monitor()),
                               [&](std::size_t, TimeField&& solved) { field = std::move(solved); });
            return field;
        }
    }
    return solve_on<Real>(model, source, options, threads, execution.monitor);
}

template <class Real>
Field<Real> first_arrivals(const Model& model, std::span<const PointSource> sources,
                           const EikonalOptions& options, const Execution& execution) {
    if (sources.empty()) throw InputError("no source is given (at least one is needed)");
    // Sources one after another on all threads: the earliest of each node needs one field only.
    Field<Real> earliest;
    Monitor& monitor = execution.monitor;
    const int threads = resolve_threads(execution.threads);
    monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
    for (const PointSource& source : sources) {
        Field<Real> times = to_times(solve<Real>(model, source, options, execution), threads);
        if (earliest.empty()) {
            earliest = std::move(times);
        } else {
            for (std::size_t n = 0; n < times.size(); ++n) {
                earliest[n] = std::min(earliest[n], times[n]);
            }
        }
        monitor.advance();
    }
    monitor.end();
    return earliest;
}

void for_each_field(const Model& model, std::span<const PointSource> sources,
                    const EikonalOptions& options, const Execution& execution,
                    const std::function<void(std::size_t, TimeField&&)>& consume) {
    solve_each<float>(model, sources, options, execution, consume);
}

std::vector<double> receiver_times(const Model& model, std::span<const PointSource> sources,
                                   std::span<const Vec3> receivers, const EikonalOptions& options,
                                   const Execution& execution) {
    const Grid& grid = model.grid();
    std::vector<Vec3> places(receivers.begin(), receivers.end());
    for (Vec3& r : places) {
        require_inside(grid, r, "receiver");
        r = grid.clamp(r);
    }
    std::vector<double> times(sources.size() * receivers.size(),
                              std::numeric_limits<double>::infinity());
    if (sources.size() <= receivers.size()) {
        solve_each<float>(model, sources, options, execution,
                          [&](std::size_t s, TimeField&& field) {
                              for (std::size_t r = 0; r < receivers.size(); ++r) {
                                  times[s * receivers.size() + r] = time_at(field, places[r]);
                              }
                          });
        return times;
    }
    std::vector<PointSource> from_receivers;
    std::vector<std::size_t> numbers;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        if (in_air(model, places[r])) continue;
        from_receivers.push_back({places[r], 0});
        numbers.push_back(r);
    }
    for (const PointSource& source : sources) require_source(model, source.position);
    solve_each<float>(
        model, from_receivers, options, execution, [&](std::size_t n, TimeField&& field) {
            for (std::size_t s = 0; s < sources.size(); ++s) {
                times[s * receivers.size() + numbers[n]] =
                    sources[s].start_time + time_at(field, grid.clamp(sources[s].position));
            }
        });
    return times;
}

template TimeField solve(const Model&, const PointSource&, const EikonalOptions&, const Execution&);
template BasicTimeField<double> solve(const Model&, const PointSource&, const EikonalOptions&,
                                      const Execution&);
template Field<float> first_arrivals(const Model&, std::span<const PointSource>,
                                     const EikonalOptions&, const Execution&);
template Field<double> first_arrivals(const Model&, std::span<const PointSource>,
                                      const EikonalOptions&, const Execution&);

}  // namespace fermat
