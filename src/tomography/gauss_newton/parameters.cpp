#include "tomography/gauss_newton/parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

std::vector<double> values_of(const Model& model, const VelocityBounds& bounds, const char* name) {
    const auto velocity = model.given();
    std::vector<double> values(velocity.size());
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double v = velocity[n];
        if (v == 0) {
            values[n] = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        if (bounds.bounded() && !(v > bounds.low() && v < bounds.high())) {
            throw InputError(
                fmt::format("the {} model has a velocity of {} (must be within the bounds, {} "
                            "to {}: change one of them)",
                            name, v, bounds.low(), bounds.high()));
        }
        values[n] = bounds.unknown_of(-std::log(v));
    }
    return values;
}

}  // namespace

Parameters::Parameters(const Model& start, Index3 ratio, const VelocityBounds& bounds)
    : start_(start.copy()),
      unknowns_(start, ratio),
      bounds_(bounds),
      start_values_(values_of(start, bounds, "start")),
      coarse_start_(means(start_values_)) {}

std::vector<double> Parameters::means(std::span<const double> values) const {
    std::vector<double> sums(unknowns_.size(), 0.0);
    std::vector<double> weights(unknowns_.size(), 0.0);
    for (std::size_t n = 0; n < values.size(); ++n) {
        if (std::isnan(values[n])) continue;
        unknowns_.for_each_of_sample(n, [&](std::size_t u, double weight) {
            sums[u] += weight * values[n];
            weights[u] += weight;
        });
    }
    for (std::size_t u = 0; u < weights.size(); ++u) sums[u] /= weights[u];
    return sums;
}

std::vector<double> Parameters::on_unknowns(const Model& model) const {
    std::vector<double> values = values_of(model, bounds_, "reference");
    for (std::size_t n = 0; n < values.size(); ++n) {
        if (std::isnan(values[n]) || std::isnan(start_values_[n])) values[n] = start_values_[n];
    }
    return means(values);
}

double Parameters::unknown_at(std::span<const double> x, std::size_t sample) const {
    double sum = start_values_[sample];
    unknowns_.for_each_of_sample(sample,
                                 [&](std::size_t u, double weight) { sum += weight * x[u]; });
    return sum;
}

Model Parameters::model_of(std::span<const double> x, int threads) const {
    Field<float> velocity(start_.given().shape());
    parallel_ranges(static_cast<std::int64_t>(velocity.size()), threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (auto n = static_cast<std::size_t>(begin);
                             n < static_cast<std::size_t>(end); ++n) {
                            velocity[n] = 0;
                            if (std::isnan(start_values_[n])) continue;
                            const double y = bounds_.log_slowness_of(unknown_at(x, n));
                            velocity[n] = static_cast<float>(std::exp(-y));
                        }
                    });
    return start_.with_given(std::move(velocity));
}

std::vector<float> Parameters::slopes_at(std::span<const double> x, int threads) const {
    std::vector<float> slopes(start_values_.size(), 0.0F);
    parallel_ranges(static_cast<std::int64_t>(slopes.size()), threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (auto n = static_cast<std::size_t>(begin);
                             n < static_cast<std::size_t>(end); ++n) {
                            if (std::isnan(start_values_[n])) continue;
                            const double u = unknown_at(x, n);
                            const double slowness = std::exp(bounds_.log_slowness_of(u));
                            slopes[n] = static_cast<float>(slowness * bounds_.slope_at(u));
                        }
                    });
    return slopes;
}

std::vector<double> Parameters::regularised(std::span<const double> x, Regularisation kind) const {
    std::vector<double> m(x.begin(), x.end());
    if (!is_of_whole_model(kind)) return m;
    for (std::size_t u = 0; u < m.size(); ++u) m[u] += coarse_start_[u];
    return m;
}

double Parameters::log_slope_at(std::span<const double> x, std::size_t sample) const {
    return std::isnan(start_values_[sample]) ? 0 : bounds_.slope_at(unknown_at(x, sample));
}

}  // namespace fermat
