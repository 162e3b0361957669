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
#include "tomography/gauss_newton/memory_estimate.hpp"
#include "tomography/gauss_newton/pick_hearing.hpp"
#include "tomography/joint/joint_forward.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

Medium medium_of(const Model& start, const JointOptions& joint, const Survey& picks) {
    if (phases_of(picks).size() == 1) return start;
    return joint.s_start ? Medium(start, *joint.s_start) : Medium::of_ratio(start, joint.vp_vs);
}

JointLayout layout_of(const JointForward& forward, const JointOptions& joint, std::size_t terms,
                      std::size_t events) {
    JointLayout layout;
    layout.grid = forward.unknowns().size();
    layout.two_phases = forward.phases().size() == 2;
    const Velocities found = joint.velocities;
    layout.finds_velocity = layout.two_phases ? found == Velocities::both || found == Velocities::p
                                              : found != Velocities::none;
    layout.finds_ratio = layout.two_phases && (found == Velocities::both || found == Velocities::s);
    layout.terms = terms;
    layout.events = joint.relocate == Relocate::none ? 0 : events;
    return layout;
}

/// A trial as far as rank 0 has judged it.
struct Candidate {
    Vector x;
    Vector residual;  ///< observed - computed, per pick; not a number where lost
    std::vector<bool> bounded;
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
          forward_(medium_of(start, options.joint, picks), picks, plan_.ratio, plan_.bounds,
                   plan_.rays, moves_),
          terms_(picks, forward_.slots(), forward_.phases().size(),
                 options.gauss_newton.terms == Terms::receiver, plan_.errors),
          layout_(layout_of(forward_, options.joint, terms_.size(), picks.events.size())),
          events_(picks, start.grid(), options.joint),
          roughness_(forward_.unknowns(), options.gauss_newton.roughness),
          ratio_roughness_(forward_.unknowns(), options.gauss_newton.roughness),
          step_({forward_.unknowns(), roughness_, ratio_roughness_, options.joint.vp_vs_smoothing,
                 layout_, terms_, events_, threads_}),
          offset_(offset_of()),
          cooling_(options.target_chi2 > 0 ? options.target_chi2 : 1, is_kept(options)),
          hearing_(options.gauss_newton.norm, options.outliers.value_or(default_outliers),
                   !is_kept(options)),
          x_(layout_.size(), 0.0),
          bounded_(picks.events.size(), false) {
        models_ = forward_.models_of(x_, layout_, threads_);
    }

    void take_up(InversionState&& state) {
        if (state.unknowns.size() != x_.size()) {
            throw InputError(
                fmt::format("the state has {} unknowns and the run {} (they are not of "
                            "one run: start again without `resume`)",
                            state.unknowns.size(), x_.size()));
        }
        x_ = std::move(state.unknowns);
        const std::span numbers(state.method_state);
        const std::size_t own = cooling_.save().size();
        cooling_.restore(state.method_state);
        damping_ = numbers[own];
        for (std::size_t e = 0; e < bounded_.size(); ++e) bounded_[e] = numbers[own + 1 + e] != 0;
        hearing_.restore(numbers.subspan(own + 1 + bounded_.size()));
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
        InversionResult result{models_.front().copy(),
                               std::move(coverage),
                               std::move(history_),
                               std::move(initial_residual_),
                               now_.residual,
                               hearing_.use(),
                               reason()};
        if (layout_.two_phases) {
            result.s_model.emplace(models_.back().copy());
            result.s_coverage = std::move(s_coverage);
        }
        result.terms = terms_.found(layout_.terms_of(x_));
        if (ranks_.is_root() && moves_) result.events = relocated();
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

    /// What x is added to before R is applied, as in a run of one velocity: of Vp/Vs, nothing, or,
    /// blocky, its start.
    Vector offset_of() const {
        Vector offset(layout_.velocities(), 0.0);
        const Vector& start = forward_.parameters(0).start_on_unknowns();
        const bool blocky = roughness_.kind() == Regularisation::blocky;
        const auto& reference = options_.gauss_newton.reference;
        if (blocky || reference) std::copy(start.begin(), start.end(), offset.begin());
        if (!blocky && reference) {
            const Vector other = forward_.parameters(0).on_unknowns(*reference);
            for (std::size_t u = 0; u < other.size(); ++u) offset[u] -= other[u];
        }
        if (blocky && layout_.two_phases) {
            const Vector& of_s = forward_.parameters(1).start_on_unknowns();
            for (std::size_t u = 0; u < of_s.size(); ++u) {
                offset[layout_.grid + u] = of_s[u] - start[u];
            }
        }
        return offset;
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
        Vector used(use.size());
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
        return sum + cooling_.lambda() * step_.roughness_of(regularised(candidate.x));
    }

    bool judge(Candidate&& candidate, PhaseModels&& models, const Vector& time) {
        candidate.residual.resize(time.size());
        const auto shift = layout_.events_of(candidate.x);
        const auto terms = layout_.terms_of(candidate.x);
        for (std::size_t n = 0; n < time.size(); ++n) {
            const Arrival& pick = picks_.arrivals[n];
            double origin = picks_.event_of(pick).origin_time;
            const auto event = static_cast<std::size_t>(pick.event);
            if (moves_) origin += shift[event_unknowns * event + 3];
            candidate.residual[n] = pick.time - origin - time[n] - terms_.time_of(terms, n);
        }
        const bool first = now_.x.empty();
        if (!first && !admitted(candidate)) return false;
        change_ = first ? 0 : largest_change(models_, models);
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
        require_used();
        return true;
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

    static double largest_change(const PhaseModels& before, const PhaseModels& after) {
        double largest = 0;
        for (std::size_t slot = 0; slot < before.size(); ++slot) {
            const auto old = before[slot].given();
            const auto fresh = after[slot].given();
            for (std::size_t n = 0; n < old.size(); ++n) {
                if (old[n] == 0) continue;
                largest = std::max(largest, std::abs(static_cast<double>(fresh[n]) / old[n] - 1));
            }
        }
        return largest;
    }

    void require_used() const {
        const std::vector<PickUse>& use = hearing_.use();
        if (std::find(use.begin(), use.end(), PickUse::used) != use.end()) return;
        const auto lost = std::count(use.begin(), use.end(), PickUse::lost);
        throw InputError(fmt::format("no pick of {} can be used ({} without a ray, {} outliers)",
                                     use.size(), lost,
                                     static_cast<std::ptrdiff_t>(use.size()) - lost));
    }

    /// What the accepted model's prediction gives to the next step. On all ranks.
    void renew(JointPrediction&& prediction) {
        row_weights_.assign(plan_.errors.size(), 0.0);
        for (std::size_t n = 0; n < hearing_.weights().size(); ++n) {
            row_weights_[n] = hearing_.weights()[n] / plan_.errors[n];
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
        const Vector m = regularised(x_);
        roughness_.reweight(layout_.velocity_of(m));
        if (layout_.two_phases) ratio_roughness_.reweight(layout_.ratio_of(m));
        if (!(cooling_.lambda() > 0)) {
            const double asked = options_.gauss_newton.lambda;
            const double start = roughness_.kind() == Regularisation::second ? 20000 : 1000;
            cooling_.start(asked > 0 ? asked : start * rows_->trace() / roughness_.trace());
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
        if (!hearing_.is_hearing()) {
            cooling_.accepted(chi2);
        } else if (hearing_.rounds() > 0) {
            cooling_.start(cooling_.lambda() / 2);
        }
        if (listener_.update) save();
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
        Vector left;
        const Vector d = step_
                             .solve(*rows_, row_weights_, residual_, regularised(x_),
                                    {cooling_.lambda(), damping_ * cooling_.lambda()}, limits, left)
                             .d;
        Candidate trial{x_, {}, {}};
        for (std::size_t u = 0; u < d.size(); ++u) trial.x[u] += d[u];
        events_.step(models_.front(), left, std::span(trial.x).subspan(layout_.solved()),
                     trial.bounded);
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
        const Vector heard = hearing_.save();
        state.method_state.insert(state.method_state.end(), heard.begin(), heard.end());
        state.initial_residual = initial_residual_;
        listener_.update(state);
    }

    StopReason reason() const {
        // With a kept weight a run is done once chi2 stays, wherever that is.
        const bool reached =
            scaled_.empty() || chi2_of(scaled_, hearing_.use()) <= cooling_.target();
        if (!reached) {
            return cooling_.phase() == Cooling::Phase::cooling ? StopReason::schedule_end
                                                               : StopReason::stagnation;
        }
        if (options_.target_rms > 0 && !(options_.target_chi2 > 0)) return StopReason::target_rms;
        return StopReason::target_chi2;
    }

    std::vector<JointEvent> relocated() {
        const auto shift = layout_.events_of(x_);
        events_.renew(slopes_, row_weights_, shift, 0);
        std::vector<JointEvent> out(picks_.events.size());
        for (std::size_t e = 0; e < out.size(); ++e) {
            const double* const own = &shift[event_unknowns * e];
            JointEvent& event = out[e];
            event.shift = {own[0], own[1], own[2]};
            event.time_shift = own[3];
            event.position = picks_.events[e].position + event.shift;
            event.origin_time = picks_.events[e].origin_time + event.time_shift;
            const EventVector errors = events_.deviations(e);
            event.error = {errors[0], errors[1], errors[2]};
            event.time_error = errors[3];
            event.use = events_.use_of(e);
            if (event.use == EventUse::moved && bounded_[e]) event.use = EventUse::bounded;
            double squares = 0;
            for (const std::int32_t number : events_.picks_of(e)) {
                const auto n = static_cast<std::size_t>(number);
                ++event.picks;
                if (hearing_.use()[n] != PickUse::used) continue;
                ++event.used;
                squares += now_.residual[n] * now_.residual[n];
            }
            event.rms = event.used > 0 ? std::sqrt(squares / event.used) : std::nan("");
        }
        return out;
    }

    const Survey& picks_;
    const InversionOptions& options_;
    const InversionListener& listener_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    ProblemPlan plan_;
    bool moves_;
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
    Vector residual_;                ///< the same, weighted; 0 where a pick has no say
    std::vector<Vec3> slopes_;       ///< dt/dx at the event, per pick
    Vector row_weights_;             ///< on all ranks
    double change_ = 0;              ///< of velocity by the last step, at most
    std::optional<DealtRows> rows_;  ///< on all ranks
    double damping_ = 0;             ///< of steps (Levenberg-Marquardt)

    std::vector<IterationReport> history_;
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
    together(execution.ranks, [&] {
        MemoryPlan plan{start.grid(), problem_plan(start, picks, options).ratio};
        plan.threads = resolve_threads(execution.threads);
        plan.ranks = execution.ranks.size();
        plan.cuda = runs_on_cuda(options, execution.device, start);
        plan.extra = event_unknowns * picks.events.size();
        require_memory(plan, picks);
    });
    JointRun run(start, picks, options, execution, listener);
    if (resume) run.take_up(std::move(*resume));
    run.run();
    return run.finish();
}

}  // namespace fermat
