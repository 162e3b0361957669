#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "location/event_job.hpp"

namespace fermat {
namespace {

using Errors = std::array<double, phase_count>;

constexpr std::size_t most_events = 300;
constexpr int most_rounds = 6;
constexpr std::size_t least_of_phase = 20;

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// What the model adds to the errors of picks that residuals are larger than.
double excess(std::vector<double> residuals, std::vector<double> errors, double freedom) {
    if (residuals.empty()) return 0;
    // The median of a Gaussian's absolute values is 0.6745 standard deviations.
    const double deviation = median(residuals) / 0.6745 * freedom;
    const double given = median(errors);
    return std::sqrt(std::max(deviation * deviation - given * given, 0.0));
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
    std::array<std::vector<double>, phase_count> residuals;
    std::array<std::vector<double>, phase_count> errors;
    std::vector<double> all_residuals;
    std::vector<double> all_errors;
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
            residuals[phase].push_back(std::abs(fit.residual));
            errors[phase].push_back(error);
            all_residuals.push_back(std::abs(fit.residual));
            all_errors.push_back(error);
        }
    }
    const auto count = static_cast<double>(all_residuals.size());
    if (!(count > unknowns)) return {};
    const double freedom = std::sqrt(count / (count - unknowns));
    Errors out;
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        out[phase] = residuals[phase].size() >= least_of_phase
                         ? excess(residuals[phase], errors[phase], freedom)
                         : excess(all_residuals, all_errors, freedom);
    }
    return out;
}

}  // namespace

std::array<double, phase_count> find_model_error(const LocateJob& job, const ArrivalLists& lists,
                                                 int threads) {
    const std::vector<std::size_t> events = events_of(job, lists);
    if (events.empty()) return {};
    // The first guess is wide, so that no pick is taken for gross because of it.
    const double across = distance(job.region.box.low, job.region.box.high);
    Errors errors;
    for (std::size_t p = 0; p < phase_count; ++p) errors[p] = 0.02 * across * job.slowness[p];
    std::vector<PickFit> fits(job.survey.arrivals.size());
    std::vector<Hypocentre> found(events.size());
    for (int round = 0; round < most_rounds; ++round) {
        parallel_for(static_cast<std::int64_t>(events.size()), threads, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            found[n] = locate_event(job, events[n], lists[events[n]], errors, false, fits);
        });
        const Errors next = found_of(job, lists, events, found, fits);
        bool stands = true;
        for (std::size_t p = 0; p < phase_count; ++p) {
            stands = stands && std::abs(next[p] - errors[p]) <= 0.05 * errors[p];
        }
        errors = next;
        if (stands) break;
    }
    return errors;
}

}  // namespace fermat
