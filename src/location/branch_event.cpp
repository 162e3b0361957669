#include "location/branch_event.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "location/dense_cholesky.hpp"
#include "location/ellipsoid.hpp"
#include "location/event_job.hpp"
#include "location/refine.hpp"

namespace fermat {
namespace {

constexpr double impossible = -1e300;

Vec3 product(const Matrix3& matrix, Vec3 v) {
    Vec3 out;
    for (int a = 0; a < 3; ++a) {
        const auto& row = matrix[static_cast<std::size_t>(a)];
        out[a] = row[0] * v.x + row[1] * v.y + row[2] * v.z;
    }
    return out;
}

}  // namespace

struct BranchEvent::Step {
    Matrix3 curvature{};
    Vec3 slope;
    Vec3 mean_gradient;  ///< of the times, by weight
    double mean_residual = 0;
    double weight = 0;   ///< 1 / variance of the origin time at a given place
    double squares = 0;  ///< the misfit, with the best origin time
    bool known = false;
};

void BranchEvent::add(std::int32_t arrival, const Branch& branch, const LayeredMedium& medium) {
    const auto n = static_cast<std::size_t>(arrival);
    const Arrival& one = survey.arrivals[n];
    Vec3 station = survey.station_of(one).position;
    if (medium.grid().is_2d()) station.y = medium.grid().origin.y;
    try {
        medium.layer_of(station, "");
        medium.model(0, one.phase);
    } catch (const InputError&) {
        return;  // told with the picks that have no ray
    }
    picks.push_back(
        {arrival, &branch, one.phase, station, flat.station_of(one).position, one.time, one.error});
}

double BranchEvent::variance_of(const BranchPick& pick, double travel, double spread) const {
    const double own = errors.own[static_cast<std::size_t>(pick.wave)];
    const double share = options.model_error_share * travel;
    return spread * spread + std::max(pick.error * pick.error + own * own + share * share +
                                          errors.common_variance(pick.wave, travel),
                                      least_variance);
}

double BranchEvent::background() const {
    double earliest = std::numeric_limits<double>::infinity();
    double latest = -earliest;
    double deviation = 0;
    for (const BranchPick& pick : picks) {
        earliest = std::min(earliest, pick.time);
        latest = std::max(latest, pick.time);
        deviation = std::max(deviation, std::sqrt(variance_of(pick, 0, 0)));
    }
    const double window = std::max(2 * (latest - earliest), 20 * deviation);
    return window > 0 ? options.outliers / window : 0;
}

double BranchEvent::wide() const {
    constexpr double share = 0.03;
    const auto [first, last] = std::minmax_element(
        picks.begin(), picks.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    return share * (last->time - first->time);
}

double BranchEvent::trust(double residual, double variance) const {
    const double gross = background();
    if (gross == 0) return 1;
    const double good = (1 - options.outliers) / std::sqrt(2 * std::numbers::pi * variance) *
                        std::exp(-0.5 * residual * residual / variance);
    return good / (good + gross);
}

BranchEvent::Trial BranchEvent::judged(const Region& region, Vec3 place, bool slopes,
                                       double spread) const {
    Trial trial{place};
    trial.spread = spread;
    if (!region.allows(place) || !times.holds(place)) return trial;
    trial.at = times.at(place, picks, slopes);
    std::vector<double> origins;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        if (std::isfinite(trial.at[n].travel)) {
            origins.push_back(picks[n].time - trial.at[n].travel);
        }
    }
    if (origins.empty()) return trial;
    const auto middle = origins.begin() + static_cast<std::ptrdiff_t>(origins.size() / 2);
    std::nth_element(origins.begin(), middle, origins.end());
    trial.onset = *middle;
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
        double sum = 0;
        double weights = 0;
        for (std::size_t n = 0; n < picks.size(); ++n) {
            if (!std::isfinite(trial.at[n].travel)) continue;
            const double residual = picks[n].time - trial.at[n].travel - trial.onset;
            const double variance = variance_of(picks[n], trial.at[n].travel, spread);
            const double weight = trust(residual, variance) / variance;
            sum += weight * residual;
            weights += weight;
        }
        if (!(weights > 0)) break;
        trial.onset += sum / weights;
    }
    const double gross = background();
    trial.log = 0;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const double travel = trial.at[n].travel;
        if (!std::isfinite(travel)) {
            trial.log += std::log(std::max(gross, 1e-30));
            continue;
        }
        const double residual = picks[n].time - travel - trial.onset;
        const double variance = variance_of(picks[n], travel, spread);
        const double good = (1 - options.outliers) / std::sqrt(2 * std::numbers::pi * variance) *
                            std::exp(-0.5 * residual * residual / variance);
        trial.log += std::log(std::max(good + gross, 1e-300));
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!(options.prior[axis] > 0)) continue;
        const double off = (place[axis] - flat.events[number].position[axis]) / options.prior[axis];
        trial.log -= 0.5 * off * off;
    }
    return trial;
}

std::vector<double> BranchEvent::weights_at(const Trial& trial) const {
    std::vector<double> out(picks.size(), 0);
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const double travel = trial.at[n].travel;
        if (!std::isfinite(travel)) continue;
        const double residual = picks[n].time - travel - trial.onset;
        out[n] = trust(residual, variance_of(picks[n], travel, trial.spread));
    }
    return out;
}

BranchEvent::Step BranchEvent::step_at(const Region& region, const Trial& trial,
                                       std::span<const double> weights, bool shared) const {
    constexpr double least_weight = 0.01;
    std::vector<std::size_t> used;
    std::vector<ErrorPick> known;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const BranchTime& at = trial.at[n];
        if (!std::isfinite(at.travel) || weights[n] < least_weight) continue;
        const double variance = variance_of(picks[n], at.travel, trial.spread);
        const double common = shared ? errors.common_variance(picks[n].wave, at.travel) : 0;
        const double added = variance * (1 / weights[n] - 1);
        used.push_back(n);
        known.push_back({picks[n].flat_station, at.leaving, picks[n].wave, at.travel,
                         std::max(variance - common, least_variance) + added});
    }
    Step step;
    if (used.size() < static_cast<std::size_t>(region.dimensions()) + 1) return step;
    const DenseCholesky factor(error_covariance(shared ? errors : ModelErrors{}, known),
                               used.size());
    if (!factor.definite()) return step;
    std::array<std::vector<double>, 5> columns;  // 1, the gradients, the residuals
    for (const std::size_t n : used) {
        columns[0].push_back(1);
        for (int axis = 0; axis < 3; ++axis) {
            columns[static_cast<std::size_t>(axis) + 1].push_back(trial.at[n].gradient[axis]);
        }
        columns[4].push_back(picks[n].time - trial.at[n].travel - trial.onset);
    }
    for (std::vector<double>& column : columns) factor.solve_lower(column);
    const auto times_of = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t n = 0; n < used.size(); ++n) sum += columns[a][n] * columns[b][n];
        return sum;
    };
    step.known = true;
    step.weight = times_of(0, 0);
    step.mean_residual = times_of(0, 4) / step.weight;
    step.squares = times_of(4, 4) - step.weight * step.mean_residual * step.mean_residual;
    for (std::size_t a = 0; a < 3; ++a) {
        step.mean_gradient[static_cast<int>(a)] = times_of(0, a + 1) / step.weight;
    }
    for (std::size_t a = 0; a < 3; ++a) {
        const double own = times_of(0, a + 1);
        step.slope[static_cast<int>(a)] = times_of(a + 1, 4) - own * step.mean_residual;
        for (std::size_t b = 0; b < 3; ++b) {
            step.curvature[a][b] = times_of(a + 1, b + 1) - own * times_of(0, b + 1) / step.weight;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (!region.free[a]) continue;
        const double length = region.box.high[axis] - region.box.low[axis];
        step.curvature[a][a] += 12 / (length * length);
        if (!(options.prior[axis] > 0)) continue;
        const double precision = 1 / (options.prior[axis] * options.prior[axis]);
        const double off = flat.events[number].position[axis] - trial.place[axis];
        step.curvature[a][a] += precision;
        step.slope[axis] += precision * off;
        step.squares += precision * off * off;
    }
    return step;
}

BranchEvent::Trial BranchEvent::climb(const Region& region, Vec3 start, double spread) const {
    constexpr int most_steps = 20;
    Trial here = judged(region, start, true, spread);
    double damping = 1e-3;
    for (int n = 0; n < most_steps && here.log > impossible; ++n) {
        const Step step = step_at(region, here, weights_at(here), false);
        if (!step.known) break;
        bool moved = false;
        double length = 0;
        for (int halving = 0; halving < 8 && !moved; ++halving) {
            Matrix3 matrix = step.curvature;
            for (std::size_t a = 0; a < 3; ++a) matrix[a][a] *= 1 + damping;
            const Vec3 way = product(inverse_of_free(matrix, region.free), step.slope);
            const Vec3 next = region.clamp(here.place + way);
            length = norm(next - here.place);
            if (length == 0) break;
            Trial there = judged(region, next, true, spread);
            moved = there.log > here.log;
            if (moved) here = std::move(there);
            damping = moved ? std::max(0.1 * damping, 1e-6) : std::max(4 * damping, 0.1);
        }
        const double close = 1e-3 * std::sqrt(1 / std::max(step.curvature[2][2], 1e-30));
        if (!moved || length < close) break;
    }
    return here;
}

BranchEvent::Trial BranchEvent::narrowed(const Region& region, Vec3 start) const {
    constexpr std::array<double, 4> shares = {1, 0.3, 0.1, 0};
    Trial here{start};
    for (const double share : shares) {
        Trial peak = climb(region, here.place, share * wide());
        if (!(peak.log > impossible)) break;
        here = std::move(peak);
    }
    return here.spread == 0 ? here : Trial{start};
}

Hypocentre BranchEvent::locate(std::span<const Vec3> starts, std::vector<PickFit>& fits) const {
    Hypocentre event;
    event.picks = static_cast<int>(std::count_if(
        survey.arrivals.begin(), survey.arrivals.end(),
        [&](const Arrival& one) { return static_cast<std::size_t>(one.event) == number; }));
    if (picks.size() < static_cast<std::size_t>(options.least_picks)) {
        event.status = LocationStatus::few_picks;
        return event;
    }
    Region region = model_region;
    const bool depth = options.fixed == Fixed::depth || options.fixed == Fixed::place;
    const bool epicentre = options.fixed == Fixed::epicentre || options.fixed == Fixed::place;
    if (depth || options.depth) region.free[2] = false;
    if (epicentre) region.free[0] = region.free[1] = false;

    Trial best;
    for (const Vec3 start : starts) {
        for (Trial peak : {climb(region, start, 0), narrowed(region, start)}) {
            if (peak.log > best.log) best = std::move(peak);
        }
    }
    if (region.free[2] && best.log > impossible) {
        // Depth is what first arrivals tell least of: others are tried below the epicentre.
        constexpr int depths = 6;
        Trial other;
        for (int n = 0; n < depths; ++n) {
            Vec3 place = best.place;
            const double share = (n + 0.5) / depths;
            place.z = region.box.low.z + share * share * (region.box.high.z - region.box.low.z);
            Trial trial = judged(region, place, false, wide());
            if (trial.log > other.log) other = std::move(trial);
        }
        if (other.log > impossible) {
            Trial peak = narrowed(region, other.place);
            if (peak.log > best.log) best = std::move(peak);
        }
    }
    if (!(best.log > impossible)) return event;
    // The last steps know what errors have in common; which picks are gross stands.
    const std::vector<double> weights = weights_at(best);
    Step step = step_at(region, best, weights, errors.is_shared());
    for (int n = 0; n < 4 && errors.is_shared() && step.known; ++n) {
        const Vec3 way = product(inverse_of_free(step.curvature, region.free), step.slope);
        Trial there = judged(region, region.clamp(best.place + way), true, 0);
        if (!(there.log > impossible)) break;
        const Step next = step_at(region, there, weights, true);
        if (!next.known || !(next.squares < step.squares)) break;
        const bool settled = step.squares - next.squares < 1e-4;
        best = std::move(there);
        step = next;
        if (settled) break;
    }
    if (!step.known) return event;
    best.onset += step.mean_residual;
    event.position = best.place;
    event.origin_time = best.onset;
    event.covariance = inverse_of_free(step.curvature, region.free);
    event.time_error = std::sqrt(
        1 / step.weight + dot(product(event.covariance, step.mean_gradient), step.mean_gradient));
    event.ellipsoid = ellipsoid_of(event.covariance);
    event.reach = region_reach(region.dimensions());
    event.status = region.at_face(best.place) ? LocationStatus::at_face
                   : region.at_ground(best.place, 0.05 * std::sqrt(event.covariance[2][2]))
                       ? LocationStatus::at_ground
                       : LocationStatus::located;
    describe(best, event, fits);
    return event;
}

void BranchEvent::describe(const Trial& trial, Hypocentre& event,
                           std::vector<PickFit>& fits) const {
    const Mapping& mapping = model_region.model.place().mapping();
    double squares = 0;
    double weights = 0;
    std::vector<double> azimuths;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        const BranchTime& at = trial.at[n];
        if (!std::isfinite(at.travel)) continue;
        const BranchPick& pick = picks[n];
        PickFit& fit = fits[static_cast<std::size_t>(pick.arrival)];
        fit.travel_time = at.travel;
        fit.residual = pick.time - at.travel - trial.onset;
        const double variance = variance_of(pick, at.travel, 0);
        fit.deviation = std::sqrt(variance);
        fit.weight = trust(fit.residual, variance);
        const Vec3 to = mapping.flat_way(trial.place, pick.flat_station);
        fit.distance = std::hypot(to.x, to.y);
        fit.azimuth = azimuth_of(to);
        fit.ray_azimuth = azimuth_of(at.leaving);
        fit.take_off = take_off_of(at.leaving);
        squares += fit.weight * fit.residual * fit.residual;
        weights += fit.weight;
        if (fit.weight < 0.5) continue;
        ++event.used;
        azimuths.push_back(fit.azimuth);
        if (!(event.nearest <= fit.distance)) event.nearest = fit.distance;
    }
    if (weights > 0) event.rms = std::sqrt(squares / weights);
    event.gap = gap_of(std::move(azimuths));
}

}  // namespace fermat
