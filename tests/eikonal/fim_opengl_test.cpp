// `fim` by compute shaders: the times of the CPU to rounding. Skips, with the reason, where there
// is no OpenGL 4.3; CI has Mesa's software renderer.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

Execution on_opengl() { return test::on_cpu().on(Device::opengl); }

class FimOpenGl : public testing::Test {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
        GTEST_SKIP() << "drivers keep memory until the process ends, which the sanitizer reports";
#endif
        if (const std::string why = gl_obstacle(); !why.empty()) GTEST_SKIP() << why;
    }
};

void expect_same(const TimeField& found, const TimeField& wanted, double tolerance) {
    for (std::size_t n = 0; n < wanted.tau.size(); ++n) {
        if (!std::isfinite(wanted.tau[n])) {
            ASSERT_EQ(found.tau[n], wanted.tau[n]) << "node " << n;
        } else {
            ASSERT_NEAR(found.tau[n], wanted.tau[n], tolerance * wanted.tau[n]) << "node " << n;
        }
    }
}

/// Random blocks with two walls of air, which the wave has to go round.
Model walled(const Grid& grid) {
    RandomBlocksOptions blocks;
    blocks.v_min = 1;
    blocks.v_max = 5;
    const Model base = random_blocks_model(grid, blocks);
    Field<float> v(grid.shape);
    std::copy(base.velocity().begin(), base.velocity().end(), v.begin());
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            if (i > 4) v(i, j, grid.shape.z / 2) = 0;
            if (i < grid.shape.x - 4) v(i, j, grid.shape.z / 4) = 0;
        }
    }
    return Model(grid, std::move(v));
}

// In 2-D and 3-D, of several sources, on nodes and between them, behind walls, and with spacings
// that differ. Roots and quotients of drivers are not those of the CPU to the last place. Where
// waves meet, second order has several solutions, which differ by more in rough media.
TEST_F(FimOpenGl, TimesAreThoseOfTheCpu) {
    struct Case {
        const char* name;
        Model model;
        std::vector<PointSource> sources;
        int order;
        double tolerance;
    };
    const Grid section{{75, 1, 60}, {-3, 0, 2}, {0.5, 1, 0.5}};
    const Grid volume{{21, 18, 23}, {}, {1, 1.5, 1}};
    const std::vector<PointSource> three = {
        {{0.2, 0, 4.4}, 0}, {{-3, 0, 2}, 1}, {{34, 0, 31.5}, 0}};
    const std::vector<PointSource> one = {{{10, 9.3, 9}, 0}};
    const Case cases[] = {{"walls in 2-D", walled(section), three, 2, 3e-5},
                          {"walls in 3-D", walled(volume), one, 1, 1e-5},
                          {"gradient in 3-D", gradient_model(volume, 2, 0.1), one, 2, 1e-5}};
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const EikonalOptions options{.order = c.order};
        for_each_field(c.model, c.sources, options, on_opengl(),
                       [&](std::size_t n, TimeField&& field) {
                           expect_same(field, solve(c.model, c.sources[n], options, test::on_cpu()),
                                       c.tolerance);
                       });
    }
}

// Long cells are solved by first order before second; what is read at receivers is the same too.
TEST_F(FimOpenGl, BothOrdersServeLongCellsAndReceivers) {
    const Model model = gradient_model({{41, 1, 70}, {}, {6, 1, 1}}, 2, 0.05);
    const std::vector<PointSource> sources = {{{120, 0, 3}, 0}};
    const std::vector<Vec3> receivers = {{0, 0, 0}, {240, 0, 69}, {77, 0, 33.3}};
    const auto found = receiver_times(model, sources, receivers, {}, on_opengl());
    const auto wanted = receiver_times(model, sources, receivers, {}, test::on_cpu());
    for (std::size_t n = 0; n < receivers.size(); ++n)
        EXPECT_NEAR(found[n], wanted[n], 1e-5 * wanted[n]);
    // Again, the same bits: tiles of a pass do not depend on each other.
    EXPECT_EQ(receiver_times(model, sources, receivers, {}, on_opengl()), found);
}

TEST(FimOpenGlDevice, WhatHasNoShadersIsRefused) {
    const Model model = constant_model({{9, 1, 9}, {}, {1, 1, 1}}, 1);
    test::expect_error<InputError>(
        [&] {
            solve(model, {{}, 0}, {.solver = Solver::fmm}, on_opengl());
        },
        "device is 'opengl' (solver 'fmm' has no shaders: use fim, or cpu)");
    test::expect_error<InputError>(
        [&] {
            solve<double>(model, {{}, 0}, {}, on_opengl());
        },
        "device is 'opengl' (its precision is single: use cpu for 'double')");
}

}  // namespace
}  // namespace fermat
