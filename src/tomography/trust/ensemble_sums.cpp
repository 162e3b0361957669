#include "tomography/trust/ensemble_sums.hpp"

#include <cmath>
#include <limits>

namespace fermat {

void EnsembleSums::add(const EnsembleMember& member) {
    const auto velocity = model_.given();
    sums_.resize(velocity.size());
    ++members_;
    for (std::size_t s = 0; s < sums_.size(); ++s) {
        if (velocity[s] == 0) continue;
        Sum& sum = sums_[s];
        const double v = member.velocity[s];
        const double weight = member.weight.size() > 0 ? member.weight[s] : 1;
        sum.weight += weight;
        const double share = weight / sum.weight;
        const double log_step = std::log(v) - sum.log_mean;
        sum.log_mean += share * log_step;
        sum.log_squares += weight * (1 - share) * log_step * log_step;
        const double step = v - sum.mean;
        sum.mean += share * step;
        sum.squares += weight * (1 - share) * step * step;
    }
}

void EnsembleSums::finish(Ensemble& ensemble) const {
    const auto velocity = model_.given();
    constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
    ensemble.mean = Field<float>(velocity.shape(), 0.0F);
    ensemble.spread = Field<float>(velocity.shape(), not_a_number);
    ensemble.log_spread = Field<float>(velocity.shape(), not_a_number);
    const double n = members_;
    for (std::size_t s = 0; s < sums_.size(); ++s) {
        if (velocity[s] == 0) continue;
        const Sum& sum = sums_[s];
        ensemble.mean[s] = static_cast<float>(std::exp(sum.log_mean));
        double factor = 1 / (n - 1);
        if (kind_ == EnsembleKind::jackknife) factor = (n - 1) / n;
        if (kind_ == EnsembleKind::subsets) factor = n / (n - 1) / sum.weight;
        ensemble.spread[s] = static_cast<float>(std::sqrt(factor * sum.squares));
        ensemble.log_spread[s] = static_cast<float>(std::sqrt(factor * sum.log_squares));
    }
}

}  // namespace fermat
