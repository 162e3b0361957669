#include "tomography/gauss_newton/pick_weights.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {

ResidualSpread spread_of(std::span<const double> scaled_residual) {
    const std::vector<double> ones(scaled_residual.size(), 1.0);
    const ResidualLimits one = outlier_limits(scaled_residual, ones, 1);
    if (!std::isfinite(one.low)) return {};
    return {(one.low + one.high) / 2, std::max((one.high - one.low) / 2, 1.0)};
}

namespace {

/// Deviations in units of errors between which the reach grows to twice as many of them: gradually,
/// so that no pick hangs on the last bit of a residual.
double outlier_reach(double deviation, double outliers) {
    constexpr double well = 1.25;
    constexpr double badly = 1.75;
    return outliers * deviation * (1 + std::clamp((deviation - well) / (badly - well), 0.0, 1.0));
}

}  // namespace

std::vector<PickUse> uses_of(std::span<const double> scaled_residual, double outliers) {
    std::vector<PickUse> use(scaled_residual.size(), PickUse::used);
    ResidualLimits limits;
    if (outliers > 0) {
        const auto [middle, deviation] = spread_of(scaled_residual);
        const double reach = outlier_reach(deviation, outliers);
        limits = {middle - reach, middle + reach};
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

std::vector<double> norm_weights(DataNorm norm, std::span<const double> scaled_residual,
                                 std::span<const PickUse> use) {
    constexpr double bend = 1.345;  // 95 % efficient where noise is Gaussian
    constexpr double least = 0.3;   // of 1 / |z|: no pick is followed exactly
    const double deviation = spread_of(scaled_residual).deviation;
    const bool keeps = norm == DataNorm::huber || norm == DataNorm::l1;
    std::vector<double> weights(use.size(), 0.0);
    for (std::size_t n = 0; n < weights.size(); ++n) {
        if (use[n] == PickUse::lost || (use[n] == PickUse::rejected && !keeps)) continue;
        const double z = std::abs(scaled_residual[n]) / deviation;
        double square = 1;
        if (norm == DataNorm::huber) square = std::min(1.0, bend / z);
        if (norm == DataNorm::l1) square = 1 / std::max(z, least);
        weights[n] = std::sqrt(square);
    }
    return weights;
}

std::vector<double> tapers_of(std::span<const double> scaled_residual, double outliers) {
    constexpr double begin = 0.85;  // of the reach
    const auto [middle, deviation] = spread_of(scaled_residual);
    const double reach = outlier_reach(deviation, outliers);
    std::vector<double> tapers;
    for (const double z : scaled_residual) {
        const double part = std::abs(z - middle) / reach;
        const double square = std::clamp((1 - part) / (1 - begin), 0.0, 1.0);
        tapers.push_back(std::isnan(z) ? 0 : std::sqrt(square));
    }
    return tapers;
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
