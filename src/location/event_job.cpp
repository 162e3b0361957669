#include "location/event_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fermat {
namespace {

std::vector<UsedPick> used_picks(const LocateJob& job, std::span<const std::int32_t> arrivals,
                                 const std::array<double, phase_count>& model_error) {
    std::vector<UsedPick> picks;
    for (const std::int32_t n : arrivals) {
        const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(n)];
        const int field = job.fields.of(arrival);
        if (field < 0) continue;
        const auto phase = static_cast<std::size_t>(arrival.phase);
        const double variance =
            arrival.error * arrival.error + model_error[phase] * model_error[phase];
        picks.push_back({field, job.fields.stretch(arrival.phase), arrival.time,
                         std::max(variance, job.least_variance), job.slowness[phase], n});
    }
    return picks;
}

/// Which axes of an event are free, and where it is along the others.
Vec3 fix_axes(const LocateJob& job, const Event& event, Region& region) {
    const bool depth = job.options.fixed == Fixed::depth || job.options.fixed == Fixed::place;
    const bool epicentre =
        job.options.fixed == Fixed::epicentre || job.options.fixed == Fixed::place;
    Vec3 place = region.clamp(event.position);
    if (depth) region.free[2] = false;
    if (epicentre) region.free[0] = region.free[1] = false;
    if (job.options.depth) {
        region.free[2] = false;
        place.z = *job.options.depth;
    }
    return place;
}

Prior prior_of(const LocateJob& job, const Event& event) {
    Prior prior;
    for (int axis = 0; axis < 3; ++axis) {
        const double deviation = job.options.prior[axis];
        if (!(deviation > 0)) continue;  // the position may not be known
        prior.place[axis] = event.position[axis];
        prior.precision[axis] = 1 / (deviation * deviation);
    }
    return prior;
}

/// The highest of the peaks that are reached from the best cells.
Peak highest_peak(const Likelihood& likelihood, const Region& region,
                  const std::vector<TreeCell>& cells, Likelihood::Work& work) {
    const std::size_t most_starts = likelihood.kind() == LikelihoodKind::edt ? 8 : 3;
    std::vector<const TreeCell*> starts;
    for (const TreeCell& cell : cells) {
        const bool apart = std::all_of(starts.begin(), starts.end(), [&](const TreeCell* other) {
            return distance(cell.place, other->place) > 4 * (cell.size() + other->size());
        });
        if (apart) starts.push_back(&cell);
        if (starts.size() == most_starts) break;
    }
    Peak best;
    for (std::size_t n = 0; n < starts.size(); ++n) {
        // A cell's density is the most that it may hold, or nearly so.
        constexpr double margin = 5;
        if (n > 0 && starts[n]->log_density + margin < best.log_density) continue;
        const Peak peak = climb(likelihood, region, starts[n]->place, starts[n]->size(), work);
        if (n == 0 || peak.log_density > best.log_density) best = peak;
    }
    return best;
}

double gap_of(std::vector<double> azimuths) {
    if (azimuths.empty()) return not_known;
    std::sort(azimuths.begin(), azimuths.end());
    double gap = azimuths.front() + 360 - azimuths.back();
    for (std::size_t n = 1; n < azimuths.size(); ++n) {
        gap = std::max(gap, azimuths[n] - azimuths[n - 1]);
    }
    return gap;
}

/// Residuals, weights and angles of the picks at the place that was found.
void describe(const LocateJob& job, const Likelihood& likelihood, Hypocentre& found,
              std::vector<PickFit>& fits) {
    Likelihood::Work work;
    likelihood.at(found.position, 0, work);
    double squares = 0;
    double weights = 0;
    std::vector<double> azimuths;
    for (std::size_t n = 0; n < likelihood.picks().size(); ++n) {
        const UsedPick& pick = likelihood.picks()[n];
        if (!std::isfinite(work.travel[n])) continue;
        const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(pick.arrival)];
        PickFit& fit = fits[static_cast<std::size_t>(pick.arrival)];
        fit.travel_time = work.travel[n];
        fit.residual = pick.time - work.travel[n] - found.origin_time;
        fit.deviation = std::sqrt(work.variance[n]);
        fit.weight = likelihood.trust(fit.residual, work.variance[n]);
        const Vec3 to = job.fields.way(found.position, job.survey.station_of(arrival).position);
        fit.distance = std::hypot(to.x, to.y);
        fit.azimuth = azimuth_of(to);
        // The field's wave comes from the station, the event's goes to it.
        const Vec3 arriving = job.fields.time_point(pick.field, found.position).gradient;
        const Vec3 leaving = -1.0 * job.fields.in_lengths(found.position, arriving);
        fit.ray_azimuth = azimuth_of(leaving);
        fit.take_off = take_off_of(leaving);
        squares += fit.weight * fit.residual * fit.residual;
        weights += fit.weight;
        if (fit.weight < 0.5) continue;
        ++found.used;
        azimuths.push_back(fit.azimuth);
        if (!(found.nearest <= fit.distance)) found.nearest = fit.distance;
    }
    if (weights > 0) found.rms = std::sqrt(squares / weights);
    found.gap = gap_of(std::move(azimuths));
}

}  // namespace

Hypocentre locate_event(const LocateJob& job, std::size_t number,
                        std::span<const std::int32_t> arrivals,
                        const std::array<double, phase_count>& model_error, bool draw,
                        std::vector<PickFit>& fits) {
    const Event& event = job.survey.events[number];
    Hypocentre found;
    found.picks = static_cast<int>(arrivals.size());
    std::vector<UsedPick> picks = used_picks(job, arrivals, model_error);
    if (picks.size() < static_cast<std::size_t>(job.options.least_picks)) {
        found.status = LocationStatus::few_picks;
        return found;
    }
    Region region = job.region;
    const Vec3 kept = fix_axes(job, event, region);
    const Likelihood likelihood(job.fields, std::move(picks), prior_of(job, event), job.options);
    Likelihood::Work work;
    const bool whole = region.free == job.region.free;
    const auto first = [&] {
        if (whole) return judge_first(likelihood, job.first, work);
        std::vector<TreeCell> cells =
            filling_cells(region, kept, static_cast<int>(job.first.size()));
        judge_cells(likelihood, region, cells, work);
        return cells;
    };
    const std::vector<TreeCell> cells = grow_tree(
        likelihood, region, first(), {tree_cells(job.options), 0.7 * likelihood.reach()}, work);
    if (cells.empty()) return found;
    const Peak peak = highest_peak(likelihood, region, cells, work);
    found.status = region.at_face(peak.place) ? LocationStatus::at_face : LocationStatus::located;
    found.position = peak.place;
    found.origin_time = peak.origin_time;
    found.covariance = peak.covariance;
    found.time_error = std::sqrt(peak.time_variance);
    if (draw && job.options.samples > 0) {
        constexpr int least_tree = 3000;
        RandomStream random(static_cast<std::uint64_t>(job.options.seed), number);
        found.posterior =
            sample_posterior(likelihood, region, first(),
                             std::max({tree_cells(job.options), least_tree, job.options.samples}),
                             job.options.samples, random, work);
        if (!found.posterior.places.empty()) found.covariance = found.posterior.covariance;
    }
    found.ellipsoid = ellipsoid_of(found.covariance);
    found.reach = region_reach(region.dimensions());
    describe(job, likelihood, found, fits);
    return found;
}

}  // namespace fermat
