#include "location/find_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/median.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

struct Round {
    std::vector<Hypocentre> events;
    std::vector<PickFit> fits;
};

Round locate_all(const LocateJob& job, const ArrivalLists& lists, const ModelErrors& errors,
                 int threads, Monitor& monitor) {
    Round out;
    out.events.resize(lists.size());
    out.fits.resize(job.survey.arrivals.size());
    parallel_for(static_cast<std::int64_t>(lists.size()), threads, [&](std::int64_t i) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        out.events[n] = locate_event(job, n, lists[n], errors, false, out.fits);
    });
    return out;
}

void start_from(const Round& round, LocateJob& job) {
    job.starts.clear();
    for (const Hypocentre& event : round.events) job.starts.push_back(event.position);
}

/// How late a pick was, with the term that it was located with.
double lateness(const LocateJob& job, const Round& round, std::size_t n) {
    return round.fits[n].residual + (job.corrections.empty() ? 0 : job.corrections[n]);
}

bool counts(const Round& round, const Arrival& arrival, std::size_t n) {
    return is_located(round.events[static_cast<std::size_t>(arrival.event)].status) &&
           std::isfinite(round.fits[n].residual) && round.fits[n].weight > 0;
}

/// Means of how late the picks of a station and phase were, drawn to 0 as by one pick of no delay.
DelayTerms fixed_terms(const LocateJob& job, const Round& round) {
    DelayTerms out;
    out.fixed.assign(job.survey.stations.size(), {});
    std::vector<DelayTerms::PerPhase> weights(job.survey.stations.size());
    for (std::size_t n = 0; n < job.survey.arrivals.size(); ++n) {
        const Arrival& arrival = job.survey.arrivals[n];
        if (!counts(round, arrival, n)) continue;
        const auto s = static_cast<std::size_t>(arrival.station);
        const auto p = static_cast<std::size_t>(arrival.phase);
        out.fixed[s][p] += round.fits[n].weight * lateness(job, round, n);
        weights[s][p] += round.fits[n].weight;
    }
    for (std::size_t s = 0; s < out.fixed.size(); ++s) {
        for (std::size_t p = 0; p < phase_count; ++p) out.fixed[s][p] /= 1 + weights[s][p];
    }
    return out;
}

/// The same with every pick kept at the place of its event.
DelayTerms terms_by_place(const LocateJob& job, const Round& round, double radius) {
    DelayTerms out = fixed_terms(job, round);
    out.radius = radius;
    out.points.resize(job.survey.stations.size());
    for (std::size_t n = 0; n < job.survey.arrivals.size(); ++n) {
        const Arrival& arrival = job.survey.arrivals[n];
        if (!counts(round, arrival, n)) continue;
        const Hypocentre& event = round.events[static_cast<std::size_t>(arrival.event)];
        out.points[static_cast<std::size_t>(arrival.station)]
                  [static_cast<std::size_t>(arrival.phase)]
                      .push_back({event.position, lateness(job, round, n), round.fits[n].weight});
    }
    out.sort_points();
    return out;
}

/// The term of every arrival; where its event has no place, the fixed one.
void correct(const DelayTerms& terms, const std::vector<Vec3>& places, int threads,
             LocateJob& job) {
    job.corrections.resize(job.survey.arrivals.size());
    parallel_for(
        static_cast<std::int64_t>(job.survey.arrivals.size()), threads, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            const Arrival& arrival = job.survey.arrivals[n];
            const auto e = static_cast<std::size_t>(arrival.event);
            const auto s = static_cast<std::size_t>(arrival.station);
            const auto p = static_cast<std::size_t>(arrival.phase);
            const bool placed = e < places.size() && is_finite(places[e]);
            job.corrections[n] =
                placed ? terms.at(arrival.station, arrival.phase, places[e]) : terms.fixed[s][p];
        });
}

/// Median over events of the distance within which there are `count` others.
double distance_of_neighbours(const std::vector<Vec3>& places, std::size_t count) {
    constexpr std::size_t most = 300;
    std::vector<Vec3> known;
    for (const Vec3& place : places) {
        if (is_finite(place)) known.push_back(place);
    }
    if (known.size() < 2) return 0;
    const std::size_t rank = std::min(count, known.size() - 1);
    const std::size_t some = std::min(most, known.size());
    std::vector<double> distances;
    for (std::size_t n = 0; n < some; ++n) {
        const Vec3 from = known[n * known.size() / some];
        std::vector<double> to;
        for (const Vec3& place : known) to.push_back(distance(from, place));
        distances.push_back(value_of_rank(std::move(to), rank));
    }
    return upper_median(std::move(distances));
}

double typical_reading_error(const Survey& survey) {
    std::vector<double> errors;
    for (const Arrival& arrival : survey.arrivals) errors.push_back(arrival.error);
    return errors.empty() ? 0 : upper_median(std::move(errors));
}

}  // namespace

DelayTerms find_terms(LocateJob& job, const ArrivalLists& lists, int threads, Monitor& monitor,
                      Notes& notes) {
    constexpr int most_rounds = 30;
    constexpr double stands = 0.005;
    // Terms and places take turns, which is slow where both explain the same: steps are longer than
    // the residuals ask for (successive over-relaxation).
    constexpr double longer = 1.7;
    ModelErrors errors = find_model_errors(job, lists, threads);
    job.starts.clear();
    DelayTerms terms;
    Round round;
    const double reading = typical_reading_error(job.survey);
    double change = 0;
    double rest = 0;
    int taken = 0;
    do {
        round = locate_all(job, lists, errors, threads, monitor);
        start_from(round, job);
        const DelayTerms before = std::move(terms);
        terms = fixed_terms(job, round);
        errors = errors_of_residuals(job, lists, round.events, round.fits);
        change = 0;
        for (std::size_t s = 0; s < terms.fixed.size(); ++s) {
            for (std::size_t p = 0; p < phase_count; ++p) {
                const double last = before.fixed.empty() ? 0 : before.fixed[s][p];
                const double step = terms.fixed[s][p] - last;
                change = std::max(change, std::abs(step));
                if (taken > 0) terms.fixed[s][p] = last + longer * step;
            }
        }
        correct(terms, {}, threads, job);
        const auto typical = errors.typical();
        rest = stands * std::hypot(*std::max_element(typical.begin(), typical.end()), reading);
    } while (!(change < rest) && ++taken < most_rounds);
    if (!(change < rest)) {
        notes.add(fmt::format(
            "station terms still changed by {:.2g} when {} rounds ended the search (few events or "
            "many gross picks: terms and places explain the same)",
            change, most_rounds));
    }
    if (job.options.terms != TermSearch::by_place) return terms;
    const double widest = distance_of_neighbours(job.starts, lists.size() / 2);
    const double found = distance_of_neighbours(job.starts, 10);
    const double narrowest = std::min(job.options.term_radius.value_or(found), widest);
    if (!(narrowest > 0)) return terms;
    constexpr int rounds = 8;
    for (int n = 0; n < rounds; ++n) {
        round = locate_all(job, lists, errors, threads, monitor);
        start_from(round, job);
        const double part = std::min(1.0, n / (rounds - 3.0));
        // The last rounds have the radius that was given, to the last bit.
        const double radius = part < 1 ? widest * std::pow(narrowest / widest, part) : narrowest;
        terms = terms_by_place(job, round, radius);
        correct(terms, job.starts, threads, job);
        errors = errors_of_residuals(job, lists, round.events, round.fits);
    }
    return terms;
}

void use_terms(LocateJob& job, const ArrivalLists& lists, const DelayTerms& terms, int threads,
               Monitor& monitor) {
    correct(terms, {}, threads, job);
    if (!terms.by_place()) return;
    constexpr int rounds = 3;
    for (int n = 0; n < rounds; ++n) {
        const ModelErrors errors = sizes_of_errors(find_model_errors(job, lists, threads));
        start_from(locate_all(job, lists, errors, threads, monitor), job);
        correct(terms, job.starts, threads, job);
    }
}

}  // namespace fermat
