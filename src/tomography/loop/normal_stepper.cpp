#include "tomography/loop/normal_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "tomography/stop_reason.hpp"

namespace fermat {

NormalStepper::NormalStepper(NormalProblem& problem, const Survey& picks,
                             const InversionOptions& options, Rules rules,
                             const Execution& execution)
    : problem_(problem),
      picks_(picks),
      options_(options),
      rules_(std::move(rules)),
      ranks_(execution.ranks),
      cooling_(rules_.target_chi2, rules_.keeps_weight),
      hearing_(options.gauss_newton.norm, options.outliers.value_or(default_outliers),
               rules_.hears && !rules_.keeps_weight),
      x_(problem.first()),
      trial_(x_) {}

void NormalStepper::take_up(InversionState&& state) {
    if (state.unknowns.size() != x_.size()) {
        throw InputError(
            fmt::format("the state has {} unknowns and the run {} (start again without `resume`)",
                        state.unknowns.size(), x_.size()));
    }
    const HearingState& heard = state.method.hearing;
    const std::size_t picks = problem_.errors().size();
    const auto is_pick = [&](std::int32_t n) {
        return n >= 0 && static_cast<std::size_t>(n) < picks;
    };
    if ((!heard.verdict.empty() && heard.verdict.size() != picks) ||
        !std::all_of(heard.taken_back.begin(), heard.taken_back.end(), is_pick)) {
        throw InputError("the state is of other picks (start again without `resume`)");
    }
    x_ = std::move(state.unknowns);
    trial_ = x_;
    cooling_.restore(state.method.cooling);
    damping_ = state.method.damping;
    hearing_.restore(state.method.hearing);
    made_by_ = state.history.empty() ? 0 : state.history.back().lambda;
    problem_.take_up(state.method);
    judged_anew_ = true;
}

PassCost NormalStepper::predict() {
    ranks_.broadcast(std::as_writable_bytes(std::span(trial_)));
    return problem_.predict(trial_);
}

NormalStepper::Vector NormalStepper::scaled(const Vector& residual) const {
    Vector z(residual.size());
    for (std::size_t n = 0; n < z.size(); ++n) z[n] = residual[n] / problem_.errors()[n];
    return z;
}

/// The sum of squares over the degrees of freedom: with four unknowns per event the residuals of
/// the truth are smaller than the errors.
double NormalStepper::chi2_of(const Vector& z, const std::vector<PickUse>& use) const {
    return fermat::chi2_of(z, use) / problem_.freedom(use);
}

/// By the present model's weights of picks. A pick that either model lost does not count.
double NormalStepper::objective(const Trial& trial, const Trial& other) const {
    const Vector& weights = hearing_.weights();
    double sum = 0;
    for (std::size_t n = 0; n < weights.size(); ++n) {
        if (weights[n] == 0) continue;
        if (std::isnan(trial.residual[n]) || std::isnan(other.residual[n])) continue;
        const double z = weights[n] * trial.residual[n] / problem_.errors()[n];
        sum += z * z;
    }
    return sum + problem_.penalty(trial, other) +
           cooling_.lambda() * problem_.roughness_of(trial.x);
}

Verdict NormalStepper::judge() {
    Trial trial = problem_.trial_of(std::move(trial_));
    trial_ = x_;
    const bool first = now_.x.empty();
    if (!first && !judged_anew_ && !admitted(trial)) return Verdict::refused;
    change_ = problem_.adopt(trial, first && judged_anew_);
    cooling_.start(shorter_.weight(made_by_, cooling_.lambda()));
    meets_target_ = shorter_.is_open() && cooling_.phase() == Cooling::Phase::relaxing;
    if (first || judged_anew_) gain_ = 0;
    shorter_.reset();
    now_ = std::move(trial);
    x_ = now_.x;
    if (!first && !judged_anew_) damping_ = damping_ > 0.2 ? damping_ / 4 : 0;
    scaled_ = scaled(now_.residual);
    if (judged_anew_) {
        hearing_.settle(scaled_);
    } else {
        hearing_.accept(scaled_, cooling_.target() * problem_.freedom(hearing_.uses(scaled_)));
    }
    hearing_.require_used();
    return std::exchange(judged_anew_, false) ? Verdict::amended : Verdict::accepted;
}

bool NormalStepper::admitted(const Trial& trial) {
    const Vector z = scaled(trial.residual);
    const double chi2 = chi2_of(z, hearing_.uses(z));
    const double before = objective(now_, trial);
    const double after = objective(trial, now_);
    const bool better = after <= before;
    gain_ = (before - after) / before;
    // A step to a rougher model may pass the target, too.
    const bool admits = cooling_.admits(chi2);
    // ... but not where picks are left out: they are heard from a model that is rough enough.
    const bool cools = cooling_.phase() == Cooling::Phase::cooling && !cooling_.keeps_weight() &&
                       std::find(use().begin(), use().end(), PickUse::rejected) == use().end();
    if (better && (cools || !admits) &&
        shorter_.shorten(x_, trial.x, this->chi2(), chi2, cooling_.target())) {
        return false;
    }
    if (better && admits) return true;
    constexpr double most_damping = 500;
    if (!better && damping_ < most_damping) {
        damping_ = damping_ > 0 ? 8 * damping_ : 2;
        return false;
    }
    damping_ = std::min(damping_, 1.0);
    if (hearing_.is_hearing()) {  // no model is nearer to those heard
        hearing_.close();
        cooling_.accepted(this->chi2(), false);
    } else {
        cooling_.refused();
    }
    return false;
}

void NormalStepper::renew() {
    Vector weights(problem_.errors().size(), 0.0);
    for (std::size_t n = 0; n < hearing_.weights().size(); ++n) {
        weights[n] = hearing_.weights()[n] / problem_.errors()[n];
    }
    problem_.renew(std::move(weights));
}

void NormalStepper::settle() {
    Vector residual(scaled_.size(), 0.0);
    for (std::size_t n = 0; n < residual.size(); ++n) {
        const double weight = hearing_.weights()[n];
        if (weight > 0) residual[n] = weight * scaled_[n];
    }
    right_ = problem_.right_side(std::move(residual));
    problem_.reweight(x_);
    if (cooling_.lambda() > 0) return;
    const double asked = options_.gauss_newton.lambda;
    cooling_.start(asked > 0 ? asked : problem_.first_weight());
}

void NormalStepper::describe(IterationReport& report) const {
    report.misfit = misfit(picks_, now_.residual, hearing_.use());
    report.misfit.chi2 /= problem_.freedom(hearing_.use());
    report.max_update = change_;
    report.lambda = report.iteration == 0 ? 0 : cooling_.lambda();
    report.roughness = problem_.roughness_of(x_);
}

void NormalStepper::reported(const std::vector<IterationReport>& history) {
    made_by_ = history.back().lambda;
    const bool falls = problem_.still_falls();
    // Near the target a weight is kept until its model has come to rest: where it is then does not
    // hang on the steps that led there.
    constexpr double at_rest = 0.04;
    constexpr double near = 1.3;
    const bool moves = gain_ > at_rest && chi2() > cooling_.target() &&
                       chi2() < near * cooling_.target() && !cooling_.keeps_weight() &&
                       !rules_.steer;
    if (moves && !hearing_.is_hearing()) {
        // The same weight once more.
    } else if (!hearing_.is_hearing()) {
        // Picks that are explained end the run only if the rest has come to rest.
        if (!falls || chi2() > cooling_.target()) cooling_.accepted(chi2(), meets_target_);
    } else if (hearing_.rounds() > 1) {
        cooling_.start(cooling_.lambda() / 2);
    }
    if (!rules_.steer) return;
    const Steering wish = rules_.steer(*this, made_by_);
    ended_ = wish.ends;
    if (wish.lambda > 0) cooling_.start(wish.lambda);
}

/// Picks that agree with each other are no outliers (see OutlierGroups): before the run looks for a
/// smoother model, or ends, they count again. True where the present model has to be judged anew,
/// for its rows know only picks that counted.
bool NormalStepper::takes_back(std::size_t iterations) {
    const bool before_the_end =
        cooling_.phase() != Cooling::Phase::cooling && !hearing_.is_hearing() &&
        iterations <= static_cast<std::size_t>(options_.gauss_newton.iterations);
    if (!rules_.takes_back || !hearing_.leaves_out() || !before_the_end) return false;
    const auto agreeing = problem_.agreeing(now_.residual, hearing_.use());
    if (agreeing.empty()) return false;
    hearing_.take_back(agreeing);
    cooling_.reopen();
    judged_anew_ = true;
    return true;
}

bool NormalStepper::goes_on(const std::vector<IterationReport>& history) {
    if (takes_back(history.size())) return true;
    const auto phase = cooling_.phase();
    const bool there = phase == Cooling::Phase::done || phase == Cooling::Phase::stagnant;
    return !ended_ && !there &&
           history.size() <= static_cast<std::size_t>(options_.gauss_newton.iterations);
}

void NormalStepper::propose() {
    if (broadcast_value(ranks_, judged_anew_)) {
        trial_ = x_;
        return;
    }
    problem_.while_served([&] {
        trial_ = shorter_.is_open() ? shorter_.from(x_)
                                    : problem_.step(x_, right_, cooling_.lambda(), damping_);
    });
}

void NormalStepper::save(InversionState& state) const {
    state.unknowns = x_;
    state.method.cooling = cooling_.save();
    state.method.damping = damping_;
    state.method.hearing = hearing_.save();
    problem_.save(state.method);
}

InversionResult NormalStepper::finish() {
    ranks_.broadcast(std::as_writable_bytes(std::span(x_)));
    InversionResult result{model().copy()};
    result.final_residual = now_.residual;
    result.final_use = hearing_.use();
    result.reason = stop_reason(cooling_, ranks_.is_root() ? chi2() : 0, options_);
    result.taken_back = hearing_.taken_back();
    problem_.finish(x_, result);
    return result;
}

}  // namespace fermat
