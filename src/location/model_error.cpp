#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/median.hpp"
#include "core/parallel.hpp"
#include "location/event_job.hpp"

namespace fermat {
namespace {

using Errors = std::array<double, phase_count>;

constexpr std::size_t most_events = 300;
constexpr int most_rounds = 6;
constexpr std::size_t least_of_phase = 20;
constexpr std::size_t most_samples = 60;  ///< events whose residuals tell what is shared
constexpr std::size_t least_samples = 15;
constexpr std::size_t most_picks = 60;  ///< of each
constexpr std::size_t least_picks = 8;

/// Residuals with what is said of them.
struct Sizes {
    std::vector<std::pair<double, double>> residuals;  ///< absolute, and their trust
    std::vector<double> errors;
    double trust = 0;

    void add(double residual, double weight, double error) {
        residuals.emplace_back(std::abs(residual), weight);
        errors.push_back(error);
        trust += weight;
    }
};

/// The residual below which half of the trust lies: gross errors count little.
double trusted_median(std::vector<std::pair<double, double>>& values, double trust) {
    std::sort(values.begin(), values.end());
    double below = 0;
    for (const auto& [size, weight] : values) {
        below += weight;
        if (below >= 0.5 * trust) return size;
    }
    return values.back().first;
}

/// What the model adds to the errors of picks that residuals are larger than. None if the residuals
/// are larger by no more than chance makes them.
double excess(Sizes sizes, double freedom) {
    if (!(sizes.trust > 0)) return 0;
    // The median of a Gaussian's absolute values is 0.6745 standard deviations, and that of n of
    // them is known to 1.17 / sqrt(n) of itself.
    const double deviation = trusted_median(sizes.residuals, sizes.trust) / 0.6745 * freedom;
    const double given = upper_median(sizes.errors);
    const double chance = 2 * 1.17 / std::sqrt(sizes.trust);
    if (deviation < (1 + chance) * given) return 0;
    return std::sqrt(deviation * deviation - given * given);
}

/// Events with enough picks, spread evenly over the survey.
std::vector<std::size_t> events_of(const LocateJob& job, const ArrivalLists& lists) {
    std::vector<std::size_t> rich;
    for (std::size_t n = 0; n < lists.size(); ++n) {
        // Residuals of four picks or fewer say nothing.
        if (lists[n].size() >=
            std::max<std::size_t>(6, static_cast<std::size_t>(job.options.least_picks))) {
            rich.push_back(n);
        }
    }
    if (rich.size() <= most_events) return rich;
    std::vector<std::size_t> some;
    for (std::size_t n = 0; n < most_events; ++n) {
        some.push_back(rich[n * rich.size() / most_events]);
    }
    return some;
}

Errors found_of(const LocateJob& job, const ArrivalLists& lists,
                std::span<const std::size_t> events, std::span<const Hypocentre> found,
                std::span<const PickFit> fits) {
    std::array<Sizes, phase_count> sizes;
    Sizes all;
    double unknowns = 0;
    for (std::size_t n = 0; n < events.size(); ++n) {
        if (!is_located(found[n].status)) continue;
        unknowns += 4;
        for (const std::int32_t a : lists[events[n]]) {
            const PickFit& fit = fits[static_cast<std::size_t>(a)];
            if (std::isnan(fit.residual)) continue;
            const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(a)];
            const double share = job.options.model_error_share * fit.travel_time;
            const double error = std::hypot(arrival.error, share);
            const auto phase = static_cast<std::size_t>(arrival.phase);
            sizes[phase].add(fit.residual, fit.weight, error);
            all.add(fit.residual, fit.weight, error);
        }
    }
    if (!(all.trust > unknowns)) return {};
    const double freedom = std::sqrt(all.trust / (all.trust - unknowns));
    Errors out;
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        const bool enough = sizes[phase].errors.size() >= least_of_phase;
        out[phase] = excess(enough ? sizes[phase] : all, freedom);
    }
    return out;
}

/// Residuals of an event that is located, without gross ones, for fit_model_errors().
ErrorSample sample_of(const LocateJob& job, std::span<const std::int32_t> arrivals,
                      const Hypocentre& event, std::span<const PickFit> fits) {
    constexpr double trusted = 0.5;
    std::vector<std::int32_t> kept;
    for (const std::int32_t a : arrivals) {
        const PickFit& fit = fits[static_cast<std::size_t>(a)];
        if (std::isfinite(fit.residual) && fit.weight >= trusted) kept.push_back(a);
    }
    ErrorSample sample;
    sample.free = job.region.free;
    for (std::size_t n = 0; n < std::min(kept.size(), most_picks); ++n) {
        const std::int32_t a = kept[n * kept.size() / std::min(kept.size(), most_picks)];
        const PickFit& fit = fits[static_cast<std::size_t>(a)];
        const Arrival& arrival = job.survey.arrivals[static_cast<std::size_t>(a)];
        const Vec3 way = job.fields.way(event.position, job.survey.station_of(arrival).position);
        const double share = job.options.model_error_share * fit.travel_time;
        const double reading = std::hypot(arrival.error, share);
        sample.picks.push_back({{way.x, way.y, 0},
                                leaving_ray(job, job.fields.of(arrival), event.position),
                                arrival.phase,
                                fit.travel_time,
                                std::max(reading * reading, job.least_variance)});
        sample.residuals.push_back(fit.residual);
        const TimePoint at = job.fields.time_point(job.fields.of(arrival), event.position);
        sample.gradients.push_back(job.fields.stretch(arrival.phase) * at.gradient);
    }
    return sample;
}

/// What stations share of errors whose sizes are known. Which picks are gross is judged once more
/// by the errors that were found: those of long ways are larger.
ModelErrors share_errors(const LocateJob& job, const ArrivalLists& lists,
                         std::span<const std::size_t> events, std::vector<Hypocentre>& found,
                         std::vector<PickFit>& fits, const Errors& sizes, int threads) {
    ModelErrors out;
    out.own = sizes;
    if (*std::max_element(sizes.begin(), sizes.end()) == 0) return out;
    constexpr int rounds = 2;
    const std::size_t some = std::min(events.size(), most_samples);
    for (int round = 0; round < rounds; ++round) {
        std::vector<ErrorSample> samples;
        for (std::size_t i = 0; i < some; ++i) {
            const std::size_t n = i * events.size() / some;
            if (!is_located(found[n].status)) continue;
            ErrorSample sample = sample_of(job, lists[events[n]], found[n], fits);
            if (sample.picks.size() >= least_picks) samples.push_back(std::move(sample));
        }
        if (samples.size() < least_samples) return out;
        out = round == 0 ? fit_model_errors(samples, sizes, threads)
                         : fit_model_errors(samples, out, threads);
        if (!out.is_shared() || round + 1 == rounds) break;
        parallel_for(static_cast<std::int64_t>(some), threads, [&](std::int64_t i) {
            const std::size_t n = static_cast<std::size_t>(i) * events.size() / some;
            found[n] = locate_event(job, events[n], lists[events[n]], out, false, fits);
        });
    }
    return out;
}

/// Lets further rounds climb from the places that a search of the whole box found, where all picks
/// of an event agree: other sizes of the errors hardly move them. Where some are gross, and by
/// pairs of picks, the probability has many peaks: these search again.
void begin_where_found(LocateJob& job, std::span<const std::size_t> events,
                       std::span<const Hypocentre> found) {
    if (job.options.likelihood == LikelihoodKind::edt) return;
    job.starts.assign(job.survey.events.size(), {not_known, not_known, not_known});
    for (std::size_t n = 0; n < events.size(); ++n) {
        const bool agreed = found[n].used == found[n].picks;
        if (is_located(found[n].status) && agreed) job.starts[events[n]] = found[n].position;
    }
}

}  // namespace

ModelErrors given_errors(const LocateOptions& options) {
    ModelErrors out;
    const double size = options.model_error.value_or(0);
    const double length = options.error_length.value_or(0);
    out.length = length;
    (length > 0 ? out.shared : out.own).fill(size);
    return out;
}

ModelErrors sizes_of_errors(const ModelErrors& errors) {
    ModelErrors out;
    out.own = errors.typical();
    return out;
}

ModelErrors errors_of_residuals(const LocateJob& job, const ArrivalLists& lists,
                                std::span<const Hypocentre> events, std::span<const PickFit> fits) {
    if (job.options.model_error) return sizes_of_errors(given_errors(job.options));
    std::vector<std::size_t> all(lists.size());
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
    ModelErrors out;
    out.own = found_of(job, lists, all, events, fits);
    return out;
}

ModelErrors find_model_errors(const LocateJob& job, const ArrivalLists& lists, int threads) {
    if (job.options.model_error) return given_errors(job.options);
    const std::vector<std::size_t> events = events_of(job, lists);
    if (events.empty()) return {};
    // The first guess is wide, so that no pick is taken for gross because of it.
    const double across = distance(job.region.box.low, job.region.box.high);
    Errors errors;
    for (std::size_t p = 0; p < phase_count; ++p) errors[p] = 0.02 * across * job.slowness[p];
    std::vector<PickFit> fits(job.survey.arrivals.size());
    std::vector<Hypocentre> found(events.size());
    LocateJob climbing = job;
    for (int round = 0; round < most_rounds; ++round) {
        if (round > 0) begin_where_found(climbing, events, found);
        parallel_for(static_cast<std::int64_t>(events.size()), threads, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            ModelErrors independent;
            independent.own = errors;
            found[n] =
                locate_event(climbing, events[n], lists[events[n]], independent, false, fits);
        });
        const Errors next = found_of(job, lists, events, found, fits);
        bool stands = true;
        for (std::size_t p = 0; p < phase_count; ++p) {
            stands = stands && std::abs(next[p] - errors[p]) <= 0.05 * errors[p];
        }
        errors = next;
        if (stands) break;
    }
    if (job.options.error_length) {
        ModelErrors out;
        out.length = *job.options.error_length;
        (out.is_shared() ? out.shared : out.own) = errors;
        return out;
    }
    return share_errors(job, lists, events, found, fits, errors, threads);
}

}  // namespace fermat
