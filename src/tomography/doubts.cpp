#include "tomography/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "survey/mapped_points.hpp"
#include "tomography/gauss_newton/bounds.hpp"
#include "tomography/gauss_newton/term_unknowns.hpp"
#include "tomography/outlier_groups.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {
namespace {

using Sentences = std::vector<std::string>;

void add_worsening(const InversionResult& result, Sentences& out) {
    const Misfit& first = result.history.front().misfit;
    const Misfit& last = result.history.back().misfit;
    const bool weighted = !std::isnan(last.chi2);
    const bool worse = weighted ? last.chi2 > first.chi2 : last.rms > first.rms;
    if (!worse) return;
    out.push_back(fmt::format(
        "the picks are explained worse than by the start model: {} {:.4g} -> {:.4g} (the result is "
        "not to be trusted: check units and positions, or choose more smoothing)",
        weighted ? "chi2" : "RMS", weighted ? first.chi2 : first.rms,
        weighted ? last.chi2 : last.rms));
}

/// How much larger residuals are than the target has them: 1 where they are as large.
double excess_of(const InversionOptions& options, const Misfit& fit) {
    if (options.target_rms > 0 && !(options.target_chi2 > 0)) return fit.rms / options.target_rms;
    return std::sqrt(fit.chi2 / (options.target_chi2 > 0 ? options.target_chi2 : 1));
}

void add_target(const InversionOptions& options, const InversionResult& result, Sentences& out) {
    if (options.method == InversionMethod::hole) return;
    if (result.reason == StopReason::target_chi2 || result.reason == StopReason::target_rms) return;
    const Misfit& last = result.history.back().misfit;
    const double excess = excess_of(options, last);
    if (excess <= 1) return;
    // How well a model explains the picks is then the choice of whoever gave the weight.
    const bool kept = options.gauss_newton.lambda > 0;
    if (kept && result.reason == StopReason::stagnation) return;
    const std::string misfit = fmt::format(
        "{} is {:.4g} after {} iterations", std::isnan(last.chi2) ? "the RMS residual" : "chi2",
        std::isnan(last.chi2) ? last.rms : last.chi2, result.history.back().iteration);
    constexpr double hardly = 1.05;
    if (excess <= hardly && result.reason == StopReason::stagnation) {
        out.push_back(fmt::format(
            "the run stands still a little above its target: {} (residuals are {:.1f} % "
            "larger than the target has them, and errors of picks are hardly known so well)",
            misfit, 100 * (excess - 1)));
        return;
    }
    // The next step might have explained them: only a run that stands still says that none does.
    out.push_back(
        result.reason == StopReason::schedule_end
            ? fmt::format(
                  "the iterations ended before a model was found that explains the picks to "
                  "their errors: {} (allow more: see `iterations`; where it no longer "
                  "falls, errors may be too small, or the grid too coarse: see `error` and "
                  "`spacing`)",
                  misfit)
            : fmt::format("no model was found that explains the picks to their errors: {} (errors "
                          "may be too small, or the grid too coarse: see `error` and `spacing`)",
                          misfit));
}

void add_velocities(const Model& start, const Survey& picks, const InversionOptions& options,
                    const InversionResult& result, Sentences& out) {
    const bool joint = !result.events.empty() || result.s_model.has_value();
    const SurveyShape shape = joint ? SurveyShape{} : survey_shape(in_lengths(picks, start));
    double slowest = joint ? std::numeric_limits<double>::infinity() : shape.slowest;
    double fastest = joint ? 0 : shape.fastest;
    for (const float v : start.given()) {
        if (v == 0) continue;
        slowest = std::min(slowest, static_cast<double>(v));
        fastest = std::max(fastest, static_cast<double>(v));
    }
    constexpr double far = 3;
    std::size_t outside = 0;
    std::size_t rock = 0;
    std::size_t pressed = 0;
    double low = fastest;
    double high = slowest;
    const UpdateLimits& limits = options.update;
    const bool bounded = limits.min_velocity > 0 && std::isfinite(limits.max_velocity) &&
                         options.method != InversionMethod::hole;
    const VelocityBounds bounds =
        bounded ? VelocityBounds(limits.min_velocity, limits.max_velocity) : VelocityBounds();
    for (const float value : result.model.given()) {
        const double v = value;
        if (v == 0) continue;
        ++rock;
        low = std::min(low, v);
        high = std::max(high, v);
        if (v < slowest / far || v > fastest * far) ++outside;
        if (bounded && bounds.presses(bounds.unknown_of(-std::log(v)))) ++pressed;
    }
    if (outside > 0) {
        out.push_back(fmt::format(
            "velocities run from {:.4g} to {:.4g}; at {} of {} nodes they are more than {:g} times "
            "beyond those of the start model and of the picks, {:.4g} to {:.4g} (bound them by "
            "`min_velocity` and `max_velocity`, or smooth more)",
            low, high, outside, rock, far, slowest, fastest));
    }
    if (100 * pressed > rock) {
        out.push_back(fmt::format(
            "velocity presses against its bounds, {:.4g} and {:.4g}, at {} of {} nodes (widen them "
            "by `min_velocity` and `max_velocity` if the ground may be so)",
            limits.min_velocity, limits.max_velocity, pressed, rock));
    }
}

/// Mean residual of the far third of the picks against their spread.
void add_offset_trend(const Model& start, const Survey& picks, const InversionResult& result,
                      Sentences& out) {
    std::vector<std::pair<double, double>> by_distance;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        if (result.final_use[n] != PickUse::used) continue;
        const Arrival& pick = picks.arrivals[n];
        by_distance.emplace_back(
            start.place().distance(picks.event_of(pick).position, picks.station_of(pick).position),
            result.final_residual[n]);
    }
    constexpr std::size_t least = 60;
    if (by_distance.size() < least) return;
    std::sort(by_distance.begin(), by_distance.end());
    const std::size_t third = by_distance.size() / 3;
    const auto mean = [&](std::size_t first) {
        double sum = 0;
        for (std::size_t n = first; n < first + third; ++n) sum += by_distance[n].second;
        return sum / static_cast<double>(third);
    };
    const double rms = result.history.back().misfit.rms;
    const double near = mean(0);
    const double far = mean(by_distance.size() - third);
    if (std::abs(far - near) < rms) return;
    out.push_back(fmt::format(
        "residuals change with distance: {:.3g} on average for the nearest third of the picks and "
        "{:.3g} for the farthest, at an RMS of {:.3g} (the model is too coarse, too shallow or too "
        "smooth, or times have an offset)",
        near, far, rms));
}

/// Residuals that go with a shot or a receiver, whatever the ray.
void add_terms(const Survey& picks, const InversionOptions& options, const InversionResult& result,
               Sentences& out) {
    if (options.gauss_newton.terms != Terms::none || !result.events.empty()) return;
    std::vector<double> residual = result.final_residual;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        if (result.final_use[n] != PickUse::used) residual[n] = std::nan("");
    }
    const TermShares shares = term_shares(picks, residual);
    constexpr double much = 0.1;
    if (shares.shot < much && shares.receiver < much) return;
    out.push_back(fmt::format(
        "terms of shots would explain {:.0f} % of the residuals' variance and terms of receivers "
        "{:.0f} % (`terms=shot,receiver` finds them beside the ground)",
        100 * shares.shot, 100 * shares.receiver));
}

void add_left_out(const InversionOptions& options, const InversionResult& result, Sentences& out) {
    const DataNorm norm = options.gauss_newton.norm;
    const bool kept = options.method != InversionMethod::hole &&
                      (norm == DataNorm::huber || norm == DataNorm::l1);
    const Misfit& last = result.history.back().misfit;
    const std::int64_t all = last.rejected + last.used + last.lost;
    if (20 * last.rejected > all) {
        out.push_back(fmt::format(
            "{} of {} picks {} (see 'rejected' in the residuals; `outliers=0` keeps all)",
            last.rejected, all,
            kept ? "are outliers and do not count in chi2" : "were left out as outliers"));
    }
    if (last.lost > 0) {
        out.push_back(fmt::format("{} of {} picks have no ray (see 'lost' in the residuals)",
                                  last.lost, all));
    }
}

/// "0.94 to 1.92": distances of some picks.
std::string distances_of(const Model& start, const Survey& picks,
                         const std::vector<std::int32_t>& numbers) {
    double nearest = std::numeric_limits<double>::infinity();
    double farthest = 0;
    for (const std::int32_t number : numbers) {
        const Arrival& pick = picks.arrivals[static_cast<std::size_t>(number)];
        const double distance =
            start.place().distance(picks.event_of(pick).position, picks.station_of(pick).position);
        nearest = std::min(nearest, distance);
        farthest = std::max(farthest, distance);
    }
    return fmt::format("{:.3g} to {:.3g}", nearest, farthest);
}

std::string described(const Survey& picks, const OutlyingPoint& point) {
    const auto number = static_cast<std::size_t>(point.number);
    const bool shot = point.kind == OutlyingPoint::Kind::shot;
    return fmt::format(
        "{} {} ({} of {} picks, {} by {:.3g})", shot ? "source" : "receiver",
        shot ? name_of(picks, picks.events[number]) : name_of(picks, picks.stations[number]),
        point.left_out, point.picks, point.residual > 0 ? "late" : "early",
        std::abs(point.residual));
}

/// Picks that were left out, but not one by one.
void add_groups(const Model& start, const Survey& picks, const InversionOptions& options,
                const InversionResult& result, Sentences& out) {
    if (!result.taken_back.empty()) {
        out.push_back(fmt::format(
            "{} of {} picks that looked like outliers count: most picks of their distances, {}, "
            "agree with them, so it is the model that is too smooth or too coarse there (see "
            "`spacing` and `error`)",
            result.taken_back.size(), picks.arrivals.size(),
            distances_of(start, picks, result.taken_back)));
    }
    if (options.gauss_newton.norm != DataNorm::trimmed || !result.events.empty()) return;
    const OutlierGroups groups =
        outlier_groups(start, picks, result.final_residual, result.final_use);
    for (const DisplacedShot& shot : groups.displaced) {
        out.push_back(fmt::format(
            "picks of source {} are early on one side and late on the other, so that {} of {} are "
            "left out: as of a shot about {:.2g} farther towards {} x (is its position right?)",
            name_of(picks, picks.events[static_cast<std::size_t>(shot.number)]), shot.left_out,
            shot.picks, std::abs(shot.shift), shot.shift > 0 ? "larger" : "smaller"));
    }
    const std::vector<OutlyingPoint>& points = groups.points;
    if (points.empty()) return;
    constexpr std::size_t most = 4;
    std::vector<std::string> named;
    for (std::size_t n = 0; n < std::min(most, points.size()); ++n) {
        named.push_back(described(picks, points[n]));
    }
    out.push_back(fmt::format(
        "most picks of {}{} are left out, all to one side (is a time, sign or place wrong? "
        "`terms=shot,receiver` finds delays, `outliers=0` keeps all)",
        fmt::join(named, ", "),
        points.size() > most ? fmt::format(" and {} others", points.size() - most) : ""));
}

/// Times that are less exact than was asked for.
void add_first_order(const Survey& picks, const InversionResult& result, Sentences& out) {
    const auto counted = [&](std::int64_t count) {
        return fmt::format("times of {} sources or receivers, of {} and {}{},", count,
                           picks.events.size(), picks.stations.size(),
                           result.s_model ? " for P and again for S" : "");
    };
    if (result.first_order_sources > 0) {
        out.push_back(counted(result.first_order_sources) +
                      " are of first order in the final model, which is too rough for the second "
                      "(smooth more, or use `order=1` for all)");
    }
    if (result.coarse_sources > 0) {
        out.push_back(counted(result.coarse_sources) +
                      " are of first order beside jumps of velocity in the final model, where they "
                      "did not settle otherwise (a few parts in a thousand; rows closer together "
                      "may settle)");
    }
}

/// Events that could not go where their picks sent them.
void add_events(const InversionOptions& options, const InversionResult& result, Sentences& out) {
    const auto count = [&](EventUse use) {
        return std::count_if(result.events.begin(), result.events.end(), [&](const auto& event) {
            return event.picks > 0 && event.use == use;
        });
    };
    const auto few = count(EventUse::few_picks);
    if (few > 0) {
        out.push_back(
            fmt::format("{} of {} events have too few picks and keep their {} (fewer than {}: see "
                        "`least_picks`)",
                        few, result.events.size(),
                        options.joint.relocate == Relocate::all ? "place" : "origin time",
                        options.joint.relocate == Relocate::all ? options.joint.least_picks : 2));
    }
    const auto held = count(EventUse::bounded);
    if (held > 0) {
        out.push_back(fmt::format(
            "{} of {} events are held by a face of the grid or by the ground (see 'bounded' in the "
            "events; a larger model may hold them, or their picks have gross errors)",
            held, result.events.size()));
    }
}

}  // namespace

std::vector<std::string> doubts_about(const Model& start, const Survey& picks,
                                      const InversionOptions& options,
                                      const InversionResult& result) {
    Sentences out;
    add_worsening(result, out);
    add_target(options, result, out);
    add_velocities(start, picks, options, result, out);
    add_offset_trend(start, picks, result, out);
    add_left_out(options, result, out);
    add_groups(start, picks, options, result, out);
    add_events(options, result, out);
    add_first_order(picks, result, out);
    const bool finds_terms =
        options.method != InversionMethod::hole && options.method != InversionMethod::adjoint;
    if (finds_terms) add_terms(picks, options, result, out);
    return out;
}

}  // namespace fermat
