#include "tomography/hole/hole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "tomography/hole/step.hpp"

namespace fermat {
namespace {

std::string lost_words(const PickResults& picks) {
    std::string words;
    for (const auto& [name, status] : choices<RayStatus>.entries) {
        const auto count = picks.lost_by_status[static_cast<std::size_t>(status)];
        if (count > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, name);
    }
    return words;
}

/// The loop's own memory. Rank 0 decides; the others solve and trace what they are dealt.
class Loop {
  public:
    Loop(const Model& start, const Survey& picks, const InversionOptions& options,
         const Execution& execution, const InversionListener& listener, bool cuda)
        : picks_(picks),
          options_(options),
          outliers_(options.outliers.value_or(0)),
          listener_(listener),
          execution_(execution),
          ranks_(execution.ranks),
          schedule_(options.schedule.empty() ? default_schedule(start.grid()) : options.schedule),
          model_(start.copy()),
          step_(cuda ? make_cuda_step(start.grid(), picks, options, execution.ranks)
                     : make_host_step(start.grid(), picks, options, execution.threads)) {
        projection_.rays = ray_options(options);
        projection_.share = options.share;
        const bool by_error = picks.has_errors && options.weights == PickWeights::errors;
        for (const Arrival& pick : picks.arrivals) {
            projection_.picks.weights.push_back(by_error ? 1 / (pick.error * pick.error) : 1);
            projection_.picks.scale.push_back(by_error ? pick.error : 1);
        }
    }

    void take_up(InversionState&& state) {
        model_ = Model(model_.grid(), std::move(state.velocity));
        history_ = std::move(state.history);
        next_ = state.next;
        stage_ = state.stage;
        stage_iterations_ = state.stage_iterations;
        projection_.picks.limits = state.limits;
        initial_residual_ = std::move(state.initial_residual);
    }

    InversionResult run() {
        for (;;) {
            share_model();
            PassReport pass = step_->predict(model_, projection_, execution_);
            bool again = false;
            std::optional<StopReason> stop;
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                again = find_first_limits(pass);
                if (again) return;
                judge(pass);
                stop = find_stop();
                if (stop) keep(kept_now());
            });
            if (broadcast_value(ranks_, again)) continue;
            if (broadcast_value(ranks_, stop.has_value())) return finish(std::move(pass), stop);
            together(ranks_, [&] {
                if (!ranks_.is_root()) return;
                update();
                if (listener_.update) save();
            });
        }
    }

  private:
    void share_model() {
        if (ranks_.size() == 1) return;
        Field<float> velocity(model_.grid().shape);
        const auto now = model_.velocity();
        std::copy(now.begin(), now.end(), velocity.begin());
        ranks_.broadcast(std::as_writable_bytes(std::span(velocity.data(), velocity.size())));
        model_ = Model(model_.grid(), std::move(velocity));
    }

    /// Outliers are known by the residuals of the model before; the start model has none before it
    /// and is passed over twice.
    bool find_first_limits(const PassReport& pass) {
        if (outliers_ == 0) return false;
        const bool first = !std::isfinite(projection_.picks.limits.low);
        if (first) {
            projection_.picks.limits =
                outlier_limits(pass.picks.residual, projection_.picks.scale, outliers_);
        }
        return first && std::isfinite(projection_.picks.limits.low);
    }

    void judge(const PassReport& pass) {
        next_.misfit = misfit(picks_, pass.picks.residual, pass.picks.use);
        if (next_.misfit.used == 0) {
            throw InputError(fmt::format(
                "no pick of {} can be used ({}{})", picks_.arrivals.size(), lost_words(pass.picks),
                next_.misfit.rejected > 0 ? fmt::format("{} outliers", next_.misfit.rejected)
                                          : ""));
        }
        next_.seconds.times = pass.seconds * (1 - pass.ray_fraction);
        next_.seconds.rays = pass.seconds * pass.ray_fraction;
        if (history_.empty()) initial_residual_ = pass.picks.residual;
        history_.push_back(next_);
        if (listener_.iteration) listener_.iteration(next_, model_);
        if (outliers_ > 0) {
            projection_.picks.limits =
                outlier_limits(pass.picks.residual, projection_.picks.scale, outliers_);
        }
    }

    std::optional<StopReason> find_stop() {
        const Misfit& now = history_.back().misfit;
        if (options_.target_rms > 0 && now.rms <= options_.target_rms) {
            return StopReason::target_rms;
        }
        if (options_.target_chi2 > 0 && now.chi2 <= options_.target_chi2) {
            return StopReason::target_chi2;
        }
        bool stagnant = false;
        if (options_.stagnation > 0 && stage_iterations_ > 0) {
            const double before = history_[history_.size() - 2].misfit.rms;
            stagnant = now.rms > before * (1 - options_.stagnation);
        }
        if (stagnant ||
            stage_iterations_ == schedule_[static_cast<std::size_t>(stage_)].iterations) {
            ++stage_;
            stage_iterations_ = 0;
        }
        if (stage_ < static_cast<int>(schedule_.size())) return std::nullopt;
        return stagnant ? StopReason::stagnation : StopReason::schedule_end;
    }

    /// What is to be kept of the present iteration, if anything.
    std::optional<KeptIteration> kept_now() {
        const int iteration = history_.back().iteration;
        if (!listener_.has_to_keep(iteration)) return std::nullopt;
        return KeptIteration{iteration, model_, step_->sums()};
    }
    void keep(const std::optional<KeptIteration>& kept) {
        if (kept) listener_.keep(*kept);
    }

    void update() {
        const Stage& stage = schedule_[static_cast<std::size_t>(stage_)];
        next_ = {};
        next_.iteration = history_.back().iteration + 1;
        next_.stage = stage_ + 1;
        next_.cell = stage.cell;
        next_.vertex = stage.vertex;
        std::optional<KeptIteration> kept = kept_now();
        ModelUpdate made = step_->step(model_, stage, execution_.monitor, kept ? &*kept : nullptr);
        keep(kept);
        model_ = std::move(made.model);
        next_.max_update = made.max_change;
        next_.seconds.cell_smoothing = made.cell_smoothing;
        next_.seconds.vertex_smoothing = made.vertex_smoothing;
        next_.seconds.update = made.update;
        ++stage_iterations_;
    }

    void save() {
        InversionState state;
        state.velocity = Field<float>(model_.grid().shape);
        const auto velocity = model_.velocity();
        std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
        state.history = history_;
        state.next = next_;
        state.stage = stage_;
        state.stage_iterations = stage_iterations_;
        state.limits = projection_.picks.limits;
        state.initial_residual = initial_residual_;
        listener_.update(state);
    }

    InversionResult finish(PassReport&& pass, std::optional<StopReason> stop) {
        return {std::move(model_),
                ranks_.is_root() ? step_->coverage() : Field<float>(),
                std::move(history_),
                std::move(initial_residual_),
                std::move(pass.picks.residual),
                std::move(pass.picks.use),
                stop.value_or(StopReason::schedule_end),
                {}};
    }

    const Survey& picks_;
    const InversionOptions& options_;
    double outliers_;
    const InversionListener& listener_;
    const Execution& execution_;
    Ranks& ranks_;
    std::vector<Stage> schedule_;
    Model model_;
    std::unique_ptr<HoleStep> step_;
    BackprojectionOptions projection_;
    std::vector<IterationReport> history_;
    IterationReport next_;
    int stage_ = 0;
    int stage_iterations_ = 0;
    std::vector<double> initial_residual_;
};

}  // namespace

InversionResult invert_hole(const Model& start, const Survey& picks,
                            const InversionOptions& options, const Execution& execution,
                            const InversionListener& listener, std::optional<InversionState> resume,
                            bool cuda) {
    Loop loop(start, picks, options, execution, listener, cuda);
    if (resume) loop.take_up(std::move(*resume));
    return loop.run();
}

}  // namespace fermat
