// The adjoint of times in curved coordinates and anisotropic media, by Taylor tests.
#include "eikonal/adjoint/metric_adjoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

using test::on_cpu;

/// Smooth relief about a mean.
Field<float> relief(Shape shape, double mean, double size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> wave(-4, 4);
    double waves[4][4];
    for (auto& row : waves) {
        for (double& value : row) value = wave(random);
    }
    Field<float> out(shape);
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                double sum = 0;
                for (const auto& w : waves) {
                    sum += std::cos((w[0] * i + w[1] * j + w[2] * k) / 10 + w[3]);
                }
                out(i, j, k) = static_cast<float>(mean + size * sum / 4);
            }
        }
    }
    return out;
}

struct MetricCase {
    Grid grid;
    CoordinateNumbers coordinates;
    AnisotropyValues anisotropy;
    PointSource source;
    std::vector<Vec3> receivers;
    double velocity = 3;
};

/// With a shear velocity where `elastic` says so.
AnisotropyValues thomsen(Shape shape, bool elastic = false) {
    AnisotropyValues out;
    out.kind = Anisotropy::thomsen;
    out.values[0] = relief(shape, 0.15, 0.05, 1);
    out.values[1] = relief(shape, 0.05, 0.03, 2);
    if (elastic) out.values[5] = relief(shape, 0.5, 0.05, 6);
    const Field<float> tilt = relief(shape, 30, 10, 3);
    for (std::size_t n = 2; n < 5; ++n) out.values[n] = Field<float>(shape);
    for (std::size_t n = 0; n < tilt.size(); ++n) {
        const Vec3 axis = tilted_axis(static_cast<double>(tilt[n]), shape.y == 1 ? 0 : 40);
        for (int c = 0; c < 3; ++c) {
            out.values[static_cast<std::size_t>(2 + c)][n] = static_cast<float>(axis[c]);
        }
    }
    return out;
}

/// What the gradient leaves unexplained falls as the square of the step.
void expect_taylor(MetricCase c, int order) {
    const Shape shape = c.grid.shape;
    const Field<float> velocity = relief(shape, c.velocity, 0.1 * c.velocity, 4);
    Field<double> slowness(shape);
    for (std::size_t n = 0; n < slowness.size(); ++n) slowness[n] = 1.0 / velocity[n];
    const Model base =
        Model(c.grid, velocity.copy())
            .with_metric(std::make_shared<Metric>(c.grid, c.coordinates, std::move(c.anisotropy)));
    const std::vector<double> pull = {0.7, -1.2, 0.4};
    const auto with = [&](const Field<double>& exact, const auto& use) {
        Field<float> rounded(shape);
        for (std::size_t n = 0; n < rounded.size(); ++n) {
            rounded[n] = static_cast<float>(1 / exact[n]);
        }
        const Model model = base.with_given(std::move(rounded));
        const MetricTimes times(model, exact, {c.source}, c.receivers, {Solver::fim, order},
                                on_cpu());
        return use(times);
    };
    const auto objective = [&](const Field<double>& exact) {
        return with(exact, [&](const MetricTimes& times) {
            const auto field = times.solve(0, on_cpu());
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
        return times.gradient({}, derive, true, on_cpu());
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

TEST(MetricAdjoint, RemaindersFallAsTheSquareOnASphere) {
    MetricCase c{
        {{13, 11, 10}, {39.5, 9.5, 0}, {0.15, 0.2, 8}}, {}, {}, {{40.31, 10.4, 13}, 0}, {}};
    c.coordinates.system = Coordinates::spherical;
    c.receivers = {{41.1, 11.3, 3}, {39.7, 10.9, 65}, {41.05, 9.7, 20}};
    c.velocity = 6;
    expect_taylor(std::move(c), 2);
}

TEST(MetricAdjoint, RemaindersFallAsTheSquareBelowAHill) {
    for (const int order : {1, 2}) {
        MetricCase c{{{25, 1, 21}, {}, {0.1, 1, 0.1}}, {}, {}, {{0.71, 0, 0.32}, 0}, {}};
        c.coordinates.system = Coordinates::terrain;
        for (int i = 0; i < 25; ++i) {
            c.coordinates.surface.push_back(-0.3 * std::exp(-std::pow((0.1 * i - 1.2) / 0.6, 2)));
        }
        c.receivers = {{2.13, 0, 1.71}, {1.13, 0, 1.87}, {2.23, 0, 0.18}};
        expect_taylor(std::move(c), order);
    }
}

TEST(MetricAdjoint, RemaindersFallAsTheSquareInThomsensMedium) {
    for (const int order : {1, 2}) {
        MetricCase flat{{{25, 1, 21}, {}, {0.1, 1, 0.1}}, {}, {}, {{0.71, 0, 0.32}, 0}, {}};
        flat.anisotropy = thomsen(flat.grid.shape);
        flat.receivers = {{2.13, 0, 1.71}, {1.13, 0, 1.87}, {2.23, 0, 0.18}};
        expect_taylor(std::move(flat), order);
        MetricCase solid{{{11, 10, 9}, {}, {0.1, 0.1, 0.1}}, {}, {}, {{0.33, 0.41, 0.22}, 0}, {}};
        solid.anisotropy = thomsen(solid.grid.shape, order == 2);
        solid.receivers = {{0.83, 0.74, 0.61}, {0.92, 0.21, 0.12}, {0.22, 0.78, 0.73}};
        expect_taylor(std::move(solid), order);
    }
}

TEST(MetricAdjoint, RowsOfJumpsAreRefused) {
    const Grid grid{{4, 4, 4}, {40, 10, 0}, {0.1, 0.1, 5}};
    CoordinateNumbers coordinates;
    coordinates.system = Coordinates::spherical;
    coordinates.jumps = {1, 1.3, 1, 1};
    const Model model =
        Model(grid, Field<float>(grid.shape, 6.0F))
            .with_metric(std::make_shared<Metric>(grid, coordinates, AnisotropyValues{}));
    test::expect_error<InputError>(
        [&] {
            MetricTimes(model, {}, {{{40.1, 10.1, 3}, 0}}, {}, {}, on_cpu());
        },
        "velocity jumps on rows of nodes, whose scheme has no adjoint");
}

}  // namespace
}  // namespace fermat
