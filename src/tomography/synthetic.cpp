#include "tomography/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

/// Numbers of the arrivals of a phase, by event.
ArrivalLists lists_of(const Survey& survey, Phase phase) {
    ArrivalLists lists = by_event(survey);
    for (auto& list : lists) {
        std::erase_if(list, [&](std::int32_t n) {
            return survey.arrivals[static_cast<std::size_t>(n)].phase != phase;
        });
    }
    return lists;
}

/// Fills in the times of the arrivals of one phase; infinite where no wave arrives.
void add_times(const Model& model, const Survey& survey, Phase phase, const EikonalOptions& options,
               const Execution& execution, std::vector<double>& times) {
    const Grid& grid = model.grid();
    // Events in air have no field.
    std::vector<PointSource> alive;
    std::vector<std::size_t> numbers;
    const ArrivalLists lists = lists_of(survey, phase);
    for (std::size_t e = 0; e < lists.size(); ++e) {
        const PointSource source = survey.events[e].source();
        if (lists[e].empty() || in_air(model, grid.clamp(source.position))) continue;
        alive.push_back({grid.clamp(source.position), source.start_time});
        numbers.push_back(e);
    }
    for_each_field(model, alive, options, execution, [&](std::size_t n, TimeField&& field) {
        for (const std::int32_t number : lists[numbers[n]]) {
            const auto p = static_cast<std::size_t>(number);
            const Vec3 at = grid.clamp(survey.station_of(survey.arrivals[p]).position);
            if (!in_air(model, at)) times[p] = time_at(field, at);
        }
    });
}

/// As add_times, in a model with a metric.
void add_metric_times(const Model& model, const Survey& survey, Phase phase,
                      const EikonalOptions& options, const Execution& execution,
                      std::vector<double>& times, Notes& notes) {
    const MetricSolver solver(model, options, execution);
    std::vector<PointSource> alive;
    std::vector<std::size_t> numbers;
    const ArrivalLists lists = lists_of(survey, phase);
    for (std::size_t e = 0; e < lists.size(); ++e) {
        const PointSource source = survey.events[e].source();
        if (lists[e].empty() || in_air(model, model.place().nearest(source.position))) continue;
        alive.push_back(source);
        numbers.push_back(e);
    }
    solver.for_each_field(alive, execution, [&](std::size_t n, MetricField&& field) {
        for (const std::int32_t number : lists[numbers[n]]) {
            const auto p = static_cast<std::size_t>(number);
            const Vec3 at = model.place().nearest(survey.station_of(survey.arrivals[p]).position);
            if (!in_air(model, at)) times[p] = time_at(field, at);
        }
    });
    solver.tell(notes);
}

}  // namespace

std::vector<double> arrival_times(const Medium& medium, const Survey& survey,
                                  const EikonalOptions& options, const Execution& execution,
                                  Notes* told) {
    Notes unheard;
    Notes& notes = told != nullptr ? *told : unheard;
    validate(survey, medium.of(Phase::P));
    require_phases(medium, survey);
    std::vector<double> times(survey.arrivals.size(), std::numeric_limits<double>::infinity());
    for (const Phase phase : phases_of(survey)) {
        const Model& model = medium.of(phase);
        if (!model.is_plain()) {
            add_metric_times(model, survey, phase, options, execution, times, notes);
        } else {
            add_times(model, survey, phase, options, execution, times);
        }
    }
    return times;
}

void validate(const NoiseOptions& noise) {
    if (!(noise.deviation >= 0) || std::isinf(noise.deviation)) {
        throw InputError(fmt::format("noise is {} (must be >= 0)", noise.deviation));
    }
}

SyntheticPicks synthetic_picks(const Medium& medium, const Survey& survey,
                               const NoiseOptions& noise, const EikonalOptions& options,
                               const Execution& execution) {
    validate(noise);
    SyntheticPicks out;
    const std::vector<double> times = arrival_times(medium, survey, options, execution, &out.notes);
    out.picks.events = survey.events;
    out.picks.stations = survey.stations;
    out.picks.has_errors = noise.deviation > 0 || survey.has_errors;
    out.picks.is_2d = medium.grid().is_2d();
    RandomStream gaussian(noise.seed);
    for (std::size_t p = 0; p < times.size(); ++p) {
        // Drawn for every arrival, so that the noise of one does not depend on another's fate.
        const double noisy = times[p] + noise.deviation * gaussian.normal();
        if (!std::isfinite(times[p])) {
            ++out.unreached;
            continue;
        }
        Arrival pick = survey.arrivals[p];
        pick.time = std::max(survey.event_of(pick).origin_time, noisy);
        if (noise.deviation > 0) pick.error = noise.deviation;
        out.picks.arrivals.push_back(pick);
    }
    return out;
}

Recovery recovery(const Model& start, const Model& truth, const Model& found,
                  FieldView<const float> coverage, double min_coverage) {
    const Shape nodes = start.grid().shape;
    const Shape cells = coverage.shape();
    const bool fits = truth.grid().shape == nodes && found.grid().shape == nodes &&
                      cells == start.grid().cell_shape();
    if (!fits)
        throw InputError("models and coverage of a recovery differ in shape (must be equal)");
    Field<std::uint8_t> covered(nodes, 0);
    for (int i = 0; i < cells.x; ++i) {
        for (int j = 0; j < cells.y; ++j) {
            for (int k = 0; k < cells.z; ++k) {
                if (coverage(i, j, k) < static_cast<float>(min_coverage)) continue;
                for (int a = 0; a < 2; ++a) {
                    for (int b = 0; b < (nodes.y == 1 ? 1 : 2); ++b) {
                        for (int c = 0; c < 2; ++c) covered(i + a, j + b, k + c) = 1;
                    }
                }
            }
        }
    }
    double n = 0;
    double st = 0;
    double sf = 0;
    double stt = 0;
    double sff = 0;
    double stf = 0;
    for (std::size_t at = 0; at < covered.size(); ++at) {
        const double v = start.velocity()[at];
        if (covered[at] == 0 || v == 0) continue;
        const double t = truth.velocity()[at] / v - 1;
        const double f = found.velocity()[at] / v - 1;
        n += 1;
        st += t;
        sf += f;
        stt += t * t;
        sff += f * f;
        stf += t * f;
    }
    Recovery out;
    out.nodes = static_cast<std::int64_t>(n);
    out.correlation = (n * stf - st * sf) / std::sqrt((n * stt - st * st) * (n * sff - sf * sf));
    out.amplitude = stf / stt;
    return out;
}

}  // namespace fermat
