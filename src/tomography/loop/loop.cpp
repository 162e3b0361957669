#include "tomography/loop/loop.hpp"

#include <algorithm>
#include <utility>

#include "core/stopwatch.hpp"

namespace fermat {

InversionResult Loop::run(std::optional<InversionState> resume) {
    if (resume) take_up(std::move(*resume));
    search();
    InversionResult result = stepper_.finish();
    result.history = std::move(history_);
    result.initial_residual = std::move(initial_residual_);
    return result;
}

void Loop::search() {
    for (;;) {
        const PassCost cost = stepper_.predict();
        Verdict verdict = Verdict::refused;
        together(ranks_, [&] {
            if (!ranks_.is_root()) return;
            if (stepper_.counts_passes()) ++passes_;
            seconds_.times += cost.seconds * (1 - cost.ray_fraction);
            seconds_.rays += cost.seconds * cost.ray_fraction;
            verdict = stepper_.judge();
        });
        verdict = broadcast_value(ranks_, verdict);
        if (verdict != Verdict::refused) stepper_.renew();
        bool go_on = false;
        together(ranks_, [&] {
            if (!ranks_.is_root()) return;
            book(verdict);
            go_on = stepper_.goes_on(history_);
        });
        if (!broadcast_value(ranks_, go_on)) return;
        const Stopwatch watch;
        stepper_.propose();
        seconds_.update += watch.seconds();
        if (stepper_.saves_next()) together(ranks_, [&] { save(); });
    }
}

void Loop::take_up(InversionState&& state) {
    history_ = state.history;  // the stepper looks at it, too
    initial_residual_ = std::move(state.initial_residual);
    passes_ = history_.back().passes;
    resumed_ = true;
    stepper_.take_up(std::move(state));
}

void Loop::book(Verdict verdict) {
    if (verdict != Verdict::refused) stepper_.settle();
    if (verdict == Verdict::accepted) report();
    if (verdict == Verdict::amended) amend();
}

void Loop::report() {
    IterationReport now;
    now.iteration = history_.empty() ? 0 : history_.back().iteration + 1;
    now.passes = passes_;
    now.seconds = std::exchange(seconds_, {});
    stepper_.describe(now);
    if (history_.empty()) initial_residual_ = stepper_.residual();
    history_.push_back(now);
    if (listener_.iteration) listener_.iteration(now, stepper_.model());
    stepper_.keep(listener_, now.iteration);
    stepper_.reported(history_);
    if (!stepper_.saves_next()) save();
}

void Loop::amend() {
    IterationReport& last = history_.back();
    // The first pass after a state was read is one that the run has made already.
    if (std::exchange(resumed_, false)) passes_ = last.passes;
    IterationReport now = last;
    stepper_.describe(now);
    last.misfit = now.misfit;
    last.passes = passes_;
}

void Loop::save() const {
    if (!listener_.update || !ranks_.is_root() || history_.empty()) return;
    InversionState state;
    const auto velocity = stepper_.model().given();
    state.velocity = Field<float>(velocity.shape());
    std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
    state.history = history_;
    state.initial_residual = initial_residual_;
    stepper_.save(state);
    listener_.update(state);
}

}  // namespace fermat
