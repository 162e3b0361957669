#include "tomography/misfit.hpp"
#include "core/median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {}  // namespace

Misfit misfit(const Survey& picks, std::span<const double> residual, std::span<const PickUse> use) {
    Misfit out;
    double squares = 0;
    double scaled = 0;
    double weights = 0;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        if (use[n] == PickUse::lost) ++out.lost;
        if (use[n] == PickUse::rejected) ++out.rejected;
        if (use[n] != PickUse::used) continue;
        ++out.used;
        squares += residual[n] * residual[n];
        if (picks.has_errors) {
            const double z = residual[n] / picks.arrivals[n].error;
            scaled += z * z;
            weights += 1 / (picks.arrivals[n].error * picks.arrivals[n].error);
        }
    }
    const auto count = static_cast<double>(out.used);
    out.rms = std::sqrt(squares / count);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    out.chi2 = picks.has_errors ? scaled / count : unknown;
    out.weighted_rms = picks.has_errors ? std::sqrt(scaled / weights) : unknown;
    return out;
}

ResidualLimits outlier_limits(std::span<const double> residual, std::span<const double> scale,
                              double factor) {
    std::vector<double> values;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        if (std::isfinite(residual[n])) values.push_back(residual[n] / scale[n]);
    }
    if (values.empty()) return {};
    const double middle = lower_median(values);
    for (double& value : values) value = std::abs(value - middle);
    constexpr double gaussian = 1.4826;
    const double reach = factor * gaussian * lower_median(values);
    return {middle - reach, middle + reach};
}

}  // namespace fermat
