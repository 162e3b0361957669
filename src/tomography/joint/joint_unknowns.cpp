#include "tomography/joint/joint_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/expect.hpp"
#include "core/parallel.hpp"
#include "tomography/gauss_newton/model_change.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/joint/joint_setup.hpp"
#include "tomography/joint/joint_trust.hpp"
#include "tomography/joint/relocated_events.hpp"

namespace fermat {

JointUnknowns::JointUnknowns(const Medium& start, const Survey& picks,
                             const InversionOptions& options, const Execution& execution)
    : picks_(picks),
      options_(options),
      execution_(execution.on(forward_device(start.first(), options, execution))
                     .with_threads(resolve_threads(execution.threads))),
      ranks_(execution.ranks),
      threads_(execution_.threads),
      plan_(problem_plan(start.first(), picks, options)),
      moves_(options.joint.relocate != Relocate::none),
      differences_(picks, picks.differences, options.joint.weighting,
                   options.joint.difference_weight),
      forward_(joint_medium(start, options.joint, picks), differences_.arrivals(), plan_.ratio,
               plan_.bounds, plan_.rays, moves_),
      terms_(differences_.arrivals(), forward_.slots(), forward_.phases().size(),
             options.gauss_newton.terms == Terms::receiver, plan_.errors),
      layout_(joint_layout(forward_, options.joint, terms_.size(), picks.events.size())),
      events_(differences_.arrivals(), start.place(), options.joint),
      roughness_(forward_.unknowns(), options.gauss_newton.roughness),
      ratio_roughness_(forward_.unknowns(), options.gauss_newton.roughness),
      step_({forward_.unknowns(), roughness_, ratio_roughness_, options.joint.vp_vs_smoothing,
             layout_, terms_, events_, threads_, &differences_}),
      offset_(joint_offset(forward_, layout_, roughness_, options.gauss_newton)),
      models_(forward_.models_of(std::vector<double>(layout_.size(), 0.0), layout_, threads_)),
      tried_bounded_(picks.events.size(), false),
      bounded_(tried_bounded_) {}

std::vector<double> JointUnknowns::first() const {
    std::vector<double> x(size(), 0.0);
    const auto& shift = options_.joint.first_shift;
    if (!moves_ || shift.empty()) return x;
    FERMAT_EXPECT(shift.size() == picks_.events.size());
    double* to = &x[layout_.solved()];
    for (const auto& of_event : shift) to = std::copy(of_event.begin(), of_event.end(), to);
    return x;
}

std::vector<double> JointUnknowns::regularised(std::span<const double> x) const {
    std::vector<double> m(x.begin(), x.end());
    for (std::size_t u = 0; u < offset_.size(); ++u) m[u] += offset_[u];
    return m;
}

PassCost JointUnknowns::predict(std::span<const double> x) {
    tried_.reset();
    PhaseModels models = forward_.models_of(x, layout_, threads_);
    JointPrediction prediction = forward_.predict(models, x, layout_, execution_);
    const PassCost cost{prediction.seconds, prediction.ray_fraction};
    tried_.emplace(Tried{std::move(models), std::move(prediction)});
    return cost;
}

Trial JointUnknowns::trial_of(std::vector<double>&& x) const {
    const std::vector<double>& time = tried_->prediction.time;
    Trial trial{std::move(x), std::vector<double>(picks_.arrivals.size())};
    const auto shift = layout_.events_of(trial.x);
    const auto terms = layout_.terms_of(trial.x);
    for (std::size_t n = 0; n < trial.residual.size(); ++n) {
        const Arrival& pick = picks_.arrivals[n];
        double origin = picks_.event_of(pick).origin_time;
        const auto event = static_cast<std::size_t>(pick.event);
        if (moves_) origin += shift[event_unknowns * event + 3];
        trial.residual[n] = pick.time - origin - time[n] - terms_.time_of(terms, n);
    }
    if (differences_.any()) trial.differences = difference_residuals(shift);
    return trial;
}

std::vector<double> JointUnknowns::difference_residuals(std::span<const double> shift) const {
    std::vector<double> travel = tried_->prediction.time;
    const std::vector<Arrival>& arrivals = differences_.arrivals().arrivals;
    for (std::size_t n = 0; n < travel.size(); ++n) {
        travel[n] += shift[event_unknowns * static_cast<std::size_t>(arrivals[n].event) + 3];
    }
    return differences_.residuals(travel);
}

double JointUnknowns::adopt(const Trial& trial, bool resumed) {
    const bool first = std::exchange(is_start_, false);
    double change = 0;
    for (std::size_t slot = 0; !first && slot < models_.size(); ++slot) {
        change = std::max(change, largest_change(models_[slot], tried_->models[slot]));
    }
    models_ = std::move(tried_->models);
    bounded_ = tried_bounded_;
    first_order_fields_ = tried_->prediction.first_order_fields;
    coarse_fields_ = tried_->prediction.coarse_fields;
    weigh_differences(trial);
    if (differences_.any() && first && !resumed) differences_before_ = differences_.rms();
    return change;
}

void JointUnknowns::weigh_differences(const Trial& trial) {
    if (!differences_.any()) return;
    const auto shift = layout_.events_of(trial.x);
    std::vector<Vec3> places;
    for (std::size_t e = 0; e < picks_.events.size(); ++e) {
        const double* const own = &shift[event_unknowns * e];
        places.push_back(events_.given_place(e) + Vec3{own[0], own[1], own[2]});
    }
    differences_.weigh(trial.differences, places);
}

void JointUnknowns::renew(std::vector<double>&& weights) {
    row_weights_ = std::move(weights);
    if (differences_.any()) {
        row_weights_ = ranks_.is_root()
                           ? differences_.row_weights(row_weights_)
                           : std::vector<double>(differences_.arrivals().arrivals.size());
    }
    ranks_.broadcast(std::as_writable_bytes(std::span(row_weights_)));
    slopes_ = std::move(tried_->prediction.slope);
    crossings_ = std::move(tried_->prediction.crossings);
    rows_.reset();
    rows_.emplace(std::move(tried_->prediction.rows), row_weights_, layout_.velocities(), ranks_,
                  execution_.device == Device::cpu ? RowPlace::host : RowPlace::cuda);
}

double JointUnknowns::penalty(const Trial& trial, const Trial& other) const {
    double sum = 0;
    for (const double term : layout_.terms_of(trial.x)) sum += term * term;
    sum += events_.prior_of(layout_.events_of(trial.x));
    return sum + differences_.objective(trial.differences, other.differences);
}

void JointUnknowns::reweight(std::span<const double> x) {
    const std::vector<double> m = regularised(x);
    roughness_.reweight(layout_.velocity_of(m));
    if (layout_.has_ratio) ratio_roughness_.reweight(layout_.ratio_of(m));
}

/// Picks less the unknowns of events that they fix, per pick.
double JointUnknowns::freedom(const std::vector<PickUse>& use) const {
    std::vector<double> used(differences_.arrivals().arrivals.size(), 0.0);
    double count = 0;
    for (std::size_t n = 0; n < use.size(); ++n) {
        used[n] = use[n] == PickUse::used ? 1 : 0;
        count += used[n];
    }
    const auto fixed = static_cast<double>(events_.free_unknowns(used));
    return std::max(count - fixed, 1.0) / std::max(count, 1.0);
}

std::vector<double> JointUnknowns::right_side(std::vector<double>&& residual) const {
    return differences_.any() ? differences_.right_side(residual) : std::move(residual);
}

/// Whether the differences of some kind are explained clearly better than by the last model.
bool JointUnknowns::still_falls() {
    if (!differences_.any()) return false;
    constexpr double clearly = 0.9;
    const KindNumbers now = differences_.rms();
    bool fall = false;
    for (std::size_t kind = 0; kind < now.size(); ++kind) {
        fall |= now[kind] < clearly * differences_last_[kind];
    }
    differences_last_ = now;
    return fall;
}

std::vector<double> JointUnknowns::step(std::span<const double> x, std::span<const double> right,
                                        double lambda, double damping) {
    // Steps of events are damped by a thousandth at least: a depth that picks hardly tell then
    // does not jump.
    constexpr double least_damping = 1e-3;
    constexpr double per_damping = 0.1;
    events_.renew(slopes_, row_weights_, layout_.events_of(x),
                  least_damping + per_damping * damping);
    SolveLimits limits{step_accuracy};
    limits.monitor = &execution_.monitor;
    const StepWeights weights{lambda, damping * lambda};
    const std::vector<double> m = regularised(x);
    std::vector<double> trial(x.begin(), x.end());
    const auto shift = std::span(trial).subspan(layout_.solved());
    const auto add = [&](const std::vector<double>& d) {
        for (std::size_t u = 0; u < layout_.solved(); ++u) trial[u] += d[u];
    };
    if (differences_.any()) {
        const auto d = step_.solve_coupled(*rows_, row_weights_, right, m, weights, limits).d;
        add(d);
        events_.take(model(), layout_.events_of(d), shift, tried_bounded_);
    } else {
        std::vector<double> left;
        add(step_.solve(*rows_, row_weights_, right, m, weights, limits, left).d);
        events_.step(model(), left, shift, tried_bounded_);
    }
    return trial;
}

void JointUnknowns::save(MethodState& state) const {
    state.events.bounded.assign(bounded_.begin(), bounded_.end());
    if (!differences_.any()) return;
    state.events.differences_before.assign(differences_before_.begin(), differences_before_.end());
    state.events.differences_last.assign(differences_last_.begin(), differences_last_.end());
}

void JointUnknowns::take_up(const MethodState& state) {
    const EventsState& events = state.events;
    bounded_.assign(events.bounded.begin(), events.bounded.end());
    bounded_.resize(picks_.events.size(), false);
    tried_bounded_ = bounded_;
    const auto take = [](const std::vector<double>& from, KindNumbers& to) {
        std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    take(events.differences_before, differences_before_);
    take(events.differences_last, differences_last_);
}

void JointUnknowns::finish(std::span<const double> x, InversionResult& result) {
    models_ = forward_.models_of(x, layout_, threads_);
    result.coverage = coverage_of(crossings_.front(), models_.front().grid(), ranks_);
    result.model = models_.front().copy();
    if (layout_.has_ratio) {
        result.s_coverage = coverage_of(crossings_.back(), models_.back().grid(), ranks_);
        result.s_model.emplace(models_.back().copy());
    }
    result.first_order_sources = first_order_fields_;
    result.coarse_sources = coarse_fields_;
    result.terms = terms_.found(layout_.terms_of(x));
    if (!ranks_.is_root() || !moves_) return;
    events_.renew(slopes_, row_weights_, layout_.events_of(x), 0);
    result.events = relocated_events(picks_, events_, layout_.events_of(x), result.final_residual,
                                     result.final_use, bounded_);
    result.differences = differences_.fits(differences_before_);
}

JointTrust JointUnknowns::find_trust(std::span<const double> x, double lambda) {
    JointTrust trust;
    rows_->while_served(threads_, [&] {
        constexpr double little_damping = 1e-6;  // a depth that picks do not tell stays a number
        events_.renew(slopes_, row_weights_, layout_.events_of(x), little_damping);
        const JointProblem problem{step_.parts(), forward_,     models_, x,
                                   *rows_,        row_weights_, lambda};
        trust = joint_trust(step_, problem, options_.joint.trust, execution_.monitor);
    });
    return trust;
}

}  // namespace fermat
