#include "tomography/gauss_newton/pick_hearing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr double rejected = -1;

bool is_out(PickUse use) { return use == PickUse::rejected; }

}  // namespace

std::vector<PickUse> PickHearing::uses(std::span<const double> scaled_residual) const {
    std::vector<PickUse> use = uses_of(scaled_residual, outliers_);
    for (std::size_t n = 0; n < use.size() && phase_ != Phase::open; ++n) {
        if (use[n] == PickUse::lost) continue;
        if (verdict_[n] == 0) use[n] = PickUse::used;
        if (verdict_[n] < 0) use[n] = PickUse::rejected;
    }
    for (const std::int32_t pick : taken_back_) {
        PickUse& one = use[static_cast<std::size_t>(pick)];
        if (one != PickUse::lost) one = PickUse::used;
    }
    return use;
}

void PickHearing::settle(std::span<const double> scaled_residual) {
    use_ = uses(scaled_residual);
    weights_ = norm_weights(norm_, scaled_residual, use_);
    if (phase_ != Phase::hearing) return;
    const double reach = outliers_ * spread_of(scaled_residual).deviation;
    for (std::size_t n = 0; n < use_.size(); ++n) {
        if (!is_out(use_[n]) || !(verdict_[n] > 0)) continue;
        weights_[n] = std::sqrt(std::min(1.0, reach / std::abs(scaled_residual[n])));
    }
}

void PickHearing::accept(std::span<const double> scaled_residual, double target) {
    use_ = uses(scaled_residual);
    if (phase_ == Phase::open && hears_ && norm_ == DataNorm::trimmed &&
        std::any_of(use_.begin(), use_.end(), is_out) && chi2_of(scaled_residual, use_) <= target) {
        phase_ = Phase::hearing;
        verdict_.assign(use_.size(), 0.0);
        for (std::size_t n = 0; n < use_.size(); ++n) {
            if (is_out(use_[n])) verdict_[n] = std::abs(scaled_residual[n]);
        }
    } else if (phase_ == Phase::hearing) {
        constexpr double nearer = 0.9;
        ++rounds_;
        bool heard = false;
        for (std::size_t n = 0; n < use_.size(); ++n) {
            if (!(verdict_[n] > 0) || use_[n] == PickUse::lost) continue;
            const double z = std::abs(scaled_residual[n]);
            const bool comes = z < nearer * verdict_[n];
            verdict_[n] = use_[n] == PickUse::used ? 0 : comes ? z : rejected;
            heard = heard || verdict_[n] > 0;
        }
        if (!heard) close();
    }
    settle(scaled_residual);
}

void PickHearing::close() {
    if (phase_ != Phase::hearing) return;
    phase_ = Phase::closed;
    for (double& verdict : verdict_) verdict = verdict > 0 ? rejected : verdict;
}

void PickHearing::take_back(std::span<const std::int32_t> picks) {
    if (picks.empty()) return;
    taken_back_.insert(taken_back_.end(), picks.begin(), picks.end());
    std::sort(taken_back_.begin(), taken_back_.end());
    // A model that explains these may explain others that were rejected.
    phase_ = Phase::open;
    rounds_ = 0;
}

std::vector<double> PickHearing::save() const {
    if (phase_ == Phase::open && taken_back_.empty()) return {};
    std::vector<double> numbers{static_cast<double>(phase_), static_cast<double>(rounds_)};
    numbers.insert(numbers.end(), verdict_.begin(), verdict_.end());
    numbers.resize(2 + use_.size(), 0.0);
    numbers.insert(numbers.end(), taken_back_.begin(), taken_back_.end());
    return numbers;
}

void PickHearing::restore(std::span<const double> numbers, std::size_t picks) {
    if (numbers.empty()) return;
    phase_ = static_cast<Phase>(static_cast<int>(numbers[0]));
    rounds_ = static_cast<int>(numbers[1]);
    const auto verdicts = numbers.subspan(2, picks);
    verdict_.assign(verdicts.begin(), verdicts.end());
    for (const double pick : numbers.subspan(2 + picks)) {
        taken_back_.push_back(static_cast<std::int32_t>(pick));
    }
}

void PickHearing::require_used() const {
    if (std::find(use_.begin(), use_.end(), PickUse::used) != use_.end()) return;
    const auto lost = std::count(use_.begin(), use_.end(), PickUse::lost);
    throw InputError(fmt::format("no pick of {} can be used ({} without a ray, {} outliers)",
                                 use_.size(), lost,
                                 static_cast<std::ptrdiff_t>(use_.size()) - lost));
}

}  // namespace fermat
