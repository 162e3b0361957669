#include "eikonal/adjoint/adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "core/device.hpp"
#include "core/device_relay.hpp"
#include "core/error.hpp"
#include "core/expect.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/cell_slowness.hpp"
#include "eikonal/adjoint/exact_field.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/receiver_hats.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/factored_source.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {
namespace {

Field<double> slowness_from_cells(const Model& model, FieldView<const double> exact) {
    return model.cells() && exact.data() != nullptr ? node_slowness(model, exact) : Field<double>();
}

FieldView<const double> of_its_shape(const Model& model, FieldView<const double> exact) {
    if (exact.data() == nullptr || exact.shape() == model.given().shape()) return exact;
    throw InputError(fmt::format("slowness has shape {} (must be {}, as the model's velocity)",
                                 to_string(exact.shape()), to_string(model.given().shape())));
}

/// Adds the fields of a batch in the order of their sources.
void add_in_order(std::span<Field<double>> parts, FieldView<double> sum, int threads) {
    parallel_ranges(static_cast<std::int64_t>(sum.size()), threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (Field<double>& part : parts) {
                            double* const from = part.data();
                            for (std::int64_t n = begin; n < end; ++n) {
                                sum.data()[n] += from[n];
                                from[n] = 0;
                            }
                        }
                    });
}

/// `with_field(n, execution, use)` calls use(field of source n).
template <class Real, class WithField>
AdjointGradient sum_over_sources(const AdjointSurvey& survey, const Derive<Real>& derive,
                                 const Execution& execution, WithField with_field) {
    on_cuda(execution.device, "this adjoint computes on the CPU");
    const int threads = resolve_threads(execution.threads);
    const Grid& grid = survey.model().grid();
    const std::size_t count = survey.sources().size();
    AdjointGradient gradient;
    gradient.slowness = Field<double>(grid.shape, 0.0);
    gradient.sources.resize(count);
    gradient.start_times.resize(count);
    gradient.receivers.resize(survey.receivers().size());
    const std::size_t at_once = std::min(count, static_cast<std::size_t>(threads));
    std::vector<Field<double>> parts;
    std::vector<FieldAdjoint> found(at_once);
    std::vector<AdjointSpace> spaces(at_once);
    for (std::size_t n = 0; n < at_once; ++n) {
        parts.push_back(allocate_field<double>(grid.shape));
        std::fill(parts.back().begin(), parts.back().end(), 0.0);
    }
    Monitor& monitor = execution.monitor;
    monitor.begin("adjoint", static_cast<std::int64_t>(count));
    for (std::size_t first = 0; first < count; first += at_once) {
        const std::size_t batch = std::min(at_once, count - first);
        for_each_by_teams(static_cast<std::int64_t>(batch), threads, [&](std::int64_t i, int team) {
            monitor.check();
            const auto slot = static_cast<std::size_t>(i);
            const std::size_t n = first + slot;
            const Execution own = execution.with_threads(team);
            with_field(n, own, [&](const BasicTimeField<Real>& field) {
                found[slot] = field_adjoint(survey, n, field, derive(n, field), parts[slot].view(),
                                            spaces[slot], own);
            });
            monitor.advance();
        });
        add_in_order(std::span(parts).first(batch), gradient.slowness, threads);
        for (std::size_t slot = 0; slot < batch; ++slot) {
            gradient.sources[first + slot] = found[slot].source;
            gradient.start_times[first + slot] = found[slot].start_time;
            gradient.unsettled += found[slot].unsettled;
            for (std::size_t r = 0; r < found[slot].receivers.size(); ++r) {
                gradient.receivers[r] = gradient.receivers[r] + found[slot].receivers[r];
            }
        }
    }
    monitor.end();
    if (survey.model().cells()) {
        gradient.slowness = by_cells(survey.model(), survey.exact(), gradient.slowness);
    }
    return gradient;
}

}  // namespace

AdjointSurvey::AdjointSurvey(const Model& model, FieldView<const double> exact,
                             std::vector<PointSource> sources, std::vector<Vec3> receivers,
                             const EikonalOptions& options)
    : model_(model),
      exact_(of_its_shape(model, exact)),
      from_cells_(slowness_from_cells(model, exact_)),
      slowness_(std::make_unique<const NodeSlowness>(
          model, from_cells_.empty() ? exact_ : FieldView<const double>(from_cells_))),
      sources_(std::move(sources)),
      receivers_(std::move(receivers)),
      options_(options) {
    require_plain(model, "the adjoint");
    validate(options_);
    require_all_times(options_, "the adjoint needs whole fields: leave it out");
    if (options_.solver == Solver::vidale) {
        throw InputError(
            "solver 'vidale' has no adjoint (use fim, fmm or fsm, whose scheme is the same)");
    }
    if (model_.jumping_cells().exist()) {
        throw InputError(
            "velocity jumps between cells, whose scheme has no adjoint yet (put it on nodes: "
            "`to_nodes`)");
    }
    const Grid& grid = model_.grid();
    constexpr double most_nodes = 4.29e9;
    if (static_cast<double>(grid.node_count()) > most_nodes) {
        throw InputError(fmt::format(
            "a model of {} nodes is too large for the adjoint (must have fewer than 4.2e9)",
            grid.node_count()));
    }
    for (const PointSource& source : sources_) require_rock(model_, source.position, "source");
    place_receivers(grid, receivers_);
    hats_ = std::make_unique<const ReceiverHats>(grid, receivers_,
                                                 [this](Index3 n) { return !model_.is_air(n); });
}

AdjointSurvey::~AdjointSurvey() = default;

void place_receivers(const Grid& grid, std::span<Vec3> receivers) {
    const Place place(grid);
    for (Vec3& receiver : receivers) receiver = place.inside(receiver, "receiver");
}

std::string adjoint_obstacle(const AdjointSurvey& survey) {
    if (survey.options().solver != Solver::fim) return "only 'fim' has an adjoint there";
    if (survey.slowness().is_exact()) return "slownesses in double precision are for the CPU";
    return {};
}

template <class Real>
BasicTimeField<Real> AdjointSurvey::solve(std::size_t source, const Execution& execution) const {
    FERMAT_EXPECT(source < sources_.size());
    if constexpr (std::is_same_v<Real, double>) {
        return solve_exactly(model_, *slowness_, sources_[source], options_, execution);
    } else {
        return fermat::solve<Real>(model_, sources_[source], options_, execution.on(Device::cpu));
    }
}

template <class Real>
AdjointGradient adjoint(const AdjointSurvey& survey, const Derive<Real>& derive,
                        const Execution& execution) {
    return sum_over_sources<Real>(survey, derive, execution,
                                  [&](std::size_t n, const Execution& team, const auto& use) {
                                      use(survey.solve<Real>(n, team.heard_by(silent_monitor())));
                                  });
}

template <class Real>
AdjointGradient adjoint(const AdjointSurvey& survey, std::span<const BasicTimeField<Real>> fields,
                        const Derive<Real>& derive, const Execution& execution) {
    if (fields.size() != survey.sources().size()) {
        throw InputError(fmt::format("there are {} fields (must be {}, one per source)",
                                     fields.size(), survey.sources().size()));
    }
    return sum_over_sources<Real>(
        survey, derive, execution,
        [&](std::size_t n, const Execution&, const auto& use) { use(fields[n]); });
}

namespace {

AdjointGradient adjoint_on_cpu(const AdjointSurvey& survey, const TimeObjective& objective,
                               const Execution& execution) {
    const std::size_t receivers = survey.receivers().size();
    std::vector<std::vector<double>> by_receivers(survey.sources().size());
    const Derive<float> derive = [&](std::size_t n, const TimeField& field) {
        TimeDerivatives by;
        if (objective.nodes) by.nodes = objective.nodes(n);
        if (!objective.receivers) return by;
        std::vector<double> times(receivers);
        for (std::size_t r = 0; r < receivers; ++r) {
            times[r] = time_at(field, survey.receivers()[r]);
        }
        by_receivers[n].resize(receivers);
        objective.receivers(n, times, by_receivers[n]);
        by.receivers = by_receivers[n];
        return by;
    };
    return adjoint<float>(survey, derive, execution.on(Device::cpu));
}

/// Asks what an objective wants of the sources of the last solve. Devices ask one after another.
void ask(CudaAdjoint& device, BatchTurns::Batch batch, std::size_t receivers,
         const TimeObjective& objective, std::mutex& asking) {
    if (objective.nodes) {
        for (std::size_t n = 0; n < batch.count; ++n) {
            const std::lock_guard lock(asking);
            device.ask_nodes(n, objective.nodes(batch.first + n));
        }
    }
    if (!objective.receivers) return;
    std::vector<double> times(batch.count * receivers);
    std::vector<double> by(times.size());
    device.receiver_times(times);
    for (std::size_t n = 0; n < batch.count; ++n) {
        const std::lock_guard lock(asking);
        objective.receivers(batch.first + n, std::span(times).subspan(n * receivers, receivers),
                            std::span(by).subspan(n * receivers, receivers));
    }
    device.ask_receivers(by);
}

/// Each device takes the next batch of sources when it is free. The sums pass from device to device
/// in the order of batches, so they do not depend on the number of devices.
AdjointGradient adjoint_on_cuda(const AdjointSurvey& survey, const TimeObjective& objective,
                                const Execution& execution) {
    Monitor& monitor = execution.monitor;
    const std::size_t count = survey.sources().size();
    const std::size_t devices = devices_in_use().size();
    const std::size_t most = std::max<std::size_t>(1, (count + devices - 1) / devices);
    AdjointGradient gradient;
    DeviceRelay<CudaAdjoint> relay(count);
    std::mutex asking;
    monitor.begin("adjoint", static_cast<std::int64_t>(count));
    const auto make = [&] {
        auto device = std::make_unique<CudaAdjoint>(survey, execution.threads, most);
        device->want_positions(objective.by_position);
        return device;
    };
    relay.run(
        make,
        [&](CudaAdjoint& device, BatchTurns::Batch batch) {
            monitor.check();
            device.solve(batch.first, batch.count);
            ask(device, batch, survey.receivers().size(), objective, asking);
            device.propagate();
        },
        [&](CudaAdjoint& device, BatchTurns::Batch batch) {
            device.add_up();
            monitor.advance(static_cast<std::int64_t>(batch.count));
        },
        [&](CudaAdjoint& device) { gradient = device.gradient(); });
    monitor.end();
    if (survey.model().cells()) {
        gradient.slowness = by_cells(survey.model(), survey.exact(), gradient.slowness);
    }
    return gradient;
}

}  // namespace

AdjointGradient adjoint(const AdjointSurvey& survey, const TimeObjective& objective,
                        const Execution& execution) {
    return on_cuda(execution.device, adjoint_obstacle(survey))
               ? adjoint_on_cuda(survey, objective, execution)
               : adjoint_on_cpu(survey, objective, execution);
}

template TimeField AdjointSurvey::solve<float>(std::size_t, const Execution&) const;
template BasicTimeField<double> AdjointSurvey::solve<double>(std::size_t, const Execution&) const;
template AdjointGradient adjoint<float>(const AdjointSurvey&, const Derive<float>&,
                                        const Execution&);
template AdjointGradient adjoint<double>(const AdjointSurvey&, const Derive<double>&,
                                         const Execution&);
template AdjointGradient adjoint<float>(const AdjointSurvey&, std::span<const TimeField>,
                                        const Derive<float>&, const Execution&);
template AdjointGradient adjoint<double>(const AdjointSurvey&,
                                         std::span<const BasicTimeField<double>>,
                                         const Derive<double>&, const Execution&);

}  // namespace fermat
