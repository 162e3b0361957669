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
#include "tomography/loop/loop.hpp"

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

/// Back-projection and smoothing by the stages of a schedule. Every model is accepted.
class HoleStepper : public Stepper {
  public:
    HoleStepper(const Model& start, const Survey& picks, const InversionOptions& options,
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

    void take_up(InversionState&& state) override {
        model_ = Model(model_.grid(), std::move(state.velocity));
        next_ = state.next;
        place_ = state.method.hole;
        projection_.picks.limits = place_.limits;
    }

    PassCost predict() override {
        share_model();
        pass_ = step_->predict(model_, projection_, execution_);
        return {pass_.seconds, pass_.ray_fraction};
    }

    Verdict judge() override {
        if (find_first_limits()) return Verdict::refused;
        next_.misfit = misfit(picks_, pass_.picks.residual, pass_.picks.use);
        if (next_.misfit.used == 0) {
            throw InputError(fmt::format(
                "no pick of {} can be used ({}{})", picks_.arrivals.size(), lost_words(pass_.picks),
                next_.misfit.rejected > 0 ? fmt::format("{} outliers", next_.misfit.rejected)
                                          : ""));
        }
        return Verdict::accepted;
    }

    void describe(IterationReport& report) const override {
        const IterationSeconds& made = next_.seconds;
        report.misfit = next_.misfit;
        report.max_update = next_.max_update;
        report.stage = next_.stage;
        report.cell = next_.cell;
        report.vertex = next_.vertex;
        report.seconds.cell_smoothing = made.cell_smoothing;
        report.seconds.vertex_smoothing = made.vertex_smoothing;
        report.seconds.update = made.update;
    }

    void reported(const std::vector<IterationReport>& history) override {
        if (outliers_ > 0) {
            projection_.picks.limits =
                outlier_limits(pass_.picks.residual, projection_.picks.scale, outliers_);
        }
        iteration_ = history.back().iteration;
        stop_ = find_stop(history);
        waits_ = false;
    }

    bool goes_on(const std::vector<IterationReport>&) override {
        if (stop_) keep_one(kept_now());
        return !stop_;
    }

    void propose() override {
        together(ranks_, [&] {
            if (ranks_.is_root() && !waits_) update();
        });
    }

    const Model& model() const override { return model_; }
    const std::vector<double>& residual() const override { return pass_.picks.residual; }
    /// With the fields that the update after it makes.
    void keep(const InversionListener&, int) const override {}
    void save(InversionState& state) const override {
        state.next = next_;
        state.method.hole = place_;
        state.method.hole.limits = projection_.picks.limits;
    }
    bool saves_next() const override { return true; }
    bool counts_passes() const override { return false; }

    InversionResult finish() override {
        InversionResult result{std::move(model_)};
        if (ranks_.is_root()) result.coverage = step_->coverage();
        result.final_residual = std::move(pass_.picks.residual);
        result.final_use = std::move(pass_.picks.use);
        result.reason = stop_.value_or(StopReason::schedule_end);
        return result;
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
    bool find_first_limits() {
        if (outliers_ == 0) return false;
        const bool first = !std::isfinite(projection_.picks.limits.low);
        if (first) {
            projection_.picks.limits =
                outlier_limits(pass_.picks.residual, projection_.picks.scale, outliers_);
        }
        waits_ = first && std::isfinite(projection_.picks.limits.low);
        return waits_;
    }

    std::optional<StopReason> find_stop(const std::vector<IterationReport>& history) {
        const Misfit& now = history.back().misfit;
        if (options_.target_rms > 0 && now.rms <= options_.target_rms) {
            return StopReason::target_rms;
        }
        if (options_.target_chi2 > 0 && now.chi2 <= options_.target_chi2) {
            return StopReason::target_chi2;
        }
        bool stagnant = false;
        if (options_.stagnation > 0 && place_.stage_iterations > 0) {
            const double before = history[history.size() - 2].misfit.rms;
            stagnant = now.rms > before * (1 - options_.stagnation);
        }
        if (stagnant || place_.stage_iterations == stage().iterations) {
            ++place_.stage;
            place_.stage_iterations = 0;
        }
        if (place_.stage < static_cast<int>(schedule_.size())) return std::nullopt;
        return stagnant ? StopReason::stagnation : StopReason::schedule_end;
    }

    const Stage& stage() const { return schedule_[static_cast<std::size_t>(place_.stage)]; }

    /// What is to be kept of the present iteration, if anything.
    std::optional<KeptIteration> kept_now() {
        if (!listener_.has_to_keep(iteration_)) return std::nullopt;
        return KeptIteration{iteration_, model_, step_->sums()};
    }
    void keep_one(const std::optional<KeptIteration>& kept) {
        if (kept) listener_.keep(*kept);
    }

    void update() {
        next_ = {};
        next_.iteration = iteration_ + 1;
        next_.stage = place_.stage + 1;
        next_.cell = stage().cell;
        next_.vertex = stage().vertex;
        std::optional<KeptIteration> kept = kept_now();
        ModelUpdate made =
            step_->step(model_, stage(), execution_.monitor, kept ? &*kept : nullptr);
        keep_one(kept);
        model_ = std::move(made.model);
        next_.max_update = made.max_change;
        next_.seconds.cell_smoothing = made.cell_smoothing;
        next_.seconds.vertex_smoothing = made.vertex_smoothing;
        next_.seconds.update = made.update;
        ++place_.stage_iterations;
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
    PassReport pass_;       ///< of the present model
    IterationReport next_;  ///< what the update that made it tells
    HoleState place_;       ///< in the schedule; its limits are those of the projection
    int iteration_ = 0;     ///< that was reported last
    bool waits_ = false;    ///< the present model is passed over once more
    std::optional<StopReason> stop_;
};

}  // namespace

InversionResult invert_hole(const Model& start, const Survey& picks,
                            const InversionOptions& options, const Execution& execution,
                            const InversionListener& listener, std::optional<InversionState> resume,
                            bool cuda) {
    HoleStepper stepper(start, picks, options, execution, listener, cuda);
    return Loop(stepper, execution, listener).run(std::move(resume));
}

}  // namespace fermat
