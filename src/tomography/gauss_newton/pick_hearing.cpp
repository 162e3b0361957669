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
    for (std::size_t n = 0; n < use.size() && state_.phase != Phase::open; ++n) {
        if (use[n] == PickUse::lost) continue;
        if (state_.verdict[n] == 0) use[n] = PickUse::used;
        if (state_.verdict[n] < 0) use[n] = PickUse::rejected;
    }
    for (const std::int32_t pick : state_.taken_back) {
        PickUse& one = use[static_cast<std::size_t>(pick)];
        if (one != PickUse::lost) one = PickUse::used;
    }
    return use;
}

void PickHearing::settle(std::span<const double> scaled_residual) {
    use_ = uses(scaled_residual);
    weights_ = norm_weights(norm_, scaled_residual, use_);
    if (state_.phase == Phase::open && leaves_out()) {
        const std::vector<double> tapers = tapers_of(scaled_residual, outliers_);
        for (std::size_t n = 0; n < weights_.size(); ++n) weights_[n] *= tapers[n];
        for (const std::int32_t n : state_.taken_back) {
            const auto pick = static_cast<std::size_t>(n);
            if (use_[pick] != PickUse::lost) weights_[pick] = 1;
        }
    }
    if (state_.phase != Phase::hearing) return;
    const double reach = outliers_ * spread_of(scaled_residual).deviation;
    for (std::size_t n = 0; n < use_.size(); ++n) {
        if (!is_out(use_[n]) || !(state_.verdict[n] > 0)) continue;
        weights_[n] = std::sqrt(std::min(1.0, reach / std::abs(scaled_residual[n])));
    }
}

void PickHearing::accept(std::span<const double> scaled_residual, double target) {
    use_ = uses(scaled_residual);
    if (state_.phase == Phase::open && hears_ && norm_ == DataNorm::trimmed &&
        std::any_of(use_.begin(), use_.end(), is_out) && chi2_of(scaled_residual, use_) <= target) {
        state_.phase = Phase::hearing;
        state_.verdict.assign(use_.size(), 0.0);
        for (std::size_t n = 0; n < use_.size(); ++n) {
            if (is_out(use_[n])) state_.verdict[n] = std::abs(scaled_residual[n]);
        }
    } else if (state_.phase == Phase::hearing) {
        constexpr double nearer = 0.9;
        ++state_.rounds;
        bool heard = false;
        for (std::size_t n = 0; n < use_.size(); ++n) {
            if (!(state_.verdict[n] > 0) || use_[n] == PickUse::lost) continue;
            const double z = std::abs(scaled_residual[n]);
            const bool comes = z < nearer * state_.verdict[n];
            state_.verdict[n] = use_[n] == PickUse::used ? 0 : comes ? z : rejected;
            heard = heard || state_.verdict[n] > 0;
        }
        if (!heard) close();
    }
    settle(scaled_residual);
}

void PickHearing::close() {
    if (state_.phase != Phase::hearing) return;
    state_.phase = Phase::closed;
    for (double& verdict : state_.verdict) verdict = verdict > 0 ? rejected : verdict;
}

void PickHearing::take_back(std::span<const std::int32_t> picks) {
    if (picks.empty()) return;
    state_.taken_back.insert(state_.taken_back.end(), picks.begin(), picks.end());
    std::sort(state_.taken_back.begin(), state_.taken_back.end());
    // A model that explains these may explain others that were rejected.
    state_.phase = Phase::open;
    state_.rounds = 0;
}

void PickHearing::require_used() const {
    if (std::find(use_.begin(), use_.end(), PickUse::used) != use_.end()) return;
    const auto lost = std::count(use_.begin(), use_.end(), PickUse::lost);
    throw InputError(fmt::format("no pick of {} can be used ({} without a ray, {} outliers)",
                                 use_.size(), lost,
                                 static_cast<std::ptrdiff_t>(use_.size()) - lost));
}

}  // namespace fermat
