// Times do not depend on the units of velocity: every solver is right for velocities from 1e-30 to
// 1e30.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;

Model scaled(const Model& model, double factor) {
    Field<float> velocity(model.grid().shape);
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        velocity[n] = static_cast<float>(model.velocity()[n] * factor);
    }
    return Model(model.grid(), std::move(velocity));
}

class VelocitiesOfAnySize : public testing::TestWithParam<Solver> {};

TEST_P(VelocitiesOfAnySize, TimesScaleWithTheVelocity) {
    EikonalOptions options;
    options.solver = GetParam();
    for (const int dimensions : {2, 3}) {
        const Grid grid{{23, dimensions == 3 ? 17 : 1, 19}, {}, {1, 1, 1}};
        const PointSource source{{7.3, dimensions == 3 ? 5.6 : 0, 11.1}, 0};
        const Model model = random_smooth_model(grid, {3, 0.3, 4, 7});
        const TimeField expected = solve<float>(model, source, options, test::on_cpu());
        for (const double factor : {1e-29, 1e-15, 1e3, 1e9, 1e12, 1e20, 1e29}) {
            const TimeField field =
                solve<float>(scaled(model, factor), source, options, test::on_cpu());
            for (std::size_t n = 0; n < expected.tau.size(); ++n) {
                ASSERT_NEAR(field.tau[n], expected.tau[n], 2e-5 * expected.tau[n])
                    << factor << " in " << dimensions << "-D";
            }
        }
        // A power of two changes no bit.
        const TimeField same =
            solve<float>(scaled(model, std::ldexp(1, 60)), source, options, test::on_cpu());
        for (std::size_t n = 0; n < expected.tau.size(); ++n) {
            ASSERT_EQ(same.tau[n], expected.tau[n]);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, VelocitiesOfAnySize,
                         testing::Values(Solver::fim, Solver::fmm, Solver::fsm, Solver::vidale),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(VelocityLimits, TimesBeyondSinglePrecisionAreRefused) {
    const Grid grid{{11, 1, 11}, {}, {1, 1, 1}};
    for (const double velocity : {1e35, 1e-35}) {
        expect_error<InputError>(
            [&] {
                solve<float>(constant_model(grid, velocity), {{5, 0, 5}, 0});
            },
            "across a cell", "other units");
    }
}

}  // namespace
}  // namespace fermat
