#include "location/relocate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/median.hpp"
#include "core/parallel.hpp"
#include "core/random_stream.hpp"
#include "location/block_system.hpp"
#include "location/clusters.hpp"
#include "location/flat.hpp"
#include "location/region.hpp"
#include "location/station_fields.hpp"
#include "location/unmoved.hpp"

namespace fermat {
namespace {

/// A difference that is used, in the order of its pair.
struct Row {
    std::int32_t a = 0;  ///< events
    std::int32_t b = 0;
    std::int32_t at_a = 0;  ///< into the times of travel
    std::int32_t at_b = 0;
    std::int32_t number = 0;  ///< of the difference
    DifferenceKind kind = DifferenceKind::catalogue;
    Phase phase = Phase::P;
    double time = 0;
    double weight = 0;
};

/// A time of travel that differences need.
struct Travel {
    std::int32_t event = 0;
    int field = 0;
    double stretch = 1;
    TimePoint at{};
};

/// One arrival per event, station and phase that differences name.
Survey needed_arrivals(const Survey& survey, const std::vector<TimeDifference>& differences,
                       const std::vector<char>& outside) {
    Survey out;
    out.events = survey.events;
    out.stations = survey.stations;
    out.is_2d = survey.is_2d;
    for (const TimeDifference& one : differences) {
        for (const std::int32_t event : {one.first, one.second}) {
            if (outside[static_cast<std::size_t>(event)]) continue;
            out.arrivals.push_back({event, one.station, 0, 0, one.phase});
        }
    }
    const auto key = [](const Arrival& a) { return std::tuple(a.event, a.station, a.phase); };
    std::sort(out.arrivals.begin(), out.arrivals.end(),
              [&](const Arrival& a, const Arrival& b) { return key(a) < key(b); });
    out.arrivals.erase(
        std::unique(out.arrivals.begin(), out.arrivals.end(),
                    [&](const Arrival& a, const Arrival& b) { return key(a) == key(b); }),
        out.arrivals.end());
    return out;
}

void require_known(const Survey& survey, const std::vector<TimeDifference>& differences) {
    if (differences.empty())
        throw InputError(
            "there are no differences to relocate by (events farther apart than `separation` are "
            "not paired, nor those with fewer picks in common than `least_shared`)");
    validate(differences, survey);
    for (const TimeDifference& one : differences) {
        for (const std::int32_t n : {one.first, one.second}) {
            const Event& event = survey.events[static_cast<std::size_t>(n)];
            if (is_finite(event.position) && std::isfinite(event.origin_time)) continue;
            throw InputError(
                fmt::format("event {} has no position and origin time (locate it "
                            "first)",
                            name_of(survey, event)));
        }
    }
}

/// Per event: whether it lies outside the model, where no field tells its times. Such events stay,
/// and their differences are left out.
std::vector<char> find_outside(const Survey& survey, const Place& place,
                               const std::vector<TimeDifference>& differences, Notes& notes) {
    std::vector<char> outside(survey.events.size(), 0);
    std::vector<std::string> names;
    for (std::size_t n = 0; n < outside.size(); ++n) {
        const Vec3 at = survey.events[n].position;
        outside[n] = is_finite(at) && !place.holds_flat(at);
        if (outside[n]) names.push_back(name_of(survey, survey.events[n]));
    }
    if (names.empty()) return outside;
    const auto lost = std::count_if(differences.begin(), differences.end(), [&](const auto& one) {
        return outside[static_cast<std::size_t>(one.first)] ||
               outside[static_cast<std::size_t>(one.second)];
    });
    constexpr std::size_t shown = 5;
    const bool more = names.size() > shown;
    const std::size_t count = names.size();
    if (more) names.resize(shown);
    const std::string sentence = fmt::format(
        "{} of {} events lie outside the model and stay where they were, without their {} of {} "
        "differences: {}{} (a larger `model` moves them)",
        count, survey.events.size(), lost, differences.size(), fmt::join(names, ", "),
        more ? ", ..." : "");
    if (static_cast<std::size_t>(lost) == differences.size()) throw InputError(sentence);
    notes.add(sentence);
    return outside;
}

/// Positions are flat (mapping.hpp).
class Relocator {
  public:
    Relocator(const Medium& medium, const Survey& survey,
              const std::vector<TimeDifference>& differences, const RelocateOptions& options,
              const Surface* surface, const Execution& execution, Notes& notes)
        : options_(options),
          outside_(find_outside(survey, medium.place(), differences, notes)),
          needed_(needed_arrivals(survey, differences, outside_)),
          fields_(medium, needed_, locate_options(options), execution, notes),
          region_{fields_.box(), {true, !medium.grid().is_2d(), true}, medium.first(), surface},
          threads_(resolve_threads(execution.threads)) {
        choose_rows(survey, differences, notes);
        if (rows_.empty()) {
            throw ComputeError(why_unmoved(survey, differences, outside_, fields_, medium.grid(),
                                           options.least_links));
        }
        out_.events.resize(survey.events.size());
        for (std::size_t n = 0; n < survey.events.size(); ++n) {
            const Vec3 given = survey.events[n].position;
            out_.events[n].position = outside_[n] ? given : region_.clamp(given);
            out_.events[n].origin_time = survey.events[n].origin_time;
            out_.events[n].cluster = clusters_.of[n];
        }
        out_.cluster_sizes = clusters_.sizes;
        out_.residuals.assign(differences.size(), not_known);
        out_.weights.assign(differences.size(), 0);
        shift_.assign(survey.events.size(), 0);
    }

    Relocation run(Monitor& monitor, Notes& notes) {
        monitor.begin("relocation", options_.iterations);
        find_residuals();
        if (std::none_of(weights_.begin(), weights_.end(), [](double w) { return w > 0; })) {
            throw ComputeError(fmt::format(
                "no event is moved: all {} differences of linked events count for nothing (their "
                "events are farther apart than `catalogue_reach` or `correlation_reach`, or no "
                "wave "
                "reaches them)",
                rows_.size()));
        }
        out_.rms_before = rms_of_kinds(states_, weights_);
        const double rest = 1e-4 * typical_separation_;
        double moved = std::numeric_limits<double>::infinity();
        while (moved > rest && out_.iterations < options_.iterations) {
            monitor.check();
            moved = step();
            ++out_.iterations;
            find_residuals();
            monitor.advance();
        }
        monitor.end();
        if (moved > rest) {
            notes.add(
                fmt::format("the limit of {} iterations ended the run while events still moved by "
                            "{:.2g} (median of the last step; more `iterations` bring them to "
                            "rest)",
                            options_.iterations, moved));
        }
        describe();
        if (options_.bootstrap > 0) bootstrap(monitor);
        return std::move(out_);
    }

  private:
    static LocateOptions locate_options(const RelocateOptions& options) {
        LocateOptions out;
        out.eikonal = options.eikonal;
        return out;
    }

    /// Differences of linked events at stations with a field, grouped by pair.
    void choose_rows(const Survey& survey, const std::vector<TimeDifference>& differences,
                     Notes& notes) {
        std::vector<std::int32_t> order;
        std::size_t weightless = 0;
        for (std::size_t n = 0; n < differences.size(); ++n) {
            const TimeDifference& one = differences[n];
            weightless += one.weight == 0;
            const bool heard = fields_.of({one.first, one.station, 0, 0, one.phase}) >= 0;
            const bool inside = !outside_[static_cast<std::size_t>(one.first)] &&
                                !outside_[static_cast<std::size_t>(one.second)];
            if (one.weight > 0 && heard && inside && one.first != one.second) {
                order.push_back(static_cast<std::int32_t>(n));
            }
        }
        if (weightless > 0) {
            notes.add(fmt::format("{} of {} differences have the weight 0 and are not used",
                                  weightless, differences.size()));
        }
        const auto pair_of = [&](std::int32_t n) {
            const TimeDifference& one = differences[static_cast<std::size_t>(n)];
            return std::minmax(one.first, one.second);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int32_t n, std::int32_t m) { return pair_of(n) < pair_of(m); });
        clusters_ = find_clusters(survey.events.size(), differences, order, options_.least_links);
        tell_clusters(clusters_, survey.events.size(), options_.least_links, notes);
        for (const std::int32_t n : order) {
            const TimeDifference& one = differences[static_cast<std::size_t>(n)];
            // Pairs of too few links say little, but what they say is true.
            const int cluster = clusters_.of[static_cast<std::size_t>(one.first)];
            if (cluster < 0 || cluster != clusters_.of[static_cast<std::size_t>(one.second)]) {
                continue;
            }
            const bool turned = one.first > one.second;
            const std::int32_t a = turned ? one.second : one.first;
            const std::int32_t b = turned ? one.first : one.second;
            rows_.push_back({a, b, travel_of(a, one), travel_of(b, one), n, one.kind, one.phase,
                             turned ? -one.time : one.time, one.weight});
        }
        for (std::size_t n = 0; n < needed_.arrivals.size(); ++n) {
            const Arrival& arrival = needed_.arrivals[n];
            travels_.push_back(
                {arrival.event, fields_.of(arrival), fields_.stretch(arrival.phase), {}});
        }
        std::vector<double> apart;
        for (const Row& row : rows_) {
            apart.push_back(distance(survey.events[static_cast<std::size_t>(row.a)].position,
                                     survey.events[static_cast<std::size_t>(row.b)].position));
        }
        if (!apart.empty()) typical_separation_ = upper_median(std::move(apart));
    }

    std::int32_t travel_of(std::int32_t event, const TimeDifference& one) const {
        const auto key = std::tuple(event, one.station, one.phase);
        const auto found =
            std::lower_bound(needed_.arrivals.begin(), needed_.arrivals.end(), key,
                             [](const Arrival& a, const auto& wanted) {
                                 return std::tuple(a.event, a.station, a.phase) < wanted;
                             });
        return static_cast<std::int32_t>(found - needed_.arrivals.begin());
    }

    const RelocatedEvent& event(std::int32_t n) const {
        return out_.events[static_cast<std::size_t>(n)];
    }

    void find_residuals() {
        parallel_for(static_cast<std::int64_t>(travels_.size()), threads_, [&](std::int64_t i) {
            Travel& travel = travels_[static_cast<std::size_t>(i)];
            if (travel.field < 0) return;
            travel.at = fields_.time_point(travel.field, event(travel.event).position);
            travel.at.time *= travel.stretch;
            travel.at.gradient = travel.stretch * travel.at.gradient;
        });
        residuals_.resize(rows_.size());
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            const Row& row = rows_[n];
            const double computed = travels_[static_cast<std::size_t>(row.at_a)].at.time -
                                    travels_[static_cast<std::size_t>(row.at_b)].at.time +
                                    shift_[static_cast<std::size_t>(row.a)] -
                                    shift_[static_cast<std::size_t>(row.b)];
            residuals_[n] = row.time - computed;
        }
        weigh();
    }

    void weigh() {
        states_.resize(rows_.size());
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            const Row& row = rows_[n];
            states_[n] = {row.kind, row.weight, residuals_[n],
                          distance(event(row.a).position, event(row.b).position)};
        }
        weights_ = difference_weights(states_, options_.weighting, out_.deviation);
    }

    /// One step of all events. Returns the median length of their shifts.
    double step() {
        BlockSystem system(out_.events.size());
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            const Row& row = rows_[n];
            if (weights_[n] > 0) {
                system.add(row.a, row.b, line(row.at_a), line(row.at_b), residuals_[n],
                           weights_[n]);
            }
        }
        system.damp(options_.damping);
        constexpr double tolerance = 1e-4;
        constexpr int most_steps = 500;
        std::vector<Vector4> shifts = system.solve(tolerance, most_steps);
        remove_means(shifts);
        std::vector<double> lengths;
        for (std::size_t n = 0; n < shifts.size(); ++n) {
            RelocatedEvent& moved = out_.events[n];
            if (moved.cluster < 0) continue;
            const Vec3 by{shifts[n][0], shifts[n][1], shifts[n][2]};
            Vec3 to = region_.clamp(moved.position + by);
            if (!region_.allows(to)) to = moved.position;
            lengths.push_back(distance(to, moved.position));
            moved.position = to;
            moved.origin_time += shifts[n][3];
            shift_[n] += shifts[n][3];
        }
        return lengths.empty() ? 0 : upper_median(std::move(lengths));
    }

    Vector4 line(std::int32_t at) const {
        const Vec3 g = travels_[static_cast<std::size_t>(at)].at.gradient;
        return {g.x, region_.free[1] ? g.y : 0, g.z, 1};
    }

    void remove_means(std::vector<Vector4>& shifts) const {
        std::vector<Vector4> sums(clusters_.sizes.size(), Vector4{});
        for (std::size_t n = 0; n < shifts.size(); ++n) {
            const int cluster = clusters_.of[n];
            if (cluster < 0) continue;
            for (std::size_t i = 0; i < block_size; ++i) {
                sums[static_cast<std::size_t>(cluster)][i] += shifts[n][i];
            }
        }
        for (std::size_t n = 0; n < shifts.size(); ++n) {
            const int cluster = clusters_.of[n];
            if (cluster < 0) continue;
            const auto c = static_cast<std::size_t>(cluster);
            for (std::size_t i = 0; i < block_size; ++i) {
                shifts[n][i] -= sums[c][i] / clusters_.sizes[c];
            }
        }
    }

    void describe() {
        out_.rms = rms_of_kinds(states_, weights_);
        BlockSystem system(out_.events.size());
        std::vector<std::array<double, kind_count>> squares(out_.events.size()),
            weights(out_.events.size());
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            const Row& row = rows_[n];
            const auto number = static_cast<std::size_t>(row.number);
            out_.residuals[number] = residuals_[n];
            if (!(weights_[n] > 0)) continue;
            const auto kind = static_cast<std::size_t>(row.kind);
            out_.weights[number] = weights_[n] * out_.deviation[kind] * out_.deviation[kind];
            system.add(row.a, row.b, line(row.at_a), line(row.at_b), residuals_[n], weights_[n]);
            for (const std::int32_t e : {row.a, row.b}) {
                const auto i = static_cast<std::size_t>(e);
                ++out_.events[i].used[kind][static_cast<std::size_t>(row.phase)];
                squares[i][kind] += weights_[n] * residuals_[n] * residuals_[n];
                weights[i][kind] += weights_[n];
            }
        }
        system.damp(0);
        for (std::size_t n = 0; n < out_.events.size(); ++n) {
            RelocatedEvent& found = out_.events[n];
            found.error = {not_known, not_known, not_known};
            for (std::size_t kind = 0; kind < kind_count; ++kind) {
                if (weights[n][kind] > 0) {
                    found.rms[kind] = std::sqrt(squares[n][kind] / weights[n][kind]);
                }
            }
            if (found.cluster < 0) continue;
            const Block4 inverse = system.inverse(n);
            found.error = {std::sqrt(inverse[0]), region_.free[1] ? std::sqrt(inverse[5]) : 0,
                           std::sqrt(inverse[10])};
            found.time_error = std::sqrt(inverse[15]);
        }
    }

    /// The step that follows if stations count by chance: each station and phase has a weight of an
    /// exponential distribution (the Bayesian bootstrap, Rubin 1981). What is wrong with a pick or
    /// with the model at a station is in all differences there, so stations are drawn and not
    /// differences; and no weight is 0, so that no event loses all its links.
    std::vector<Vector4> chance_step(std::size_t number) const {
        constexpr std::uint64_t seed = 1;
        RandomStream random(seed, number);
        std::vector<double> chance(fields_.size() * phase_count);
        for (double& weight : chance) weight = -std::log(1 - random.uniform());
        BlockSystem system(out_.events.size());
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            const Row& row = rows_[n];
            if (!(weights_[n] > 0)) continue;
            const auto field =
                static_cast<std::size_t>(travels_[static_cast<std::size_t>(row.at_a)].field);
            const double weight = chance[field * phase_count + static_cast<std::size_t>(row.phase)];
            system.add(row.a, row.b, line(row.at_a), line(row.at_b), residuals_[n],
                       weight * weights_[n]);
        }
        system.damp(options_.damping);
        constexpr double tolerance = 1e-4;
        constexpr int most_steps = 500;
        std::vector<Vector4> shifts = system.solve(tolerance, most_steps);
        remove_means(shifts);
        return shifts;
    }

    /// Standard deviations of places and origin times relative to the centroids of clusters.
    void bootstrap(Monitor& monitor) {
        const auto count = static_cast<std::size_t>(options_.bootstrap);
        monitor.begin("bootstrap", options_.bootstrap);
        // Sums of a group of replicates are added in their order, whoever made them.
        constexpr std::size_t group = 64;
        std::vector<Vector4> sums(out_.events.size(), Vector4{});
        std::vector<Vector4> squares(out_.events.size(), Vector4{});
        for (std::size_t first = 0; first < count; first += group) {
            std::vector<std::vector<Vector4>> made(std::min(group, count - first));
            parallel_for(static_cast<std::int64_t>(made.size()), threads_, [&](std::int64_t i) {
                monitor.check();
                made[static_cast<std::size_t>(i)] =
                    chance_step(first + static_cast<std::size_t>(i));
                monitor.advance();
            });
            for (const std::vector<Vector4>& shifts : made) {
                for (std::size_t n = 0; n < shifts.size(); ++n) {
                    for (std::size_t i = 0; i < block_size; ++i) {
                        sums[n][i] += shifts[n][i];
                        squares[n][i] += shifts[n][i] * shifts[n][i];
                    }
                }
            }
        }
        monitor.end();
        for (std::size_t n = 0; n < out_.events.size(); ++n) {
            RelocatedEvent& found = out_.events[n];
            if (found.cluster < 0) continue;
            Vector4 deviation{};
            for (std::size_t i = 0; i < block_size; ++i) {
                const double mean = sums[n][i] / static_cast<double>(count);
                const double rest = squares[n][i] - static_cast<double>(count) * mean * mean;
                deviation[i] = std::sqrt(std::max(rest, 0.0) / static_cast<double>(count - 1));
            }
            found.error = {deviation[0], deviation[1], deviation[2]};
            found.time_error = deviation[3];
        }
    }

    const RelocateOptions& options_;
    std::vector<char> outside_;  ///< per event: outside the model
    Survey needed_;
    StationFields fields_;
    Region region_;
    int threads_;
    Clusters clusters_;
    std::vector<Row> rows_;
    std::vector<Travel> travels_;
    std::vector<double> residuals_, weights_;
    std::vector<DifferenceState> states_;
    std::vector<double> shift_;  ///< of origin times
    double typical_separation_ = 0;
    Relocation out_;
};

}  // namespace

void validate(const RelocateOptions& options) {
    validate_options(options);
    validate(options.eikonal);
}

Relocation relocate(const Medium& medium, const Survey& survey,
                    const std::vector<TimeDifference>& differences, const RelocateOptions& options,
                    const Surface* surface, const Execution& execution, Notes* told) {
    validate(options);
    require_surface_fits(medium, surface);
    require_known(survey, differences);
    Notes unheard;
    Notes& notes = told != nullptr ? *told : unheard;
    const Survey flat = flat_survey(medium.place(), survey);
    Relocator relocator(medium, flat, differences, options, surface, execution, notes);
    Relocation found = relocator.run(execution.monitor, notes);
    std::vector<char> stays(found.events.size());
    for (std::size_t n = 0; n < stays.size(); ++n) {
        stays[n] = found.events[n].position == flat.events[n].position;
    }
    to_user(medium.place(), found);
    for (std::size_t n = 0; n < stays.size(); ++n) {
        if (stays[n]) found.events[n].position = survey.events[n].position;
    }
    return found;
}

}  // namespace fermat
