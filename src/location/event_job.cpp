#include "location/event_job.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/expect.hpp"
#include "core/random_stream.hpp"
#include "location/posterior.hpp"
#include "location/refine.hpp"

namespace fermat {

Vec3 leaving_ray(const LocateJob& job, int field, Vec3 place) {
    // The field's wave comes from the station, the event's goes to it.
    const Vec3 arriving = job.fields.time_point(field, place).gradient;
    const Vec3 leaving = -1.0 * job.fields.in_lengths(place, arriving);
    const double length = norm(leaving);
    return length > 0 ? leaving / length : Vec3{};
}

int sector_of(double azimuth, int sectors) {
    return std::clamp(static_cast<int>(azimuth / 360 * sectors), 0, sectors - 1);
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
        picks.push_back({field, job.fields.stretch(arrival.phase), job.time_of(n),
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

/// Variance of a pick at the place whose times of travel are in `work`.
double variance_of(const Likelihood& likelihood, const ModelErrors& errors, const LocateJob& job,
                   std::size_t n, const Likelihood::Work& work) {
    if (!errors.is_shared()) return work.variance[n];
    const UsedPick& pick = likelihood.picks()[n];
    const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(pick.arrival)];
    const double own = errors.own[static_cast<std::size_t>(arrival.phase)];
    const double common = errors.common_variance(arrival.phase, work.travel[n]);
    const double share = job.options.model_error_share * work.travel[n];
    return std::max(arrival.error * arrival.error + own * own + common + share * share,
                    job.least_variance);
}

/// How much a pick at a distance counts: all within `near`, nothing beyond `far`.
double distance_weight(const LocateOptions& options, double distance) {
    if (!options.far || distance <= options.near) return 1;
    if (distance >= *options.far) return 0;
    const double part = (distance - options.near) / (*options.far - options.near);
    return 0.5 + 0.5 * std::cos(std::numbers::pi * part);
}

/// Picks that count, and the covariance of their errors, as they are seen from a place.
struct WeighedPicks {
    std::vector<UsedPick> picks;
    std::vector<ErrorPick> errors;
};

/// By how much picks count less so that those of each sector count as much as those of the one that
/// has the fewest. Picks with a weight below a half are no reason to.
std::vector<double> sector_weights(std::span<const double> azimuths,
                                   std::span<const double> weights, int sectors) {
    std::vector<int> counts(static_cast<std::size_t>(sectors), 0);
    const auto sector = [&](std::size_t n) {
        return static_cast<std::size_t>(sector_of(azimuths[n], sectors));
    };
    for (std::size_t n = 0; n < azimuths.size(); ++n) {
        if (weights[n] >= 0.5) ++counts[sector(n)];
    }
    int fewest = 0;
    for (const int count : counts) {
        if (count > 0 && (fewest == 0 || count < fewest)) fewest = count;
    }
    std::vector<double> out(azimuths.size(), 1);
    for (std::size_t n = 0; n < azimuths.size(); ++n) {
        if (const int count = counts[sector(n)]; count > 0) {
            out[n] = static_cast<double>(fewest) / count;
        }
    }
    return out;
}

/// A pick that is gross with some probability, if that is `judged`, far away or one of many in a
/// sector of azimuth has as much more variance.
WeighedPicks weigh_picks(const LocateJob& job, const Likelihood& likelihood,
                         const ModelErrors& errors, Vec3 place, double origin_time, bool judged) {
    constexpr double least_weight = 0.01;
    Likelihood::Work work;
    likelihood.at(place, 0, work);
    std::vector<std::size_t> numbers;
    std::vector<double> weights;
    std::vector<double> azimuths;
    for (std::size_t n = 0; n < likelihood.picks().size(); ++n) {
        if (!std::isfinite(work.travel[n])) continue;
        const UsedPick& pick = likelihood.picks()[n];
        const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(pick.arrival)];
        const Vec3 way = job.fields.way(place, job.survey.station_of(arrival).position);
        double weight = distance_weight(job.options, std::hypot(way.x, way.y));
        const double residual = pick.time - work.travel[n] - origin_time;
        if (judged) {
            weight *= likelihood.trust(residual, variance_of(likelihood, errors, job, n, work));
        }
        if (weight < least_weight) continue;
        numbers.push_back(n);
        weights.push_back(weight);
        azimuths.push_back(azimuth_of(way));
    }
    if (job.options.azimuth_sectors > 0) {
        const auto balance = sector_weights(azimuths, weights, job.options.azimuth_sectors);
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= balance[k];
    }
    WeighedPicks out;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::size_t n = numbers[k];
        UsedPick pick = likelihood.picks()[n];
        const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(pick.arrival)];
        const Vec3 way = job.fields.way(place, job.survey.station_of(arrival).position);
        const double variance = variance_of(likelihood, errors, job, n, work);
        const double added = variance * (1 / weights[k] - 1);
        pick.variance += added;
        const double common = errors.common_variance(arrival.phase, work.travel[n]);
        out.errors.push_back({{way.x, way.y, 0},
                              leaving_ray(job, pick.field, place),
                              arrival.phase,
                              work.travel[n],
                              std::max(variance - common, job.least_variance) + added});
        out.picks.push_back(pick);
    }
    return out;
}

/// An event's place by all that is known of errors, from a place that independent errors find.
struct Refined {
    Likelihood likelihood;
    Peak peak;
};

/// Gaussian errors with a covariance; weights are found again at the place they lead to.
Refined refine_gaussian(const LocateJob& job, const Likelihood& likelihood,
                        const ModelErrors& errors, const Region& region, Peak peak) {
    constexpr int rounds = 2;
    Likelihood refined = likelihood;
    for (int round = 0; round < rounds; ++round) {
        WeighedPicks weighed =
            weigh_picks(job, likelihood, errors, peak.place, peak.origin_time, true);
        if (weighed.picks.size() < static_cast<std::size_t>(region.dimensions()) + 1) break;
        LocateOptions options = job.options;
        options.likelihood = LikelihoodKind::gaussian;
        refined = Likelihood(job.fields, std::move(weighed.picks), likelihood.prior(), options)
                      .with_covariance(error_covariance(errors, weighed.errors));
        Likelihood::Work work;
        peak = climb(refined, region, peak.place, 0, work);
    }
    return {std::move(refined), peak};
}

/// Pairs with weights by distance and azimuth.
Refined refine_pairs(const LocateJob& job, const Likelihood& likelihood, const ModelErrors& errors,
                     const Region& region, Peak peak) {
    WeighedPicks weighed =
        weigh_picks(job, likelihood, errors, peak.place, peak.origin_time, false);
    if (weighed.picks.size() < 2) return {likelihood, peak};
    Likelihood refined(job.fields, std::move(weighed.picks), likelihood.prior(), job.options);
    Likelihood::Work work;
    peak = climb(refined, region, peak.place, 0, work);
    return {std::move(refined), peak};
}

/// Residuals, weights and angles of the picks at the place that was found.
void describe(const LocateJob& job, const Likelihood& likelihood, const ModelErrors& errors,
              Hypocentre& found, std::vector<PickFit>& fits) {
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
        const double variance = variance_of(likelihood, errors, job, n, work);
        fit.deviation = std::sqrt(variance);
        fit.weight = likelihood.trust(fit.residual, variance);
        if (!job.corrections.empty()) {
            fit.term = job.corrections[static_cast<std::size_t>(pick.arrival)];
        }
        const Vec3 to = job.fields.way(found.position, job.survey.station_of(arrival).position);
        fit.distance = std::hypot(to.x, to.y);
        fit.azimuth = azimuth_of(to);
        const Vec3 leaving = leaving_ray(job, pick.field, found.position);
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

LocationStatus status_of(const Region& region, const Peak& peak) {
    if (region.at_face(peak.place)) return LocationStatus::at_face;
    const double error = std::sqrt(peak.covariance[2][2]);
    return region.at_ground(peak.place, 0.05 * error) ? LocationStatus::at_ground
                                                      : LocationStatus::located;
}

}  // namespace

Hypocentre locate_event(const LocateJob& job, std::size_t number,
                        std::span<const std::int32_t> arrivals, const ModelErrors& errors,
                        bool draw, std::vector<PickFit>& fits) {
    FERMAT_EXPECT(number < job.survey.events.size());
    const Event& event = job.survey.events[number];
    Hypocentre found;
    found.picks = static_cast<int>(arrivals.size());
    std::vector<UsedPick> picks = used_picks(job, arrivals, errors.typical());
    if (picks.size() < static_cast<std::size_t>(job.options.least_picks)) {
        found.status = LocationStatus::few_picks;
        return found;
    }
    Region region = job.region;
    const Vec3 kept = fix_axes(job, event, region);
    const Likelihood likelihood(job.fields, std::move(picks), prior_of(job, event), job.options);
    Likelihood::Work work;
    const bool whole = region.free == job.region.free;
    const auto first = [&](const Likelihood& judge, Likelihood::Work& memory) {
        if (whole) return judge_first(judge, job.first, memory);
        std::vector<TreeCell> cells =
            filling_cells(region, kept, static_cast<int>(job.first.size()));
        judge_cells(judge, region, cells, memory);
        return cells;
    };
    Peak peak;
    if (!job.starts.empty() && is_finite(job.starts[number])) {
        peak = climb(likelihood, region, job.starts[number], 0, work);
    } else {
        const std::vector<TreeCell> cells =
            grow_tree(likelihood, region, first(likelihood, work),
                      {tree_cells(job.options), 0.7 * likelihood.reach()}, work);
        if (cells.empty()) return found;
        peak = highest_peak(likelihood, region, cells, work);
    }
    Refined refined{likelihood, peak};
    if (errors.is_shared() || job.options.far || job.options.azimuth_sectors > 0) {
        // Pairs find a place that gross errors do not move, and which picks are gross there. How
        // far it is to be trusted, errors that stations share tell better than the number of pairs.
        refined = likelihood.kind() == LikelihoodKind::edt && !errors.is_shared()
                      ? refine_pairs(job, likelihood, errors, region, peak)
                      : refine_gaussian(job, likelihood, errors, region, peak);
        peak = refined.peak;
    }
    found.status = status_of(region, peak);
    found.position = peak.place;
    found.origin_time = peak.origin_time;
    found.covariance = peak.covariance;
    found.time_error = std::sqrt(peak.time_variance);
    if (draw && job.options.samples > 0) {
        constexpr int least_tree = 3000;
        RandomStream random(static_cast<std::uint64_t>(job.options.seed), number);
        Likelihood::Work memory;
        found.posterior =
            sample_posterior(refined.likelihood, region, first(refined.likelihood, memory),
                             std::max({tree_cells(job.options), least_tree, job.options.samples}),
                             job.options.samples, random, memory);
        if (!found.posterior.places.empty()) found.covariance = found.posterior.covariance;
    }
    found.ellipsoid = ellipsoid_of(found.covariance);
    found.reach = region_reach(region.dimensions());
    describe(job, likelihood, errors, found, fits);
    return found;
}

}  // namespace fermat
