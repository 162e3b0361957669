#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "eikonal/adjoint/metric_adjoint.hpp"
#include "expect_error.hpp"
#include "metric_cases.hpp"

namespace fermat::test {

/// What the gradient leaves unexplained falls as the square of the step.
inline void expect_taylor(const MetricCase& c, int order, const Execution& execution) {
    const Shape shape = c.grid.shape;
    const Model base = model_of(c);
    const auto velocity = base.velocity();
    Field<double> slowness(shape);
    for (std::size_t n = 0; n < slowness.size(); ++n) slowness[n] = 1.0 / velocity[n];
    const std::vector<double> pull = {0.7, -1.2, 0.4};
    const auto with = [&](const Field<double>& exact, const auto& use) {
        Field<float> rounded(shape);
        for (std::size_t n = 0; n < rounded.size(); ++n) {
            rounded[n] = static_cast<float>(1 / exact[n]);
        }
        const Model model = base.with_given(std::move(rounded));
        const MetricTimes times(model, exact, {c.source}, c.receivers, {Solver::fim, order},
                                execution);
        return use(times);
    };
    const auto objective = [&](const Field<double>& exact) {
        return with(exact, [&](const MetricTimes& times) {
            const auto field = times.solve(0, execution);
            double sum = 0;
            for (std::size_t r = 0; r < pull.size(); ++r) {
                sum += pull[r] * times.receiver_time(*field, r);
            }
            return sum;
        });
    };
    const AdjointGradient gradient = with(slowness, [&](const MetricTimes& times) {
        const auto derive = [&](std::size_t, const MetricTimes::Solved&) {
            return TimeDerivatives{{}, pull};
        };
        return times.gradient({}, derive, true, execution);
    });
    EXPECT_EQ(gradient.unsettled, 0);
    const double here = objective(slowness);
    double scaled = 0;
    for (std::size_t n = 0; n < slowness.size(); ++n) {
        scaled += gradient.slowness[n] * slowness[n];
    }
    EXPECT_NEAR(scaled, here, 1e-9 * std::abs(here));  // times scale with slowness
    const Field<float> way = relief(shape, 0, 0.02 / c.velocity, 5);
    double slope = 0;
    for (std::size_t n = 0; n < way.size(); ++n) slope += gradient.slowness[n] * way[n];
    double before = 0;
    for (const double step : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
        Field<double> moved(shape);
        for (std::size_t n = 0; n < moved.size(); ++n) moved[n] = slowness[n] + step * way[n];
        const double left = std::abs(objective(moved) - here - step * slope);
        if (before > 0) {
            EXPECT_LT(left, 0.02 * before + 1e-13 * std::abs(here)) << "step " << step;
        }
        before = left;
    }
}

/// Rows of jumps are refused before anything is computed.
inline void expect_jumps_refused(const Execution& execution) {
    const Grid grid{{4, 4, 4}, {40, 10, 0}, {0.1, 0.1, 5}};
    CoordinateNumbers coordinates;
    coordinates.system = Coordinates::spherical;
    coordinates.jumps = {1, 1.3, 1, 1};
    const Model model =
        Model(grid, Field<float>(grid.shape, 6.0F))
            .with_metric(std::make_shared<Metric>(grid, coordinates, AnisotropyValues{}));
    expect_error<InputError>(
        [&] {
            MetricTimes(model, {}, {{{40.1, 10.1, 3}, 0}}, {}, {}, execution);
        },
        "velocity jumps on rows of nodes, whose scheme has no adjoint");
}

}  // namespace fermat::test
