#include "tomography/adjoint/other_media.hpp"

#include <cmath>
#include <limits>

#include "eikonal/adjoint/metric_adjoint.hpp"
#include "rays/sensitivity_row.hpp"
#include "tomography/adjoint/device_lot.hpp"

namespace fermat {
namespace {

constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

bool velocity_jumps(const Model& model) {
    return model.jumping_cells().exist() || !model.coordinates().jumps.empty();
}

Execution alone() { return {.threads = 1, .device = Device::cpu}; }

}  // namespace

bool OtherMedia::has(const Model& model) { return !model.is_plain() || velocity_jumps(model); }

OtherMedia::OtherMedia(const Model& model, const Survey& survey, const PullOfPick& pull,
                       const EikonalOptions& options)
    : model_(model), survey_(survey), pull_(pull) {
    options_.eikonal = options;
    if (velocity_jumps(model)) tracer_.emplace(model_, options_, alone());
}

void OtherMedia::pass_over(std::size_t event, std::span<const std::int32_t> picks,
                           std::vector<double>& times, std::vector<double>& samples) const {
    PointSource source = survey_.events[event].source();
    const Vec3 at = model_.place().nearest(source.position);
    source.position = model_.mapping().to_user(at);
    if (picks.empty() || in_air(model_, at)) {
        times.insert(times.end(), picks.size(), no_time);
    } else if (tracer_) {
        by_rays(source, picks, times, samples);
    } else {
        by_adjoint(source, picks, times, samples);
    }
}

void OtherMedia::by_adjoint(const PointSource& source, std::span<const std::int32_t> picks,
                            std::vector<double>& times, std::vector<double>& samples) const {
    const MetricTimes one(model_, {}, {source}, listeners_of(survey_, picks).positions,
                          options_.eikonal, alone());
    const auto field = one.solve(0, alone());
    std::vector<double> by_time(picks.size());
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const double time = one.receiver_time(*field, n);
        const bool arrives = std::isfinite(time);
        times.push_back(arrives ? time : no_time);
        by_time[n] = arrives ? pull_(static_cast<std::size_t>(picks[n]), time) : 0;
    }
    AdjointGradient sum = one.nothing();
    one.add_gradient(*field, 0, {{}, by_time}, false, sum, alone());
    for (std::size_t n = 0; n < samples.size(); ++n) samples[n] += sum.slowness[n];
}

void OtherMedia::pass_on_cuda(std::span<const std::vector<std::int32_t>> lists,
                              std::size_t first_event, std::vector<double>& times,
                              std::vector<double>& samples) const {
    const DeviceLot events(model_, survey_, lists, first_event, times);
    if (events.sources().empty()) return;
    const Execution on_device{.threads = 0, .device = Device::cuda};
    const MetricTimes lot(model_, {}, events.sources(), events.receivers(), options_.eikonal,
                          on_device);
    std::vector<double> heard(events.receivers().size());
    std::vector<double> by(heard.size());
    const auto derive = [&](std::size_t source, const MetricTimes::Solved& field) {
        for (std::size_t r = 0; r < heard.size(); ++r) heard[r] = lot.receiver_time(field, r);
        events.hear(source, heard, pull_, by);
        return TimeDerivatives{{}, by};
    };
    const AdjointGradient found = lot.gradient({}, derive, false, on_device);
    for (std::size_t n = 0; n < samples.size(); ++n) samples[n] += found.slowness[n];
}

void OtherMedia::by_rays(const PointSource& source, std::span<const std::int32_t> picks,
                         std::vector<double>& times, std::vector<double>& samples) const {
    const RaySet rays = tracer_->trace(source, 0, listeners_of(survey_, picks), alone());
    RowMaker maker(model_);
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const RayInfo& ray = rays.rays[n];
        if (!has_arrived(ray.status) || !std::isfinite(ray.time)) {
            times.push_back(no_time);
            continue;
        }
        const auto path = rays.path(n);
        const auto row = model_.cells() ? maker.cells(path) : maker.node_parts(path);
        // The time that the row is the derivative of: in cells, with one velocity in each.
        double time = source.start_time;
        for (const RowEntry& entry : row) {
            const double v = model_.given()[static_cast<std::size_t>(entry.column)];
            if (v > 0) time += entry.value / v;
        }
        times.push_back(time);
        const double by_time = pull_(static_cast<std::size_t>(picks[n]), time);
        for (const RowEntry& entry : row) {
            samples[static_cast<std::size_t>(entry.column)] += by_time * entry.value;
        }
    }
}

}  // namespace fermat
