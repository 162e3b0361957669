#include "tomography/layers/layer_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "tomography/gauss_newton/model_change.hpp"
#include "tomography/joint/moved_place.hpp"
#include "tomography/joint/relocated_events.hpp"
#include "tomography/trust/dense_inverse.hpp"

namespace fermat {
namespace {

std::vector<double> errors_of(const PhasePicks& picks) {
    std::vector<double> out;
    for (const Arrival& arrival : picks.survey.arrivals) out.push_back(arrival.error);
    return out;
}

}  // namespace

/// Unknowns of the layers and interfaces that the branches touch, or that somebody measured.
LayerUnknowns LayerProblem::unknowns_of() const {
    std::set<int> parts;
    std::set<int> interfaces;
    const auto& survey = picks_.survey;
    const bool moves = options_.loop.joint.relocate == Relocate::all;
    std::set<std::tuple<std::int32_t, int, int>> seen;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        const int own = start_.layer_of(survey.event_of(arrival).position, "a source");
        const int to = start_.layer_of(survey.station_of(arrival).position, "a receiver");
        // An event that moves may come to lie in any layer.
        for (int from = moves ? 0 : own; from <= (moves ? start_.layer_count() - 1 : own); ++from) {
            if (!seen.emplace(picks_.phase_of[n], from, to).second) continue;
            const Branch& branch =
                forward_.branches()[static_cast<std::size_t>(picks_.phase_of[n])];
            for (const Legs& legs : legs_of(branch, start_, from, to)) {
                for (const Leg& leg : legs) {
                    parts.insert(2 * leg.layer + (leg.wave == Phase::S ? 1 : 0));
                    if (leg.to > 0) interfaces.insert(leg.to);
                }
            }
        }
    }
    for (const DepthDatum& datum : options_.prior.depths) {
        interfaces.insert(start_.interface_of(datum.interface));
    }
    const std::vector<int> part_list(parts.begin(), parts.end());
    const std::vector<int> interface_list(interfaces.begin(), interfaces.end());
    return LayerUnknowns(start_, part_list, interface_list, options_.prior, options_.loop.update);
}

LayerProblem::LayerProblem(const LayeredMedium& start, const PhasePicks& picks,
                           const LayerInversionOptions& options, const Execution& execution)
    : start_(start),
      picks_(picks),
      options_(options),
      execution_(execution),
      threads_(resolve_threads(execution.threads)),
      errors_(errors_of(picks)),
      forward_(start, picks, options.rays, execution_),
      unknowns_(unknowns_of()),
      events_(picks.survey, start.place(), options.loop.joint),
      medium_(start),
      merged_(start.merged(Phase::P)),
      bounded_(picks.survey.events.size(), false) {
    if (size() == 0) {
        throw InputError("nothing is unknown (velocity and depth deviations are 0)");
    }
    for (const DepthDatum& one : options.prior.depths) {
        Datum datum{start.interface_of(one.interface), one.at, one.error, {}};
        datum.row = unknowns_.depth_row(datum.interface, datum.at);
        for (auto& [column, value] : datum.row) value /= datum.error;
        depths_.push_back(std::move(datum));
    }
}

std::size_t LayerProblem::size() const {
    return unknowns_.size() + (events_.any() ? event_unknowns * events_.events() : 0);
}

std::vector<Vec3> LayerProblem::sources_of(std::span<const double> x) const {
    std::vector<Vec3> out;
    const auto shift = shifts_of(x);
    for (std::size_t e = 0; e < picks_.survey.events.size(); ++e) {
        Vec3 at = picks_.survey.events[e].position;
        if (!shift.empty()) {
            const double* const own = &shift[event_unknowns * e];
            at = moved_place(start_.place(), at, {own[0], own[1], own[2]});
        }
        out.push_back(at);
    }
    return out;
}

PassCost LayerProblem::predict(std::span<const double> x) {
    const Stopwatch watch;
    tried_medium_.emplace(unknowns_.medium_of(layers_of(x)));
    const std::vector<Vec3> sources = sources_of(x);
    tried_ = forward_.predict(unknowns_, layers_of(x), *tried_medium_, sources);
    const Place& place = start_.place();
    for (std::size_t n = 0; n < tried_.size(); ++n) {
        const auto event = static_cast<std::size_t>(picks_.survey.arrivals[n].event);
        const Vec3 flat = place.mapping().flat_from_user(sources[event]);
        tried_[n].by_source = transposed(place.flat_jacobian(flat)) * tried_[n].by_source;
    }
    return {watch.seconds(), 1};
}

Trial LayerProblem::trial_of(std::vector<double>&& x) const {
    const Survey& survey = picks_.survey;
    const auto shift = shifts_of(x);
    Vector residual(survey.arrivals.size());
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        const auto e = static_cast<std::size_t>(arrival.event);
        const double later = shift.empty() ? 0 : shift[event_unknowns * e + 3];
        residual[n] =
            has_arrived(tried_[n].status)
                ? arrival.time - survey.event_of(arrival).origin_time - later - tried_[n].time
                : std::numeric_limits<double>::quiet_NaN();
    }
    return Trial{std::move(x), std::move(residual)};
}

double LayerProblem::adopt(const Trial&, bool) {
    // Of velocities in their layers: where an interface passes a node, the merged model jumps.
    double change = 0;
    const bool first = std::exchange(is_start_, false);
    for (int k = 0; !first && k < medium_.layer_count(); ++k) {
        for (const Phase wave : medium_.phases_of(k)) {
            change = std::max(
                change, largest_change(medium_.model(k, wave), tried_medium_->model(k, wave)));
        }
    }
    medium_ = *tried_medium_;
    merged_ = medium_.merged(Phase::P);
    statuses_.clear();
    for (const PredictedPick& pick : tried_) statuses_.push_back(pick.status);
    return change;
}

void LayerProblem::renew(std::vector<double>&& weights) {
    rows_.clear();
    slopes_.clear();
    for (std::size_t n = 0; n < tried_.size(); ++n) {
        const bool arrived = has_arrived(tried_[n].status);
        if (!arrived) weights[n] = 0;
        rows_.push_back(std::move(tried_[n].row));
        for (auto& [column, value] : rows_.back()) value *= weights[n];
        slopes_.push_back(arrived ? tried_[n].by_source : Vec3{});
    }
    tried_.clear();
    weights_ = std::move(weights);
}

/// What measured depths and believed places are off.
double LayerProblem::penalty(const Trial& trial, const Trial&) const {
    double sum = events_.any() ? events_.prior_of(shifts_of(trial.x)) : 0;
    const std::vector<double> off = depth_residual(trial.x);
    for (std::size_t n = 0; n < off.size(); ++n) {
        sum += off[n] * off[n] / (depths_[n].error * depths_[n].error);
    }
    return sum;
}

double LayerProblem::freedom(const std::vector<PickUse>& use) const {
    if (!events_.any()) return 1;
    Vector used(use.size());
    double count = 0;
    for (std::size_t n = 0; n < use.size(); ++n) count += used[n] = use[n] == PickUse::used;
    const auto fixed = static_cast<double>(events_.free_unknowns(used));
    return std::max(count - fixed, 1.0) / std::max(count, 1.0);
}

std::vector<double> LayerProblem::depth_residual(std::span<const double> x) const {
    std::vector<double> out;
    for (const Datum& datum : depths_) {
        out.push_back(datum.at.z - unknowns_.depth_of(layers_of(x), datum.interface, datum.at));
    }
    return out;
}

void LayerProblem::renew_events(std::span<const double> x, double damping) {
    if (events_.any()) events_.renew(slopes_, weights_, shifts_of(x), damping);
}

std::vector<double> LayerProblem::normal_matrix() const {
    const std::size_t n = unknowns_.size();
    Vector matrix(n * n, 0.0);
    const auto add = [&](const LayerRow& row) {
        for (const auto& [a, va] : row) {
            double* const to = &matrix[static_cast<std::size_t>(a) * n];
            for (const auto& [b, vb] : row) to[b] += va * vb;
        }
    };
    for (const LayerRow& row : rows_) add(row);
    for (const Datum& datum : depths_) add(datum.row);
    // Less A^T H M^-1 H^T A, event by event.
    for (std::size_t e = 0; events_.any() && e < events_.events(); ++e) {
        std::map<std::int32_t, EventVector> products;
        for (const std::int32_t number : events_.picks_of(e)) {
            const auto pick = static_cast<std::size_t>(number);
            const EventVector& h = events_.row_of(pick);
            for (const auto& [column, value] : rows_[pick]) {
                EventVector& to = products[column];
                for (std::size_t i = 0; i < event_unknowns; ++i) to[i] += h[i] * value;
            }
        }
        for (const auto& [a, ha] : products) {
            const EventVector solved = events_.solved(e, ha);
            double* const to = &matrix[static_cast<std::size_t>(a) * n];
            for (const auto& [b, hb] : products) {
                for (std::size_t i = 0; i < event_unknowns; ++i) to[b] -= solved[i] * hb[i];
            }
        }
    }
    return matrix;
}

void LayerProblem::while_served(const std::function<void()>& work) {
    // Steps are small beside rays: rank 0 makes them alone.
    together(execution_.ranks, [&] {
        if (execution_.ranks.is_root()) work();
    });
}

std::vector<double> LayerProblem::step(std::span<const double> x, std::span<const double> right,
                                       double lambda, double damping) {
    const std::size_t n = unknowns_.size();
    renew_events(x, damping);
    Vector trial(x.begin(), x.end());
    Vector change(n, 0.0);
    if (n > 0) {
        Vector matrix = normal_matrix();
        unknowns_.add_prior(matrix, lambda * (1 + damping));
        Vector projected(right.begin(), right.end());
        if (events_.any()) events_.project_residual(projected, threads_);
        Vector side(n, 0.0);
        for (std::size_t pick = 0; pick < rows_.size(); ++pick) {
            for (const auto& [column, value] : rows_[pick]) {
                side[static_cast<std::size_t>(column)] += value * projected[pick];
            }
        }
        const Vector off = depth_residual(x);
        for (std::size_t k = 0; k < depths_.size(); ++k) {
            for (const auto& [column, value] : depths_[k].row) {
                side[static_cast<std::size_t>(column)] += value * off[k] / depths_[k].error;
            }
        }
        const Vector rough = unknowns_.apply(layers_of(x));
        for (std::size_t u = 0; u < n; ++u) side[u] -= lambda * rough[u];
        change = DenseInverse(std::move(matrix), n, threads_).solve(std::move(side));
        for (std::size_t u = 0; u < n; ++u) trial[u] += change[u];
    }
    if (!events_.any()) return trial;
    Vector left(right.begin(), right.end());
    for (std::size_t pick = 0; pick < rows_.size(); ++pick) {
        for (const auto& [column, value] : rows_[pick]) {
            left[pick] -= value * change[static_cast<std::size_t>(column)];
        }
    }
    const auto shift = std::span(trial).subspan(n);
    events_.step(merged_, left, shift, bounded_);
    hold_below_surface(shift);
    return trial;
}

void LayerProblem::hold_below_surface(std::span<double> shift) {
    for (std::size_t e = 0; e < events_.events(); ++e) {
        double* const own = &shift[event_unknowns * e];
        const Vec3 at =
            moved_place(start_.place(), picks_.survey.events[e].position, {own[0], own[1], own[2]});
        const double top = start_.top_of(0).depth_at(at.x, at.y);
        if (at.z >= top) continue;
        own[2] += top - at.z;
        bounded_[e] = true;
    }
}

void LayerProblem::save(MethodState& state) const {
    if (events_.any()) state.events.bounded.assign(bounded_.begin(), bounded_.end());
}

void LayerProblem::take_up(const MethodState& state) {
    if (state.events.bounded.size() == bounded_.size()) {
        bounded_.assign(state.events.bounded.begin(), state.events.bounded.end());
    }
}

void LayerProblem::finish(std::span<const double> x, InversionResult& result) {
    if (!execution_.ranks.is_root()) {
        medium_ = unknowns_.medium_of(layers_of(x));
        merged_ = medium_.merged(Phase::P);
    }
    result.model = merged_.copy();
    result.unknowns.assign(x.begin(), x.end());
}

std::vector<JointEvent> LayerProblem::events(std::span<const double> x,
                                             std::span<const double> residual,
                                             std::span<const PickUse> use) {
    if (!events_.any()) return {};
    renew_events(x, 0);
    return relocated_events(picks_.survey, events_, shifts_of(x), residual, use, bounded_);
}

std::vector<std::string> LayerProblem::statuses() const {
    std::vector<std::string> out;
    for (const BranchStatus status : statuses_) out.emplace_back(name_of(status));
    return out;
}

}  // namespace fermat
