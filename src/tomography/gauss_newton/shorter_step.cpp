#include "tomography/gauss_newton/shorter_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fermat {

bool ShorterStep::shorten(const std::vector<double>& x, const std::vector<double>& beyond,
                          double before, double after, double target) {
    constexpr int most = 3;
    constexpr double goal = 0.98;  // of the target: what is to meet it exactly may just miss it
    constexpr double least = 0.2;
    constexpr double greatest = 0.9;
    constexpr double close = 0.95;
    const bool passes =
        after > before ? before < goal * target : before > target && after < close * target;
    if (tried_ == most || !passes) {
        step_.clear();
        return false;
    }
    if (step_.empty()) {
        step_ = beyond;
        for (std::size_t u = 0; u < step_.size(); ++u) step_[u] -= x[u];
        part_ = 1;
    }
    ++tried_;
    const double way =
        (std::sqrt(goal * target) - std::sqrt(before)) / (std::sqrt(after) - std::sqrt(before));
    part_ *= std::clamp(way, least, greatest);
    return true;
}

std::vector<double> ShorterStep::from(const std::vector<double>& x) const {
    std::vector<double> model = x;
    for (std::size_t u = 0; u < model.size(); ++u) model[u] += part_ * step_[u];
    return model;
}

double ShorterStep::weight(double near, double far) const {
    return is_open() && near > 0 ? near * std::pow(far / near, part_) : far;
}

}  // namespace fermat
