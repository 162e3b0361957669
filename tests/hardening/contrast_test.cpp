// Velocity contrasts that exceed the precision are refused with a remedy, and every solver ends.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;

/// A slow layer of velocity 1 over a fast one.
Model layers(double fast, int dimensions) {
    const int n = dimensions == 3 ? 25 : 81;
    const Grid grid{{n, dimensions == 3 ? 7 : 1, n}, {}, {1, 1, 1}};
    const DepthVelocity both[] = {{0, 1}, {0.5 * (n - 1), fast}};
    return layered_model(grid, both);
}

class Contrast : public testing::TestWithParam<Solver> {
  protected:
    EikonalOptions options() const {
        EikonalOptions options;
        options.solver = GetParam();
        return options;
    }
};

constexpr Vec3 source{10.3, 4.2, 10.4};

TEST_P(Contrast, SinglePrecisionIsRightOrRefused) {
    for (const int dimensions : {2, 3}) {
        const PointSource at{{source.x, dimensions == 3 ? source.y : 0, source.z}, 0};
        for (const double fast : {1e4, 3e4, 3e5, 1e6, 1e8}) {
            const Model model = layers(fast, dimensions);
            const auto full = solve<double>(model, at, options(), test::on_cpu());
            const Vec3 far = model.grid().far_corner();
            const Vec3 surface{far.x, at.position.y, 0};
            try {
                const auto single = solve<float>(model, at, options(), test::on_cpu());
                const double expected = time_at(full, surface);
                EXPECT_NEAR(time_at(single, surface), expected, 2e-4 * expected) << fast;
            } catch (const InputError& error) {
                EXPECT_NE(std::string(error.what()).find("`precision=double`"), std::string::npos);
                EXPECT_GE(fast, 3e4);
            }
        }
    }
}

TEST_P(Contrast, TheIssuesLayersAreRefusedInSinglePrecision) {
    const Model model = layers(1e6, 2);
    const PointSource at{{0, 0, 0}, 0};
    expect_error<InputError>([&] { solve<float>(model, at, options(), test::on_cpu()); },
                             "too fast for single", "`precision=double`");
    EXPECT_TRUE(
        std::isfinite(time_at(solve<double>(model, at, options(), test::on_cpu()), {80, 0, 0})));
}

TEST_P(Contrast, DoublePrecisionEndsToo) {
    const PointSource at{{source.x, 0, source.z}, 0};
    for (const double fast : {1e15, 1e17, 1e25}) {
        expect_error<InputError>(
            [&] { solve<double>(layers(fast, 2), at, options(), test::on_cpu()); },
            "too fast for double", "contrast");
    }
}

TEST_P(Contrast, RockTooSlowToBeToldIsRefused) {
    const PointSource at{{50, 0, 70}, 0};
    expect_error<InputError>([&] { solve<double>(layers(1e13, 2), at, options(), test::on_cpu()); },
                             "1e-08", "contrast");
}

INSTANTIATE_TEST_SUITE_P(Solvers, Contrast, testing::Values(Solver::fim, Solver::fmm, Solver::fsm),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace fermat
