#include "tomography/gauss_newton/cooling.hpp"

#include <cmath>

namespace fermat {

bool Cooling::is_close(double chi2) const {
    constexpr double close = 0.95;  // of the target
    return chi2 <= target_ && chi2 >= close * target_;
}

void Cooling::accepted(double chi2, bool smoothest) {
    constexpr double below = 0.85;  // of the target: the weight may rise faster
    constexpr double slow_change = 0.01;
    constexpr int most_slow = 4;
    constexpr double far = 2;  // times the target: the weight may fall faster
    const double before = state_.last_chi2;
    state_.last_chi2 = chi2;
    if (before > 0) {
        const bool relaxing = state_.phase == Phase::relaxing;
        const bool slow = relaxing ? std::abs(chi2 / before - 1) < slow_change
                                   : chi2 > before * (1 - slow_change);
        state_.slow = slow ? state_.slow + 1 : 0;
    }
    if (kept_) {
        if (state_.slow > 0) state_.phase = Phase::done;
        return;
    }
    if (chi2 <= target_) {
        // A start model that explains the picks by itself stays, however smooth the change.
        const bool unmoved = state_.phase == Phase::relaxing && state_.slow >= most_slow;
        state_.phase = (smoothest && is_close(chi2)) || unmoved ? Phase::done : Phase::relaxing;
        if (chi2 < below * target_ && state_.relax_factor == 2) state_.relax_factor = 4;
        state_.lambda *= state_.relax_factor;
    } else if (state_.slow >= most_slow) {
        state_.phase = Phase::stagnant;
    } else if (before > 0 && chi2 > before / 3) {
        state_.lambda /= chi2 > far * target_ ? 3 : 2;
    }
}

void Cooling::refused() {
    constexpr double least_factor = 1.2;
    if (state_.phase == Phase::relaxing && state_.relax_factor > least_factor) {
        state_.lambda /= state_.relax_factor;
        state_.relax_factor = 1 + (state_.relax_factor - 1) / 2;
        state_.lambda *= state_.relax_factor;
        if (state_.relax_factor > least_factor) return;
        state_.phase = Phase::done;
        return;
    }
    // With less weight of the roughness there may still be a better model: three times it is tried.
    constexpr int most_slow = 3;
    if (state_.phase == Phase::cooling && !kept_ && ++state_.slow <= most_slow) {
        state_.lambda /= 2;
        return;
    }
    state_.phase = state_.phase == Phase::relaxing ? Phase::done : Phase::stagnant;
}

void Cooling::reopen() { state_ = {state_.lambda, Phase::cooling}; }

}  // namespace fermat
