#include "tomography/adjoint/pick_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/bytes.hpp"
#include "core/deal.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint.hpp"

namespace fermat {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The picks of one event: adds their pull to `samples`.
void pass_over(const Model& model, const Survey& survey, std::size_t event,
               std::span<const std::int32_t> picks, const PullOfPick& pull,
               const EikonalOptions& options, std::vector<double>& times,
               std::vector<double>& samples) {
    const Grid& grid = model.grid();
    PointSource source = survey.events[event].source();
    source.position = grid.clamp(source.position);
    if (picks.empty() || in_air(model, source.position)) {
        times.insert(times.end(), picks.size(), none);
        return;
    }
    const AdjointSurvey one(model, {}, {source}, listeners_of(survey, picks).positions, options);
    std::vector<double> by_time(picks.size());
    const Derive<float> derive = [&](std::size_t, const TimeField& field) {
        for (std::size_t n = 0; n < picks.size(); ++n) {
            const double time = time_at(field, one.receivers()[n]);
            const bool arrives = std::isfinite(time);
            times.push_back(arrives ? time : none);
            by_time[n] = arrives ? pull(static_cast<std::size_t>(picks[n]), time) : 0;
        }
        return TimeDerivatives{{}, by_time};
    };
    const AdjointGradient found =
        adjoint<float>(one, derive, {.threads = 1, .device = Device::cpu});
    for (std::size_t n = 0; n < samples.size(); ++n) samples[n] += found.slowness[n];
}

}  // namespace

PickGradient pick_gradient(const Model& model, const Survey& survey, const PullOfPick& pull,
                           const EikonalOptions& options, const Execution& execution) {
    // Lots, so that few sums travel; their number depends on the survey alone.
    constexpr std::size_t most_lots = 256;
    const ArrivalLists lists = by_event(survey);
    const std::size_t lots = std::min(lists.size(), most_lots);
    const auto first_of = [&](std::size_t lot) { return lists.size() * lot / lots; };
    PickGradient out;
    out.time.assign(survey.arrivals.size(), none);
    out.samples.assign(model.given().size(), 0.0);
    const auto work = [&](std::int64_t job) {
        const auto lot = static_cast<std::size_t>(job);
        std::vector<double> times;
        std::vector<double> samples(model.given().size(), 0.0);
        for (std::size_t event = first_of(lot); event < first_of(lot + 1); ++event) {
            pass_over(model, survey, event, lists[event], pull, options, times, samples);
        }
        ByteWriter bytes;
        bytes.add(times);
        bytes.add(samples);
        return bytes.take();
    };
    const auto consume = [&](std::int64_t job, const Bytes& bytes) {
        const auto lot = static_cast<std::size_t>(job);
        ByteReader in(bytes);
        const auto times = in.take_vector<double>();
        const auto samples = in.take_vector<double>();
        std::size_t next = 0;
        for (std::size_t event = first_of(lot); event < first_of(lot + 1); ++event) {
            for (const std::int32_t pick : lists[event]) {
                out.time[static_cast<std::size_t>(pick)] = times[next++];
            }
        }
        for (std::size_t n = 0; n < samples.size(); ++n) out.samples[n] += samples[n];
        execution.monitor.advance();
    };
    execution.monitor.begin("adjoint", static_cast<std::int64_t>(lots));
    deal_in_order(execution.ranks, static_cast<std::int64_t>(lots),
                  resolve_threads(execution.threads), work, consume, execution.monitor);
    execution.monitor.end();
    return out;
}

}  // namespace fermat
