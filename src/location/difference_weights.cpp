#include "location/difference_weights.hpp"
#include "core/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fermat {
namespace {

double biweight(double ratio) {
    const double left = 1 - ratio * ratio;
    return left > 0 ? left * left : 0;
}

double bicube(double ratio) {
    const double left = 1 - ratio * ratio * ratio;
    return left > 0 ? left * left * left : 0;
}

constexpr double least_deviation = 1e-6;

}  // namespace

std::vector<double> difference_weights(std::span<const DifferenceState> differences,
                                       const DifferenceWeighting& options, KindNumbers& deviation) {
    std::array<std::vector<double>, kind_count> sizes;
    for (const DifferenceState& one : differences) {
        if (!std::isfinite(one.residual) || !(one.weight > 0)) continue;
        sizes[static_cast<std::size_t>(one.kind)].push_back(one.weight * std::abs(one.residual));
    }
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
        if (sizes[kind].empty()) continue;
        // The median of a Gaussian's absolute values is 0.6745 standard deviations.
        deviation[kind] = std::max(upper_median(std::move(sizes[kind])) / 0.6745, least_deviation);
    }
    const KindNumbers reach = {options.catalogue_reach, options.correlation_reach};
    std::vector<double> weights(differences.size(), 0);
    for (std::size_t n = 0; n < differences.size(); ++n) {
        const DifferenceState& one = differences[n];
        if (!std::isfinite(one.residual) || !(one.weight > 0)) continue;
        const auto kind = static_cast<std::size_t>(one.kind);
        const double scaled = one.weight * one.residual / deviation[kind];
        double share = biweight(scaled / options.trim);
        if (reach[kind] > 0) share *= bicube(one.apart / reach[kind]);
        const double own = one.weight / deviation[kind];
        weights[n] = share * own * own;
    }
    return weights;
}

KindNumbers rms_of_kinds(std::span<const DifferenceState> differences,
                         std::span<const double> weights) {
    KindNumbers squares{}, sums{}, rms{};
    for (std::size_t n = 0; n < differences.size(); ++n) {
        if (!(weights[n] > 0)) continue;
        const auto kind = static_cast<std::size_t>(differences[n].kind);
        squares[kind] += weights[n] * differences[n].residual * differences[n].residual;
        sums[kind] += weights[n];
    }
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
        rms[kind] = sums[kind] > 0 ? std::sqrt(squares[kind] / sums[kind]) : not_known;
    }
    return rms;
}

std::vector<std::string> describe(const std::vector<TimeDifference>& differences,
                                  const DifferenceFits& fits) {
    std::vector<std::string> out;
    for (const auto& [name, kind] : choices<DifferenceKind>.entries) {
        const auto at = static_cast<std::size_t>(kind);
        std::size_t all = 0, used = 0, lost = 0;
        for (std::size_t n = 0; n < fits.weights.size(); ++n) {
            if (differences[n].kind != kind) continue;
            ++all;
            used += fits.weights[n] > 0;
            lost += std::isnan(fits.residuals[n]);
        }
        if (all == 0) continue;
        std::string line = fmt::format("rms of {} differences {:.4g} -> {:.4g}; {} of {} count",
                                       name, fits.rms_before[at], fits.rms[at], used, all);
        if (lost > 0) line += fmt::format(", {} have no ray", lost);
        if (used + lost < all) {
            line += fmt::format(", {} lie beyond the limits (`trim`, reach) or have the weight 0",
                                all - used - lost);
        }
        out.push_back(std::move(line));
    }
    return out;
}

}  // namespace fermat
