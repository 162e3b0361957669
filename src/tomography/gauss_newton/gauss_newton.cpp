#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/model_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/memory_estimate.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/pick_hearing.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/gauss_newton/shorter_step.hpp"
#include "tomography/gauss_newton/terms.hpp"
#include "tomography/outlier_groups.hpp"
#include "tomography/stop_reason.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// Errors that residuals are divided by, one per pick.
Vector errors_of(const Survey& picks, const InversionOptions& options) {
    Vector errors;
    const bool given = picks.has_errors && options.weights == PickWeights::errors;
    const double alike = options.target_rms > 0 ? options.target_rms : 1;
    for (const Arrival& pick : picks.arrivals) errors.push_back(given ? pick.error : alike);
    return errors;
}

RayOptions forward_options(const InversionOptions& options) {
    RayOptions rays = ray_options(options);
    rays.reciprocity = Reciprocity::off;
    return rays;
}

bool is_turned(const Survey& picks) { return picks.stations.size() < picks.events.size(); }

/// A model as far as rank 0 has judged it.
struct Candidate {
    Vector x;
    Vector residual;  ///< observed - computed, per pick; not a number where lost
};

class Run {
  public:
    Run(const Model& start, const Survey& picks, const InversionOptions& options,
        const Execution& execution, const InversionListener& listener, FoldTest* folds = nullptr,
        std::function<double(const ScoreAt&)> go_on = {})
        : picks_(picks),
          survey_(is_turned(picks) ? exchanged(picks) : picks),
          options_(options),
          listener_(listener),
          execution_(execution.on(forward_device(start, options, execution))),
          ranks_(execution.ranks),
          threads_(resolve_threads(execution.threads)),
          rays_(forward_options(options)),
          parameters_(start, ratio_of(start, options), bounds_of(options)),
          roughness_(parameters_.unknowns(), options.gauss_newton.roughness),
          // The step on a device knows cells of one size.
          place_(execution_.device == Device::cpu || start.metric() ? RowPlace::host
                                                                    : RowPlace::cuda),
          offset_(offset_of(options)),
          errors_(errors_of(picks, options)),
          terms_(picks, options.gauss_newton.terms, errors_, parameters_.unknowns().size()),
          solver_(parameters_.unknowns(), roughness_, threads_, terms_.damping()),
          folds_(folds),
          go_on_(std::move(go_on)),
          cooling_(go_on_                    ? 0
                   : options.target_chi2 > 0 ? options.target_chi2
                                             : 1,
                   options.gauss_newton.lambda > 0),
          hearing_(options.gauss_newton.norm, options.outliers.value_or(default_outliers),
                   folds == nullptr && !(options.gauss_newton.lambda > 0)),
          model_(start.copy()),
          x_(parameters_.unknowns().size() + terms_.size(), 0.0) {}

    void take_up(InversionState&& state) {
        x_ = std::move(state.unknowns);
        x_.resize(parameters_.unknowns().size() + terms_.size(), 0.0);
        const std::span numbers(state.method_state);
        const std::size_t own = cooling_.save().size();
        cooling_.restore(state.method_state);
        damping_ = numbers[own];
        hearing_.restore(numbers.subspan(own + 1), errors_.size());
        history_ = std::move(state.history);
        passes_ = history_.back().passes - 1;  // the present model is solved again
        initial_residual_ = std::move(state.initial_residual);
        judged_anew_ = true;
    }

    void run() {
        Vector trial = x_;
        for (;;) {
            ranks_.broadcast(std::as_writable_bytes(std::span(trial)));
            Model model = parameters_.model_of(trial, threads_);
            const std::vector<float> slopes = parameters_.slopes_at(trial, threads_);
            Prediction prediction =
                predict(model, survey_, parameters_.unknowns(), slopes, rays_, execution_);
            bool accepted = false;
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                ++passes_;
                seconds_.times += prediction.seconds * (1 - prediction.ray_fraction);
                seconds_.rays += prediction.seconds * prediction.ray_fraction;
                accepted = judge(std::move(trial), std::move(model), prediction.time);
                if (accepted) {
                    first_order_sources_ = prediction.first_order_events;
                    coarse_sources_ = prediction.coarse_events;
                }
            });
            trial.resize(x_.size());
            if (broadcast_value(ranks_, accepted)) renew_rows(std::move(prediction.rows));
            bool go_on = false;
            bool again = false;
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                if (accepted) accept();
                again = takes_back();
                go_on = again || !finished();
            });
            if (!broadcast_value(ranks_, go_on)) return;
            if (broadcast_value(ranks_, again)) {
                trial = x_;
            } else {
                rows_->while_served(threads_, [&] { trial = next(); });
            }
        }
    }

    bool is_stalled() const { return cooling_.phase() == Cooling::Phase::stagnant; }
    bool is_explained() const { return chi2_of(scaled_, hearing_.use()) <= 1; }

    HeldOutScore fold_score(double factor) {
        const Vector m = regularised(x_);
        const double made_it = history_.back().lambda;
        const double lambda = factor * (made_it > 0 ? made_it : cooling_.lambda());
        return folds_->score({*rows_, hearing_.use(), residual_, m, lambda}, solver_, roughness_,
                             threads_);
    }

    InversionResult finish() {
        share_model();
        const auto grid = static_cast<std::ptrdiff_t>(parameters_.unknowns().size());
        BackprojectionOptions options;
        options.rays = rays_;
        options.picks.weights.assign(errors_.size(), 1.0);
        options.picks.scale.assign(errors_.size(), 1.0);
        Field<float> coverage = backproject(model_, survey_, options, execution_).sums.count;
        InversionResult out{std::move(model_),
                            std::move(coverage),
                            std::move(history_),
                            std::move(initial_residual_),
                            std::move(now_.residual),
                            hearing_.use(),
                            stop_reason(cooling_, chi2_of(scaled_, hearing_.use()), options_),
                            Vector(x_.begin(), x_.begin() + grid),
                            terms_.found(x_)};
        out.first_order_sources = first_order_sources_;
        out.coarse_sources = coarse_sources_;
        out.taken_back = hearing_.taken_back();
        return out;
    }

    static Index3 ratio_of(const Model& start, const InversionOptions& options) {
        const Index3 asked = options.gauss_newton.ratio;
        const std::size_t most = start.grid().is_2d() ? 6000 : 30000;
        return asked.x > 0 ? asked : unknowns_ratio(start, most);
    }

    static VelocityBounds bounds_of(const InversionOptions& options) {
        const UpdateLimits& limits = options.update;
        const bool given = limits.min_velocity > 0 && std::isfinite(limits.max_velocity);
        return given ? VelocityBounds(limits.min_velocity, limits.max_velocity) : VelocityBounds();
    }

  private:
    Vector scaled(const Vector& residual) const {
        Vector z(residual.size());
        for (std::size_t n = 0; n < z.size(); ++n) z[n] = residual[n] / errors_[n];
        return z;
    }

    /// What x is added to before R is applied: nothing for the change from the start model, which
    /// is x; the start model less the reference; or, blocky, the start model itself.
    Vector offset_of(const InversionOptions& options) const {
        if (roughness_.kind() == Regularisation::blocky) return parameters_.start_on_unknowns();
        const auto& reference = options.gauss_newton.reference;
        if (!reference) return {};
        Vector offset = parameters_.start_on_unknowns();
        const Vector other = parameters_.on_unknowns(*reference);
        for (std::size_t u = 0; u < offset.size(); ++u) offset[u] -= other[u];
        return offset;
    }

    /// What R is applied to: the change from the reference, or the whole model.
    Vector regularised(const Vector& x) const {
        Vector m = x;
        for (std::size_t u = 0; u < offset_.size(); ++u) m[u] += offset_[u];
        return m;
    }

    /// The objective by the present model's weights of picks and differences. A pick that either
    /// model lost does not count.
    double objective(const Candidate& candidate, const Candidate& other) const {
        const Vector& weights = hearing_.weights();
        double sum = 0;
        for (std::size_t n = 0; n < weights.size(); ++n) {
            if (weights[n] == 0) continue;
            if (std::isnan(candidate.residual[n]) || std::isnan(other.residual[n])) continue;
            const double z = weights[n] * candidate.residual[n] / errors_[n];
            sum += z * z;
        }
        return sum + cooling_.lambda() * solver_.roughness_of(regularised(candidate.x)) +
               terms_.penalty(candidate.x);
    }

    /// Whether the model takes the place of the present one.
    bool judge(Vector&& x, Model&& model, const Vector& time) {
        Candidate candidate{std::move(x), Vector(time.size())};
        for (std::size_t n = 0; n < candidate.residual.size(); ++n) {
            const double term = terms_.time_of(candidate.x, n);
            // Turned round, times count from the origin of the event.
            candidate.residual[n] = survey_.arrivals[n].time - time[n] - term;
        }
        const bool first = now_.x.empty();
        if (!first && !judged_anew_ && !admitted(candidate)) return false;
        change_ = first ? 0 : largest_change(model_, model);
        if (!history_.empty()) {
            cooling_.start(shorter_.weight(history_.back().lambda, cooling_.lambda()));
        }
        shorter_.reset();
        now_ = std::move(candidate);
        x_ = now_.x;
        model_ = std::move(model);
        if (!first && !judged_anew_) damping_ = damping_ > 0.2 ? damping_ / 4 : 0;
        scaled_ = scaled(now_.residual);
        if (judged_anew_) {
            hearing_.settle(scaled_);
        } else {
            hearing_.accept(scaled_, cooling_.target());
        }
        hearing_.require_used();
        return true;
    }

    bool admitted(const Candidate& candidate) {
        const Vector z = scaled(candidate.residual);
        const double chi2 = chi2_of(z, hearing_.uses(z));
        const double before = objective(now_, candidate);
        const double after = objective(candidate, now_);
        const bool better = after <= before;
        if (better && cooling_.admits(chi2)) return true;
        const double present = chi2_of(scaled_, hearing_.use());
        if (better && shorter_.shorten(x_, candidate.x, present, chi2, cooling_.target())) {
            return false;
        }
        constexpr double most_damping = 500;
        if (!better && damping_ < most_damping) {
            damping_ = damping_ > 0 ? 8 * damping_ : 2;
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

    /// Rows of the model that was accepted, wherever they were traced. On all ranks.
    void renew_rows(std::vector<RowLot>&& rows) {
        Vector weights(errors_.size());
        for (std::size_t n = 0; n < hearing_.weights().size(); ++n) {
            weights[n] = hearing_.weights()[n] / errors_[n];
        }
        ranks_.broadcast(std::as_writable_bytes(std::span(weights)));
        for (RowLot& lot : rows) terms_.extend(lot);
        rows_.reset();
        rows_.emplace(std::move(rows), weights, x_.size(), ranks_, place_);
    }

    /// On rank 0, after renew_rows.
    void accept() {
        residual_.assign(errors_.size(), 0.0);
        for (std::size_t n = 0; n < residual_.size(); ++n) {
            const double weight = hearing_.weights()[n];
            if (weight > 0) residual_[n] = weight * scaled_[n];
        }
        roughness_.reweight(regularised(x_));
        if (!(cooling_.lambda() > 0)) {
            const double asked = options_.gauss_newton.lambda;
            const double start = roughness_.kind() == Regularisation::second ? 20000 : 1000;
            cooling_.start(asked > 0 ? asked : start * rows_->trace() / roughness_.trace());
        }
        if (std::exchange(judged_anew_, false)) {
            history_.back().misfit = misfit(picks_, now_.residual, hearing_.use());
            history_.back().passes = passes_;
        } else {
            report(change_);
        }
    }

    /// Picks that agree with each other are no outliers (see OutlierGroups): before the run looks
    /// for a smoother model, or ends, they count again. True where the present model has to be
    /// judged anew, for its rows know only picks that counted.
    bool takes_back() {
        const bool before_the_end = cooling_.phase() != Cooling::Phase::cooling &&
                                    !hearing_.is_hearing() &&
                                    static_cast<int>(history_.size()) <= most_iterations();
        if (folds_ != nullptr || !hearing_.leaves_out() || !before_the_end) return false;
        const auto agreeing =
            outlier_groups(model_, picks_, now_.residual, hearing_.use()).clustered;
        if (agreeing.empty()) return false;
        hearing_.take_back(agreeing);
        cooling_.reopen();
        judged_anew_ = true;
        return true;
    }

    int most_iterations() const { return options_.gauss_newton.iterations; }

    void report(double change) {
        IterationReport now;
        now.iteration = static_cast<int>(history_.size());
        now.misfit = misfit(picks_, now_.residual, hearing_.use());
        now.max_update = change;
        now.lambda = history_.empty() ? 0 : cooling_.lambda();
        now.roughness = solver_.roughness_of(regularised(x_));
        now.passes = passes_;
        now.seconds = std::exchange(seconds_, {});
        if (history_.empty()) initial_residual_ = now_.residual;
        history_.push_back(now);
        if (listener_.iteration) listener_.iteration(now, model_);
        if (listener_.has_to_keep(now.iteration)) listener_.keep({now.iteration, model_});
        const double chi2 = chi2_of(scaled_, hearing_.use());
        if (folds_ != nullptr && !go_on_) folds_done_ = is_explained();
        if (!hearing_.is_hearing()) {
            cooling_.accepted(chi2);
        } else if (hearing_.rounds() > 1) {
            cooling_.start(cooling_.lambda() / 2);
        }
        if (go_on_ && now.lambda > 0) {
            const double factor = go_on_([this](double by) { return fold_score(by); });
            folds_done_ = !(factor > 0);
            cooling_.start(factor * now.lambda);
        }
        if (listener_.update) save();
    }

    bool finished() const {
        if (folds_done_) return true;
        const auto phase = cooling_.phase();
        return phase == Cooling::Phase::done || phase == Cooling::Phase::stagnant ||
               static_cast<int>(history_.size()) > most_iterations();
    }

    /// The next model to try.
    Vector next() {
        if (shorter_.is_open()) return shorter_.from(x_);
        const Stopwatch watch;
        SolveLimits limits{step_accuracy};
        limits.monitor = &execution_.monitor;
        Vector trial = solver_.solve(*rows_, residual_, regularised(x_),
                                     {cooling_.lambda(), damping_ * cooling_.lambda()}, limits);
        for (std::size_t u = 0; u < trial.size(); ++u) trial[u] += x_[u];
        seconds_.update += watch.seconds();
        return trial;
    }

    void save() {
        InversionState state;
        state.velocity = Field<float>(model_.given().shape());
        const auto velocity = model_.given();
        std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
        state.history = history_;
        state.unknowns = x_;
        state.method_state = cooling_.save();
        state.method_state.push_back(damping_);
        const Vector heard = hearing_.save();
        state.method_state.insert(state.method_state.end(), heard.begin(), heard.end());
        state.initial_residual = initial_residual_;
        listener_.update(state);
    }

    /// Rank 0's model on every rank.
    void share_model() {
        ranks_.broadcast(std::as_writable_bytes(std::span(x_)));
        model_ = parameters_.model_of(x_, threads_);
    }

    const Survey& picks_;
    const Survey survey_;  ///< turned round where receivers are fewer than sources
    const InversionOptions& options_;
    const InversionListener& listener_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    RayOptions rays_;
    Parameters parameters_;
    Roughness roughness_;
    RowPlace place_;
    Vector offset_;
    Vector errors_;
    TermUnknowns terms_;
    StepSolver solver_;
    FoldTest* folds_;
    std::function<double(const ScoreAt&)> go_on_;
    bool folds_done_ = false;
    Cooling cooling_;
    PickHearing hearing_;
    Model model_;
    Vector x_;

    // Of the present model, on rank 0.
    Candidate now_;
    Vector scaled_;                  ///< residuals in errors
    Vector residual_;                ///< the same, weighted; 0 where a pick has no say
    double change_ = 0;              ///< of velocity by the last step, at most
    std::optional<DealtRows> rows_;  ///< on all ranks
    double damping_ = 0;             ///< of steps, in lambdas (Levenberg-Marquardt)
    ShorterStep shorter_;

    std::vector<IterationReport> history_;
    IterationSeconds seconds_;
    int passes_ = 0;
    bool judged_anew_ = false;  ///< the present model comes once more: resumed, or picks taken back
    std::int64_t first_order_sources_ = 0;  ///< of the present model
    std::int64_t coarse_sources_ = 0;       ///< beside jumps; likewise
    Vector initial_residual_;
};

}  // namespace

InversionResult invert_gauss_newton(const Model& start, const Survey& picks,
                                    const InversionOptions& options, const Execution& execution,
                                    const InversionListener& listener,
                                    std::optional<InversionState> resume) {
    together(execution.ranks, [&] {
        MemoryPlan plan{start.grid(), Run::ratio_of(start, options)};
        plan.threads = resolve_threads(execution.threads);
        plan.ranks = execution.ranks.size();
        plan.cuda = runs_on_cuda(options, execution.device, start);
        require_memory(plan, picks);
    });
    Run run(start, picks, options, execution, listener);
    if (resume) run.take_up(std::move(*resume));
    run.run();
    return run.finish();
}

CooledDown cool_down(const Model& start, const Survey& picks, const InversionOptions& options,
                     FoldTest& test, const std::function<double(const ScoreAt&)>& go_on,
                     const Execution& execution) {
    const InversionListener nobody;  // a run keeps a reference to its listener
    Run run(start, picks, options, execution.alone(), nobody, &test, go_on);
    run.run();
    if (go_on) return {};
    constexpr double less = 1.0 / 9;
    CooledDown end;
    end.explained = run.is_explained();
    end.stalled = run.is_stalled();
    end.score = run.fold_score(1);
    if (end.explained) end.rougher = run.fold_score(less).held_out;
    return end;
}

ProblemPlan problem_plan(const Model& start, const Survey& picks, const InversionOptions& options) {
    return {Run::ratio_of(start, options), Run::bounds_of(options), errors_of(picks, options),
            forward_options(options), is_turned(picks)};
}

Device forward_device(const Model& start, const InversionOptions& options,
                      const Execution& execution) {
    const bool cuda = runs_on_cuda(options, execution.device, start);
    return broadcast_value(execution.ranks, cuda) ? Device::automatic : Device::cpu;
}

}  // namespace fermat
