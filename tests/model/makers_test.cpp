#include "model/makers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

using test::expect_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

const Grid box{{5, 4, 11}, {10, -3, -1}, {0.5, 1, 0.5}};
const Grid section{{5, 1, 11}, {10, 2, -1}, {0.5, 1, 0.5}};

/// Expects velocity(position) at every node.
template <class Velocity>
void expect_velocity(const Model& model, Velocity velocity) {
    const Grid& grid = model.grid();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 p = grid.position({i, j, k});
                ASSERT_FLOAT_EQ(model.velocity()(i, j, k), static_cast<float>(velocity(p)))
                    << "at node " << i << ' ' << j << ' ' << k;
            }
        }
    }
}

TEST(ConstantModel, HasOneVelocity) {
    for (const Grid& grid : {box, section}) {
        expect_velocity(constant_model(grid, 3.5), [](Vec3) { return 3.5; });
    }
    for (const double bad : {0.0, -2.0, nan, inf, 1e39, 1e-50}) {
        expect_error<InputError>([&] { constant_model(box, bad); }, "velocity is", "must be");
    }
    expect_error<InputError>([] { constant_model({{1, 1, 1}, {}, {1, 1, 1}}, 1); }, "along x");
}

TEST(GradientModel, GrowsFromTheTopOfTheGridWhereverThatLies) {
    for (const Grid& grid : {box, section}) {
        expect_velocity(gradient_model(grid, 2, 0.5), [](Vec3 p) { return 2 + 0.5 * (p.z + 1); });
        const Vec3 g{0.1, -0.2, 0.3};
        expect_velocity(gradient_model(grid, 4, g),
                        [&](Vec3 p) { return 4 + dot(g, p - grid.origin); });
    }
}

TEST(GradientModel, SaysAtWhichDepthTheVelocityFails) {
    // 1 - 0.5 * 5 is negative at the bottom, z = 4; -1 is negative at the top, z = -1.
    expect_error<InputError>([] { gradient_model(box, 1, -0.5); }, "depth 4", "velocity is -1.5");
    expect_error<InputError>([] { gradient_model(box, -1, 2); }, "depth -1", "velocity is -1");
    expect_error<InputError>([] { gradient_model(box, 1.25, -0.25); }, "velocity is 0");
    expect_error<InputError>([] { gradient_model(box, nan, 1); }, "nan");
    expect_error<InputError>([] { gradient_model(box, 1, inf); }, "inf");
    expect_error<InputError>([] { gradient_model(box, 1, Vec3{-1, 0, 0}); }, "(12, -3, -1)");
    expect_error<InputError>([] { gradient_model(box, 1, Vec3{0, nan, 0}); }, "nan");
    expect_error<InputError>([] { gradient_model(box, 2e38, 1e38); }, "depth 4");
}

TEST(LayeredModel, LayersHoldFromTheirTopDownAndTheFirstAlsoAbove) {
    const std::vector<DepthVelocity> layers{{0, 2}, {1.5, 3}, {3.2, 5}};
    for (const Grid& grid : {box, section}) {
        expect_velocity(layered_model(grid, layers), [](Vec3 p) {
            return p.z < 1.5 ? 2 : p.z < 3.2 ? 3 : 5;
        });
    }
}

TEST(LayeredModel, RoundingOfADepthDoesNotMoveAnInterface) {
    const Grid grid{{2, 1, 101}, {}, {0.1, 1, 0.1}};
    const std::vector<DepthVelocity> layers{{0, 2}, {0.3, 3}, {0.7, 4}};
    const Model model = layered_model(grid, layers);
    EXPECT_EQ(model.velocity()(0, 0, 2), 2);
    EXPECT_EQ(model.velocity()(0, 0, 3), 3);
    EXPECT_EQ(model.velocity()(0, 0, 6), 3);
    EXPECT_EQ(model.velocity()(0, 0, 7), 4);
}

TEST(LayeredModel, MayHaveAirOnTop) {
    const Model model = layered_model(box, std::vector<DepthVelocity>{{-1, 0}, {0, 2}});
    EXPECT_TRUE(model.is_air({0, 0, 1}));
    EXPECT_FALSE(model.is_air({0, 0, 2}));
}

TEST(LayeredModel, RefusesWhatIsNotAListOfLayers) {
    using List = std::vector<DepthVelocity>;
    expect_error<InputError>([] { layered_model(box, List{}); }, "no layer");
    expect_error<InputError>(
        [] {
            layered_model(box, List{{0, 2}, {5, 3}, {4, 5}});
        },
        "layer 3", "depth 4", "layer 2", "depth 5");
    expect_error<InputError>([] { layered_model(box, List{{0, 2}, {0, 3}}); }, "layer 2");
    expect_error<InputError>([] { layered_model(box, List{{nan, 2}}); }, "layer 1", "nan");
    expect_error<InputError>([] { layered_model(box, List{{0, 2}, {1, -3}}); }, "layer 2", "-3");
    expect_error<InputError>([] { layered_model(box, List{{0, inf}}); }, "inf");
    expect_error<InputError>([] { layered_model(box, List{{0, 0}}); }, "all air");
}

TEST(ProfileModel, IsLinearBetweenPointsAndConstantOutside) {
    const std::vector<DepthVelocity> profile{{0, 2}, {1, 3}, {3, 4}};
    const auto velocity = [](Vec3 p) {
        return p.z <= 0 ? 2 : p.z < 1 ? 2 + p.z : p.z < 3 ? 3 + (p.z - 1) / 2 : 4;
    };
    for (const Grid& grid : {box, section}) {
        expect_velocity(profile_model(grid, profile), velocity);
    }
    EXPECT_DOUBLE_EQ(profile_velocity(profile, 2), 3.5);
}

TEST(ProfileModel, OnePointIsAConstantModel) {
    const std::vector<DepthVelocity> profile{{1, 6}};
    expect_velocity(profile_model(box, profile), [](Vec3) { return 6; });
}

TEST(ProfileModel, RefusesAirAndDisorder) {
    using List = std::vector<DepthVelocity>;
    expect_error<InputError>([] { profile_model(box, List{}); }, "no profile point");
    expect_error<InputError>([] { profile_model(box, List{{0, 0}, {1, 2}}); }, "profile point 1");
    expect_error<InputError>([] { profile_model(box, List{{1, 2}, {0, 3}}); }, "profile point 2");
}

TEST(Checkerboard, AlternatesFromTheOriginByLength) {
    const Model base = gradient_model(box, 4, 0.5);
    const Model board = checkerboard_model(base, {.size = {1, 2, 1.5}, .amplitude = 0.1});
    const auto sign = [](int i, int j, int k) { return (i / 2 + j / 2 + k / 3) % 2 ? -1 : 1; };
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 4; ++j) {
            for (int k = 0; k < 11; ++k) {
                EXPECT_FLOAT_EQ(board.velocity()(i, j, k),
                                base.velocity()(i, j, k) * (1 + 0.1F * float(sign(i, j, k))));
            }
        }
    }
}

TEST(Checkerboard, AnAxisOfInfiniteSizeDoesNotAlternate) {
    const Model board =
        checkerboard_model(constant_model(box, 2), {.size = {inf, inf, 1}, .amplitude = 0.25});
    expect_velocity(board, [](Vec3 p) { return int((p.z + 1) / 1) % 2 ? 1.5 : 2.5; });
}

TEST(Checkerboard, RoundingDoesNotMoveABox) {
    const Grid grid{{61, 1, 2}, {}, {0.1, 1, 0.1}};
    const Model board =
        checkerboard_model(constant_model(grid, 2), {.size = {0.3, 1, inf}, .amplitude = 0.5});
    for (int i = 0; i < 61; ++i) EXPECT_EQ(board.velocity()(i, 0, 0), i / 3 % 2 ? 1 : 3) << i;
}

TEST(Checkerboard, KeepsAirAndIgnoresYIn2d) {
    const Model base = layered_model(section, std::vector<DepthVelocity>{{-1, 0}, {0, 2}});
    const Model board = checkerboard_model(base, {.size = {1, 0, 1}, .amplitude = 0.1});
    EXPECT_TRUE(board.is_air({0, 0, 0}));
    EXPECT_FLOAT_EQ(board.velocity()(0, 0, 2), 1.8F);
}

TEST(Checkerboard, RefusesBadSizesAndAmplitudes) {
    const Model base = constant_model(box, 2);
    for (const double bad : {0.0, -1.0, 0.4, nan}) {
        expect_error<InputError>(
            [&] {
                checkerboard_model(base, {.size = {bad, 2, 2}});
            },
            "along x", "spacing 0.5");
    }
    for (const double bad : {1.0, -1.0, 2.0, nan, inf}) {
        expect_error<InputError>(
            [&] {
                checkerboard_model(base, {.size = {2, 2, 2}, .amplitude = bad});
            },
            "amplitude");
    }
}

TEST(Cells, HoldWhatTheMakerGivesAtTheirMiddles) {
    for (const Grid& grid : {box, section, Grid{{2, 2, 2}, {}, {1, 1, 1}}}) {
        const Model model = gradient_model(grid, 9, Vec3{0.5, 0.25, 1}, Placement::cells);
        ASSERT_EQ(model.given().shape(), grid.cell_shape());
        const Vec3 half = 0.5 * grid.spacing;
        const Vec3 middle = grid.origin + half;
        const double y = grid.is_2d() ? 0 : half.y;
        EXPECT_FLOAT_EQ(model.given()(0, 0, 0),
                        static_cast<float>(9 + 0.5 * half.x + 0.25 * y + half.z));
        EXPECT_FLOAT_EQ(gradient_model(grid, 9, 1, Placement::cells).given()(0, 0, 0),
                        static_cast<float>(9 + half.z));
        EXPECT_EQ(constant_model(grid, 3, Placement::cells).given()(0, 0, 0), 3);
        const std::vector<DepthVelocity> tops{{-1, 2}, {middle.z + 1e-9, 4}};
        EXPECT_EQ(layered_model(grid, tops, Placement::cells).given()(0, 0, 0), 4);
        EXPECT_NEAR(profile_model(grid, tops, Placement::cells).given()(0, 0, 0), 4, 1e-5);
    }
}

TEST(Cells, OfASmoothRandomMediumReachItsBound) {
    for (const Grid& grid : {box, section}) {
        const Model model = random_smooth_model(grid, {4, 0.2, 2, 1}, Placement::cells);
        ASSERT_EQ(model.given().shape(), grid.cell_shape());
        float most = 0;
        for (const float v : model.given()) most = std::max(most, std::abs(v - 4));
        EXPECT_NEAR(most, 0.8, 1e-5);
    }
}

TEST(Cells, BlocksAreWhole) {
    const Grid grid{{9, 1, 9}, {}, {1, 1, 1}};
    const Model model = random_blocks_model(grid, {1, 9, {4, 4, 4}, 3}, Placement::cells);
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 8; ++k) {
            EXPECT_EQ(model.given()(i, 0, k), model.given()(i / 4 * 4, 0, k / 4 * 4));
        }
    }
    EXPECT_NE(model.given()(3, 0, 0), model.given()(4, 0, 0));
}

TEST(Cells, StayCellsUnderACheckerboard) {
    const Grid grid{{7, 1, 5}, {}, {0.1, 1, 0.1}};
    const Model base =
        layered_model(grid, std::vector<DepthVelocity>{{0, 0}, {0.1, 2}}, Placement::cells);
    const Model board = checkerboard_model(base, {.size = {0.3, 1, inf}, .amplitude = 0.5});
    ASSERT_NE(board.cells(), nullptr);
    EXPECT_EQ(board.given()(0, 0, 0), 0);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(board.given()(i, 0, 1), i < 3 ? 3 : 1) << i;
}

}  // namespace
}  // namespace fermat
