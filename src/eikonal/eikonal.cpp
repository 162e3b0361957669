#include "eikonal/eikonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/cells/cell_times.hpp"
#include "eikonal/factored_source.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/fim_opengl.hpp"
#include "eikonal/resolution.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {
namespace {

template <class Real>
BasicTimeField<Real> solve_on_cpu(const Model& model, const PointSource& source,
                                  const EikonalOptions& options, const Execution& execution) {
    return solve_factored<Real>(model, factor_source(model, source.position), source.start_time,
                                options, execution.on(Device::cpu));
}

/// The number of sources of a batch: it fills a device, and leaves work for the other ones.
std::size_t batch_for(const Grid& grid, std::size_t sources) {
    const std::size_t devices = devices_in_use().size();
    return std::clamp<std::size_t>((sources + devices - 1) / devices, 1, filling_batch(grid));
}

/// Solves a batch of sources by `fim` and calls consume(number of the source, field).
template <class Consume>
void solve_batch(CudaFim& fim, const Model& model, std::span<const PointSource> sources,
                 BatchTurns::Batch which, const EikonalOptions& options, const Execution& execution,
                 Consume&& consume) {
    const auto batch = sources.subspan(which.first, which.count);
    std::vector<FactoredSource> factored;
    for (const PointSource& source : batch) {
        factored.push_back(factor_source(model, source.position));
        require_crossing_time(model.grid(), factored.back());
        factored.back().until = wanted_until(options, source.start_time);
    }
    fim.solve(factored);
    const int threads = resolve_threads(execution.threads);
    for (std::size_t n = 0; n < batch.size(); ++n) {
        TimeField field{model.grid(), factored[n], batch[n].start_time,
                        allocate_field<float>(model.grid().shape)};
        fim.download(n, field.tau.view());
        require_resolved<float>(model, factored[n], field.tau.view(), threads);
        cut_late_times(field, options.until, threads);
        consume(which.first + n, std::move(field));
        execution.monitor.advance();
    }
}

/// Solves sources on the CUDA devices in use, in batches that fill them. Batches are dealt to
/// devices as these become free: `consume` may be called from any of their threads.
template <class Consume>
void solve_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        const EikonalOptions& options, const Execution& execution,
                        Consume&& consume) {
    const std::size_t most = batch_for(model.grid(), sources.size());
    on_each_device(sources.size(), [&](BatchTurns& turns) {
        CudaFim fim(model, options.order, most);
        while (const auto batch = turns.take(fim.batch())) {
            execution.monitor.check();
            solve_batch(fim, model, sources, *batch, options, execution, consume);
        }
    });
}

InputError no_shaders(const Model& model) {
    return InputError(fmt::format("device is 'opengl' (no shaders solve {}: use cpu, or cuda)",
                                  model.medium_name()));
}

/// Whether fields are solved in OpenGL shaders. Throws InputError where `device` asks for them and
/// they cannot do it.
bool on_opengl(const EikonalOptions& options, Device device, const Model& model,
               Precision precision) {
    if (device != Device::opengl) return false;
    if (!model.is_plain()) throw no_shaders(model);
    std::string obstacle;
    if (options.solver != Solver::fim) {
        obstacle =
            fmt::format("solver '{}' has no shaders: use fim, or cpu", name_of(options.solver));
    } else if (precision == Precision::full) {
        obstacle = "its precision is single: use cpu for 'double'";
    } else if (model.jumping_cells().exist()) {
        obstacle =
            "velocity jumps between cells, which is solved on the CPU: use cpu, or convert to "
            "nodes";
    }
    if (!obstacle.empty()) throw InputError("device is 'opengl' (" + obstacle + ")");
    return true;
}

/// Solves sources in OpenGL shaders, one after the other.
template <class Consume>
void solve_each_on_opengl(const Model& model, std::span<const PointSource> sources,
                          const EikonalOptions& options, const Execution& execution,
                          Consume&& consume) {
    const int threads = resolve_threads(execution.threads);
    GlFim fim(model, options.order);
    for (std::size_t n = 0; n < sources.size(); ++n) {
        execution.monitor.check();
        const FactoredSource source = factor_source(model, sources[n].position);
        require_crossing_time(model.grid(), source);
        TimeField field{model.grid(), source, sources[n].start_time,
                        allocate_field<float>(model.grid().shape)};
        fim.solve(source, field.tau.view(), execution.monitor);
        require_resolved<float>(model, source, field.tau.view(), threads);
        cut_late_times(field, options.until, threads);
        consume(n, std::move(field));
        execution.monitor.advance();
    }
}

/// Solves all sources and calls consume(i, field) for each. Sources run in parallel, each on one
/// thread, or on a team of threads if there are fewer sources than threads.
template <class Real, class Consume>
void solve_each(const Model& model, std::span<const PointSource> sources,
                const EikonalOptions& options, const Execution& execution, Consume&& consume) {
    Monitor& monitor = execution.monitor;
    validate(options);
    require_plain(model, "this computation");
    for (const PointSource& source : sources) require_rock(model, source.position, "source");
    const int threads = resolve_threads(execution.threads);
    const auto count = static_cast<std::int64_t>(sources.size());
    monitor.begin("first arrivals", count);
    if constexpr (std::is_same_v<Real, float>) {
        if (on_opengl(options, execution.device, model, Precision::single)) {
            solve_each_on_opengl(model, sources, options, execution, consume);
            monitor.end();
            return;
        }
        if (on_cuda(options, execution.device, model)) {
            solve_each_on_cuda(model, sources, options, execution, consume);
            monitor.end();
            return;
        }
    }
    for_each_by_teams(count, threads, [&](std::int64_t i, int team) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        consume(n, solve_on_cpu<Real>(model, sources[n], options, execution.with_threads(team)));
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

void validate(const EikonalOptions& options) {
    validate_options(options);
    if (std::isnan(options.until)) throw InputError("until is nan (must be a time)");
}

bool on_cuda(const EikonalOptions& options, Device device, Precision precision) {
    return on_cuda(device, cuda_obstacle(options, precision));
}

bool on_cuda(const EikonalOptions& options, Device device, const Model& model,
             Precision precision) {
    std::string obstacle = cuda_obstacle(options, precision);
    if (!model.is_plain()) {
        if (device == Device::opengl) throw no_shaders(model);
        if (obstacle.empty() && !model.coordinates().jumps.empty()) {
            obstacle = "velocity jumps on rows of nodes, which is solved on the CPU";
        }
        return on_cuda(device, obstacle);
    }
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
    require_plain(model, "this computation");
    constexpr bool single = std::is_same_v<Real, float>;
    constexpr Precision precision = single ? Precision::single : Precision::full;
    const bool shaders = on_opengl(options, execution.device, model, precision);
    const bool device = !shaders && on_cuda(options, execution.device, model, precision);
    if constexpr (single) {
        TimeField field;
        const auto keep = [&](std::size_t, TimeField&& solved) { field = std::move(solved); };
        Monitor stop_only({}, [&] { return execution.monitor.stop_requested(); });
        const Execution own = execution.heard_by(stop_only);
        if (shaders) solve_each_on_opengl(model, std::span(&source, 1), options, own, keep);
        if (device) solve_each_on_cuda(model, std::span(&source, 1), options, own, keep);
        if (shaders || device) return field;
    }
    return solve_on_cpu<Real>(model, source, options, execution);
}

template <class Real>
Field<Real> first_arrivals(const Model& model, std::span<const PointSource> sources,
                           const EikonalOptions& options, const Execution& execution) {
    if (sources.empty()) throw InputError("no source is given (at least one is needed)");
    // Solves the sources one after another, each on all threads: the minimum per node then needs
    // only one more field.
    Field<Real> earliest;
    Monitor& monitor = execution.monitor;
    const int threads = resolve_threads(execution.threads);
    const auto keep_earlier = [&](BasicTimeField<Real>&& field) {
        Field<Real> times = to_times(std::move(field), threads);
        if (earliest.empty()) {
            earliest = std::move(times);
        } else {
            for (std::size_t n = 0; n < times.size(); ++n) {
                earliest[n] = std::min(earliest[n], times[n]);
            }
        }
    };
    monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
    if constexpr (std::is_same_v<Real, float>) {
        if (on_opengl(options, execution.device, model, Precision::single)) {
            validate(options);
            solve_each_on_opengl(
                model, sources, options, execution,
                [&](std::size_t, TimeField&& field) { keep_earlier(std::move(field)); });
            monitor.end();
            return earliest;
        }
    }
    for (const PointSource& source : sources) {
        keep_earlier(solve<Real>(model, source, options, execution));
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
    require_all_times(options, "times at receivers are read from whole fields: leave it out");
    const Grid& grid = model.grid();
    std::vector<Vec3> places(receivers.begin(), receivers.end());
    for (Vec3& r : places) r = model.place().inside(r, "receiver");
    std::vector<double> times(sources.size() * receivers.size(),
                              std::numeric_limits<double>::infinity());
    if (sources.size() <= receivers.size()) {
        solve_each<float>(model, sources, options, execution,
                          [&](std::size_t s, TimeField&& field) {
                              const ReceiverTimes<float> read(model, field);
                              for (std::size_t r = 0; r < receivers.size(); ++r) {
                                  times[s * receivers.size() + r] = read.at(places[r]);
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
    for (const PointSource& source : sources) require_rock(model, source.position, "source");
    solve_each<float>(model, from_receivers, options, execution,
                      [&](std::size_t n, TimeField&& field) {
                          const ReceiverTimes<float> read(model, field);
                          for (std::size_t s = 0; s < sources.size(); ++s) {
                              times[s * receivers.size() + numbers[n]] =
                                  sources[s].start_time + read.at(grid.clamp(sources[s].position));
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
