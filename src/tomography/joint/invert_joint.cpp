#include "tomography/joint/invert_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/model_change.hpp"
#include "tomography/gauss_newton/pick_hearing.hpp"
#include "tomography/joint/joint_forward.hpp"
#include "tomography/joint/joint_setup.hpp"
#include "tomography/joint/joint_trust.hpp"
#include "tomography/joint/relocated_events.hpp"
#include "tomography/stop_reason.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// A trial as far as rank 0 has judged it.
struct Candidate {
    Vector x;
    Vector residual;  ///< observed - computed, per pick; not a number where lost
    std::vector<bool> bounded;
    Vector differences{};  ///< the same per difference
    std::int64_t first_order_fields = 0;
    std::int64_t coarse_fields = 0;
};

class JointRun {
  public:
    JointRun(const Model& start, const Survey& picks, const InversionOptions& options,
             const Execution& execution, const InversionListener& listener)
        : picks_(picks),
          options_(options),
          listener_(listener),
          execution_(execution.on(forward_device(start, options, execution))
                         .with_threads(resolve_threads(execution.threads))),
          ranks_(execution.ranks),
          threads_(execution_.threads),
          plan_(problem_plan(start, picks, options)),
          moves_(options.joint.relocate != Relocate::none),
          differences_(picks, options.joint.differences, options.joint.weighting,
                       options.joint.difference_weight),
          forward_(joint_medium(start, options.joint, picks), differences_.arrivals(), plan_.ratio,
                   plan_.bounds, plan_.rays, moves_),
          terms_(differences_.arrivals(), forward_.slots(), forward_.phases().size(),
                 options.gauss_newton.terms == Terms::receiver, plan_.errors),
          layout_(joint_layout(forward_, options.joint, terms_.size(), picks.events.size())),
          events_(differences_.arrivals(), start.grid(), options.joint),
          roughness_(forward_.unknowns(), options.gauss_newton.roughness),
          ratio_roughness_(forward_.unknowns(), options.gauss_newton.roughness),
          step_({forward_.unknowns(), roughness_, ratio_roughness_, options.joint.vp_vs_smoothing,
                 layout_, terms_, events_, threads_, &differences_}),
          offset_(joint_offset(forward_, layout_, roughness_, options.gauss_newton)),
          cooling_(options.target_chi2 > 0 ? options.target_chi2 : 1, is_kept(options)),
          hearing_(options.gauss_newton.norm, options.outliers.value_or(default_outliers),
                   !is_kept(options)),
          x_(layout_.size(), 0.0),
          bounded_(picks.events.size(), false) {
        models_ = forward_.models_of(x_, layout_, threads_);
    }

    void take_up(InversionState&& state) {
        if (state.unknowns.size() != x_.size()) {
            throw InputError(fmt::format(
                "the state has {} unknowns and the run {} (start again without `resume`)",
                state.unknowns.size(), x_.size()));
        }
        x_ = std::move(state.unknowns);
        const std::span numbers(state.method_state);
        const std::size_t own = cooling_.save().size();
        cooling_.restore(state.method_state);
        damping_ = numbers[own];
        for (std::size_t e = 0; e < bounded_.size(); ++e) bounded_[e] = numbers[own + 1 + e] != 0;
        std::size_t at = own + 1 + bounded_.size();
        for (KindNumbers* const kept : {&differences_before_, &differences_last_}) {
            for (double& rms : *kept) {
                if (differences_.any()) rms = numbers[at++];
            }
        }
        hearing_.restore(numbers.subspan(at), plan_.errors.size());
        history_ = std::move(state.history);
        passes_ = history_.back().passes - 1;  // the present model is solved again
        initial_residual_ = std::move(state.initial_residual);
        resumed_ = true;
    }

    void run() {
        Candidate trial{x_, {}, bounded_};
        for (;;) {
            ranks_.broadcast(std::as_writable_bytes(std::span(trial.x)));
            PhaseModels models = forward_.models_of(trial.x, layout_, threads_);
            JointPrediction prediction = forward_.predict(models, trial.x, layout_, execution_);
            bool accepted = false;
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                ++passes_;
                seconds_.times += prediction.seconds * (1 - prediction.ray_fraction);
                seconds_.rays += prediction.seconds * prediction.ray_fraction;
                trial.first_order_fields = prediction.first_order_fields;
                trial.coarse_fields = prediction.coarse_fields;
                accepted = judge(std::move(trial), std::move(models), prediction.time);
            });
            if (broadcast_value(ranks_, accepted)) renew(std::move(prediction));
            bool go_on = false;
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                if (accepted) accept();
                go_on = !finished();
            });
            if (!broadcast_value(ranks_, go_on)) return;
            trial = {};
            trial.x.resize(layout_.size());
            rows_->while_served(threads_, [&] { trial = next(); });
        }
    }

    InversionResult finish() {
        ranks_.broadcast(std::as_writable_bytes(std::span(x_)));
        models_ = forward_.models_of(x_, layout_, threads_);
        Field<float> coverage = forward_.coverage(0, models_, x_, layout_, execution_);
        Field<float> s_coverage;
        if (layout_.two_phases) s_coverage = forward_.coverage(1, models_, x_, layout_, execution_);
        const double final_chi2 = ranks_.is_root() ? chi2_of(scaled_, hearing_.use()) : 0;
        InversionResult result{models_.front().copy(),
                               std::move(coverage),
                               std::move(history_),
                               std::move(initial_residual_),
                               now_.residual,
                               hearing_.use(),
                               stop_reason(cooling_, final_chi2, options_)};
        last_lambda_ = result.history.empty() ? 0 : result.history.back().lambda;
        if (layout_.two_phases) {
            result.s_model.emplace(models_.back().copy());
            result.s_coverage = std::move(s_coverage);
        }
        result.first_order_sources = now_.first_order_fields;
        result.coarse_sources = now_.coarse_fields;
        result.terms = terms_.found(layout_.terms_of(x_));
        if (ranks_.is_root() && moves_) {
            events_.renew(slopes_, row_weights_, layout_.events_of(x_), 0);
            result.events = relocated_events(picks_, events_, layout_.events_of(x_), now_.residual,
                                             hearing_.use(), bounded_);
            result.differences = differences_.fits(differences_before_);
        }
        const JointTrustOptions& wanted = options_.joint.trust;
        if (wanted.resolution || wanted.deviation)
            rows_->while_served(threads_, [&] { result.trust = find_trust(wanted); });
        return result;
    }

  private:
    /// Without unknown velocities there is no roughness to weigh.
    static bool is_kept(const InversionOptions& options) {
        return options.gauss_newton.lambda > 0 || options.joint.velocities == Velocities::none;
    }

    Vector scaled(const Vector& residual) const {
        Vector z(residual.size());
        for (std::size_t n = 0; n < z.size(); ++n) z[n] = residual[n] / plan_.errors[n];
        return z;
    }

    Vector regularised(const Vector& x) const {
        Vector m = x;
        for (std::size_t u = 0; u < offset_.size(); ++u) m[u] += offset_[u];
        return m;
    }

    /// The sum of squares over the degrees of freedom: picks less the unknowns of events that they
    /// fix. With four unknowns per event the residuals of the truth are smaller than the errors.
    double chi2_of(const Vector& z, const std::vector<PickUse>& use) const {
        return fermat::chi2_of(z, use) / freedom(use);
    }
    /// Degrees of freedom per pick.
    double freedom(const std::vector<PickUse>& use) const {
        Vector used(differences_.arrivals().arrivals.size(), 0.0);
        double count = 0;
        for (std::size_t n = 0; n < use.size(); ++n) {
            used[n] = use[n] == PickUse::used ? 1 : 0;
            count += used[n];
        }
        const auto fixed = static_cast<double>(events_.free_unknowns(used));
        return std::max(count - fixed, 1.0) / std::max(count, 1.0);
    }

    double objective(const Candidate& candidate, const Candidate& other) const {
        const Vector& weights = hearing_.weights();
        double sum = 0;
        for (std::size_t n = 0; n < weights.size(); ++n) {
            if (weights[n] == 0) continue;
            if (std::isnan(candidate.residual[n]) || std::isnan(other.residual[n])) continue;
            const double z = weights[n] * candidate.residual[n] / plan_.errors[n];
            sum += z * z;
        }
        for (const double term : layout_.terms_of(candidate.x)) sum += term * term;
        sum += events_.prior_of(layout_.events_of(candidate.x));
        sum += differences_.objective(candidate.differences, other.differences);
        return sum + cooling_.lambda() * step_.roughness_of(regularised(candidate.x));
    }

    bool judge(Candidate&& candidate, PhaseModels&& models, const Vector& time) {
        candidate.residual.resize(picks_.arrivals.size());
        const auto shift = layout_.events_of(candidate.x);
        const auto terms = layout_.terms_of(candidate.x);
        for (std::size_t n = 0; n < candidate.residual.size(); ++n) {
            const Arrival& pick = picks_.arrivals[n];
            double origin = picks_.event_of(pick).origin_time;
            const auto event = static_cast<std::size_t>(pick.event);
            if (moves_) origin += shift[event_unknowns * event + 3];
            candidate.residual[n] = pick.time - origin - time[n] - terms_.time_of(terms, n);
        }
        if (differences_.any()) candidate.differences = difference_residuals(shift, time);
        const bool first = now_.x.empty();
        if (!first && !admitted(candidate)) return false;
        change_ = 0;
        for (std::size_t slot = 0; !first && slot < models.size(); ++slot) {
            change_ = std::max(change_, largest_change(models_[slot], models[slot]));
        }
        now_ = std::move(candidate);
        x_ = now_.x;
        bounded_ = now_.bounded;
        models_ = std::move(models);
        if (!first) damping_ = damping_ > 0.2 ? damping_ / 4 : 0;
        scaled_ = scaled(now_.residual);
        if (resumed_) {
            hearing_.settle(scaled_);
        } else {
            hearing_.accept(scaled_, cooling_.target() * freedom(hearing_.uses(scaled_)));
        }
        hearing_.require_used();
        weigh_differences(first);
        return true;
    }

    Vector difference_residuals(std::span<const double> shift, const Vector& time) const {
        Vector travel = time;
        const std::vector<Arrival>& arrivals = differences_.arrivals().arrivals;
        for (std::size_t n = 0; n < travel.size(); ++n) {
            travel[n] += shift[event_unknowns * static_cast<std::size_t>(arrivals[n].event) + 3];
        }
        return differences_.residuals(travel);
    }

    void weigh_differences(bool first) {
        if (!differences_.any()) return;
        const auto shift = layout_.events_of(x_);
        std::vector<Vec3> places;
        for (std::size_t e = 0; e < picks_.events.size(); ++e) {
            const double* const own = &shift[event_unknowns * e];
            places.push_back(picks_.events[e].position + Vec3{own[0], own[1], own[2]});
        }
        differences_.weigh(now_.differences, places);
        if (first && !resumed_) differences_before_ = differences_.rms();
    }

    bool admitted(const Candidate& candidate) {
        const Vector z = scaled(candidate.residual);
        const double chi2 = chi2_of(z, hearing_.uses(z));
        const bool better = objective(candidate, now_) <= objective(now_, candidate);
        if (better && cooling_.admits(chi2)) return true;
        constexpr double most_damping = 500;
        if (!better && damping_ < most_damping) {
            damping_ = damping_ > 0 ? 8 * damping_ : 1;
            return false;
        }
        damping_ = std::min(damping_, 1.0);
        if (hearing_.is_hearing()) {  // no model is nearer to those heard
            hearing_.close();
            cooling_.accepted(chi2_of(scaled_, hearing_.use()));
        } else {
            cooling_.refused();
        }
        return false;
    }

    /// What the accepted model's prediction gives to the next step. On all ranks.
    void renew(JointPrediction&& prediction) {
        row_weights_.assign(plan_.errors.size(), 0.0);
        for (std::size_t n = 0; n < hearing_.weights().size(); ++n) {
            row_weights_[n] = hearing_.weights()[n] / plan_.errors[n];
        }
        if (differences_.any()) {
            row_weights_ = ranks_.is_root() ? differences_.row_weights(row_weights_)
                                            : Vector(differences_.arrivals().arrivals.size());
        }
        ranks_.broadcast(std::as_writable_bytes(std::span(row_weights_)));
        slopes_ = std::move(prediction.slope);
        rows_.reset();
        rows_.emplace(std::move(prediction.rows), row_weights_, layout_.velocities(), ranks_,
                      execution_.device == Device::cpu ? RowPlace::host : RowPlace::cuda);
    }

    /// On rank 0, after renew.
    void accept() {
        residual_.assign(scaled_.size(), 0.0);
        for (std::size_t n = 0; n < residual_.size(); ++n) {
            const double weight = hearing_.weights()[n];
            if (weight > 0) residual_[n] = weight * scaled_[n];
        }
        if (differences_.any()) residual_ = differences_.right_side(residual_);
        const Vector m = regularised(x_);
        roughness_.reweight(layout_.velocity_of(m));
        if (layout_.two_phases) ratio_roughness_.reweight(layout_.ratio_of(m));
        if (!(cooling_.lambda() > 0)) {
            const double asked = options_.gauss_newton.lambda;
            const double start = roughness_.kind() == Regularisation::second ? 20000 : 1000;
            cooling_.start(asked > 0 ? asked
                                     : start * differences_.share_of_picks() * rows_->trace() /
                                           roughness_.trace());
        }
        if (!std::exchange(resumed_, false)) report();
    }

    void report() {
        IterationReport now;
        now.iteration = static_cast<int>(history_.size());
        now.misfit = misfit(picks_, now_.residual, hearing_.use());
        now.misfit.chi2 /= freedom(hearing_.use());
        now.max_update = change_;
        now.lambda = history_.empty() ? 0 : cooling_.lambda();
        now.roughness = step_.roughness_of(regularised(x_));
        now.passes = passes_;
        now.seconds = std::exchange(seconds_, {});
        if (history_.empty()) initial_residual_ = now_.residual;
        history_.push_back(now);
        if (listener_.iteration) listener_.iteration(now, models_.front());
        const double chi2 = chi2_of(scaled_, hearing_.use());
        const bool falling = differences_fall();
        if (!hearing_.is_hearing()) {
            // Picks that are explained end the run only if the differences have come to rest.
            if (!falling || chi2 > cooling_.target()) cooling_.accepted(chi2);
        } else if (hearing_.rounds() > 0) {
            cooling_.start(cooling_.lambda() / 2);
        }
        if (listener_.update) save();
    }

    /// Whether the differences of some kind are explained clearly better than by the last model.
    bool differences_fall() {
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

    bool finished() const {
        const auto phase = cooling_.phase();
        return phase == Cooling::Phase::done || phase == Cooling::Phase::stagnant ||
               static_cast<int>(history_.size()) > options_.gauss_newton.iterations;
    }

    /// The next trial.
    Candidate next() {
        const Stopwatch watch;
        // Steps of events are damped by a thousandth at least: a depth that picks hardly tell then
        // does not jump.
        constexpr double least_damping = 1e-3;
        constexpr double per_damping = 0.1;
        events_.renew(slopes_, row_weights_, layout_.events_of(x_),
                      least_damping + per_damping * damping_);
        SolveLimits limits{step_accuracy};
        limits.monitor = &execution_.monitor;
        const StepWeights weights{cooling_.lambda(), damping_ * cooling_.lambda()};
        const Vector m = regularised(x_);
        Candidate trial{x_, {}, {}};
        const auto shift = std::span(trial.x).subspan(layout_.solved());
        const auto add = [&](const Vector& d) {
            for (std::size_t u = 0; u < layout_.solved(); ++u) trial.x[u] += d[u];
        };
        if (differences_.any()) {
            const Vector d =
                step_.solve_coupled(*rows_, row_weights_, residual_, m, weights, limits).d;
            add(d);
            events_.take(models_.front(), layout_.events_of(d), shift, trial.bounded);
        } else {
            Vector left;
            add(step_.solve(*rows_, row_weights_, residual_, m, weights, limits, left).d);
            events_.step(models_.front(), left, shift, trial.bounded);
        }
        seconds_.update += watch.seconds();
        return trial;
    }

    void save() {
        InversionState state;
        state.velocity = Field<float>(models_.front().given().shape());
        const auto velocity = models_.front().given();
        std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
        state.history = history_;
        state.unknowns = x_;
        state.method_state = cooling_.save();
        state.method_state.push_back(damping_);
        for (const bool held : bounded_) state.method_state.push_back(held ? 1 : 0);
        for (const KindNumbers* const kept : {&differences_before_, &differences_last_}) {
            for (const double rms : *kept) {
                if (differences_.any()) state.method_state.push_back(rms);
            }
        }
        const Vector heard = hearing_.save();
        state.method_state.insert(state.method_state.end(), heard.begin(), heard.end());
        state.initial_residual = initial_residual_;
        listener_.update(state);
    }

    /// On rank 0, of the model that was found.
    JointTrust find_trust(const JointTrustOptions& wanted) {
        constexpr double little_damping = 1e-6;  // a depth that picks do not tell stays a number
        events_.renew(slopes_, row_weights_, layout_.events_of(x_), little_damping);
        const double lambda = last_lambda_ > 0 ? last_lambda_ : cooling_.lambda();
        const JointProblem problem{step_.parts(), forward_,     models_, x_,
                                   *rows_,        row_weights_, lambda};
        return joint_trust(step_, problem, wanted, execution_.monitor);
    }

    const Survey& picks_;
    const InversionOptions& options_;
    const InversionListener& listener_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    ProblemPlan plan_;
    bool moves_;
    DifferenceRows differences_;
    JointForward forward_;
    StationTerms terms_;
    JointLayout layout_;
    EventBlocks events_;
    Roughness roughness_;
    Roughness ratio_roughness_;
    JointStep step_;
    Vector offset_;
    Cooling cooling_;
    PickHearing hearing_;
    PhaseModels models_;
    Vector x_;
    std::vector<bool> bounded_;  ///< per event: held by a face or the ground in the last step

    // Of the present model, on rank 0.
    Candidate now_;
    Vector scaled_;                  ///< residuals in errors
    Vector residual_;                ///< the same, weighted; 0 where a pick has no say; of a run
                                     ///< with differences, the right side that both make
    std::vector<Vec3> slopes_;       ///< dt/dx at the event, per pick
    Vector row_weights_;             ///< on all ranks
    double change_ = 0;              ///< of velocity by the last step, at most
    std::optional<DealtRows> rows_;  ///< on all ranks
    double damping_ = 0;             ///< of steps (Levenberg-Marquardt)

    KindNumbers differences_before_{not_known, not_known};  ///< RMS in the start
    KindNumbers differences_last_{not_known, not_known};    ///< in the last accepted model
    std::vector<IterationReport> history_;
    double last_lambda_ = 0;  ///< of the model that was found
    IterationSeconds seconds_;
    int passes_ = 0;
    bool resumed_ = false;
    Vector initial_residual_;
};

}  // namespace

InversionResult invert_joint(const Model& start, const Survey& picks,
                             const InversionOptions& options, const Execution& execution,
                             const InversionListener& listener,
                             std::optional<InversionState> resume) {
    together(execution.ranks, [&] { require_joint_memory(start, picks, options, execution); });
    JointRun run(start, picks, options, execution, listener);
    if (resume) run.take_up(std::move(*resume));
    run.run();
    return run.finish();
}

}  // namespace fermat
