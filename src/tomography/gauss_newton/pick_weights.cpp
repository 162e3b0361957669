#include "tomography/gauss_newton/pick_weights.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {

std::vector<PickUse> uses_of(std::span<const double> scaled_residual, double outliers) {
    std::vector<PickUse> use(scaled_residual.size(), PickUse::used);
    ResidualLimits limits;
    if (outliers > 0) {
        const std::vector<double> ones(scaled_residual.size(), 1.0);
        const ResidualLimits one = outlier_limits(scaled_residual, ones, 1);
        const double middle = (one.low + one.high) / 2;
        const double deviation = std::max((one.high - one.low) / 2, 1.0);
        constexpr double badly = 1.5;  // deviations in units of errors
        const double reach = (deviation > badly ? 2 * outliers : outliers) * deviation;
        if (std::isfinite(middle)) limits = {middle - reach, middle + reach};
    }
    for (std::size_t n = 0; n < use.size(); ++n) {
        const double z = scaled_residual[n];
        if (std::isnan(z)) {
            use[n] = PickUse::lost;
        } else if (z < limits.low || z > limits.high) {
            use[n] = PickUse::rejected;
        }
    }
    return use;
}

double chi2_of(std::span<const double> scaled_residual, std::span<const PickUse> use) {
    double sum = 0;
    double count = 0;
    for (std::size_t n = 0; n < use.size(); ++n) {
        if (use[n] != PickUse::used) continue;
        sum += scaled_residual[n] * scaled_residual[n];
        count += 1;
    }
    return sum / count;
}

}  // namespace fermat
