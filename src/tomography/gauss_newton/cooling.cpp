#include "tomography/gauss_newton/cooling.hpp"

#include <cmath>

namespace fermat {

std::vector<double> Cooling::save() const {
    return {lambda_, static_cast<double>(phase_), relax_factor_, last_chi2_,
            static_cast<double>(slow_)};
}

void Cooling::restore(const std::vector<double>& numbers) {
    lambda_ = numbers[0];
    phase_ = static_cast<Phase>(static_cast<int>(numbers[1]));
    relax_factor_ = numbers[2];
    last_chi2_ = numbers[3];
    slow_ = static_cast<int>(numbers[4]);
}

void Cooling::accepted(double chi2) {
    constexpr double close = 0.95;  // of the target: smooth enough
    constexpr double below = 0.85;  // of the target: the weight may rise faster
    constexpr double slow_change = 0.01;
    constexpr int most_slow = 4;
    constexpr double far = 2;  // times the target: the weight may fall faster
    const double before = last_chi2_;
    last_chi2_ = chi2;
    if (before > 0) {
        const bool relaxing = phase_ == Phase::relaxing;
        const bool slow = relaxing ? std::abs(chi2 / before - 1) < slow_change
                                   : chi2 > before * (1 - slow_change);
        slow_ = slow ? slow_ + 1 : 0;
    }
    if (kept_) {
        if (slow_ > 0) phase_ = Phase::done;
        return;
    }
    if (chi2 <= target_) {
        // A start model that explains the picks by itself stays, however smooth the change.
        const bool unmoved = phase_ == Phase::relaxing && slow_ >= most_slow;
        phase_ = chi2 >= close * target_ || unmoved ? Phase::done : Phase::relaxing;
        if (chi2 < below * target_ && relax_factor_ == 2) relax_factor_ = 4;
        lambda_ *= relax_factor_;
    } else if (slow_ >= most_slow) {
        phase_ = Phase::stagnant;
    } else if (before > 0 && chi2 > before / 3) {
        lambda_ /= chi2 > far * target_ ? 3 : 2;
    }
}

void Cooling::refused() {
    constexpr double least_factor = 1.2;
    if (phase_ == Phase::relaxing && relax_factor_ > least_factor) {
        lambda_ /= relax_factor_;
        relax_factor_ = 1 + (relax_factor_ - 1) / 2;
        lambda_ *= relax_factor_;
        if (relax_factor_ > least_factor) return;
        phase_ = Phase::done;
        return;
    }
    // With less weight of the roughness there may still be a better model: three times it is tried.
    constexpr int most_slow = 3;
    if (phase_ == Phase::cooling && !kept_ && ++slow_ <= most_slow) {
        lambda_ /= 2;
        return;
    }
    phase_ = phase_ == Phase::relaxing ? Phase::done : Phase::stagnant;
}

void Cooling::reopen() {
    phase_ = Phase::cooling;
    relax_factor_ = 2;
    last_chi2_ = 0;
    slow_ = 0;
}

}  // namespace fermat
