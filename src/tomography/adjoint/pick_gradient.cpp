#include "tomography/adjoint/pick_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/bytes.hpp"
#include "core/deal.hpp"
#include "core/device_team.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "tomography/adjoint/device_lot.hpp"
#include "tomography/adjoint/other_media.hpp"

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

/// The picks of a lot of events on a CUDA device, which takes many sources at once.
void pass_on_cuda(const Model& model, const Survey& survey,
                  std::span<const std::vector<std::int32_t>> lists, std::size_t first_event,
                  const PullOfPick& pull, const EikonalOptions& options, std::vector<double>& times,
                  std::vector<double>& samples) {
    const DeviceLot events(model, survey, lists, first_event, times);
    if (events.sources().empty()) return;
    const AdjointSurvey lot(model, {}, events.sources(), events.receivers(), options);
    TimeObjective objective;
    objective.by_position = false;
    objective.receivers = [&](std::size_t source, std::span<const double> heard,
                              std::span<double> by) { events.hear(source, heard, pull, by); };
    const AdjointGradient found = adjoint(lot, objective, {.threads = 0, .device = Device::cuda});
    for (std::size_t n = 0; n < samples.size(); ++n) samples[n] += found.slowness[n];
}

}  // namespace

PickGradient pick_gradient(const Model& model, const Survey& survey, const PullOfPick& pull,
                           const EikonalOptions& options, const Execution& execution) {
    // Lots, so that few sums travel; their number depends on the survey and the device alone.
    constexpr std::size_t most_lots = 256;
    constexpr std::size_t events_per_lot = 256;  // of a device
    std::optional<OtherMedia> others;
    if (OtherMedia::has(model)) others.emplace(model, survey, pull, options);
    const bool by_rays = others && others->goes_by_rays();
    const bool cuda = execution.device == Device::cuda && !by_rays;
    const ArrivalLists lists = by_event(survey);
    const std::size_t wanted =
        cuda ? (lists.size() + events_per_lot - 1) / events_per_lot : lists.size();
    const std::size_t lots = std::min(wanted, most_lots);
    const auto first_of = [&](std::size_t lot) { return lists.size() * lot / lots; };
    // Several devices share lots, or the sources of each lot where lots are few: the sums are the
    // same.
    const std::vector<int> devices = cuda ? devices_in_use() : std::vector<int>{};
    const std::size_t ranks = static_cast<std::size_t>(execution.ranks.size());
    const bool by_lots = (lots + ranks - 1) / ranks >= devices.size();
    const int at_once = !cuda     ? resolve_threads(execution.threads)
                        : by_lots ? static_cast<int>(devices.size())
                                  : 1;
    DeviceLoans loans(devices);
    const auto on_devices = [&](const std::function<void()>& compute) {
        if (by_lots) {
            loans.with_one([&](int device) { on_device(device, compute); });
        } else {
            const DevicesScope all(devices);
            compute();
        }
    };
    PickGradient out;
    out.time.assign(survey.arrivals.size(), none);
    out.samples.assign(model.given().size(), 0.0);
    const auto work = [&](std::int64_t job) {
        const auto lot = static_cast<std::size_t>(job);
        std::vector<double> times;
        std::vector<double> samples(model.given().size(), 0.0);
        const std::size_t first = first_of(lot);
        const std::size_t end = first_of(lot + 1);
        if (cuda) {
            on_devices([&] {
                const auto lot_of = std::span(lists).subspan(first, end - first);
                if (others) {
                    others->pass_on_cuda(lot_of, first, times, samples);
                } else {
                    pass_on_cuda(model, survey, lot_of, first, pull, options, times, samples);
                }
            });
        } else {
            for (std::size_t event = first; event < end; ++event) {
                if (others) {
                    others->pass_over(event, lists[event], times, samples);
                    continue;
                }
                pass_over(model, survey, event, lists[event], pull, options, times, samples);
            }
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
    deal_in_order(execution.ranks, static_cast<std::int64_t>(lots), at_once, work, consume,
                  execution.monitor);
    execution.monitor.end();
    return out;
}

}  // namespace fermat
