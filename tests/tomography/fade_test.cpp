#include "tomography/fade.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
using test::expect_error;
namespace {

Model rock(Shape shape) { return {Grid{shape, {}, {1, 1, 1}}, Field<float>(shape, 2.0F)}; }

/// Largest difference of neighbours along z.
double steepest(const Field<float>& fade, int i) {
    double most = 0;
    for (int k = 1; k < fade.shape().z; ++k) {
        most = std::max(most, std::abs(double{fade(i, 0, k)} - fade(i, 0, k - 1)));
    }
    return most;
}

TEST(Fade, is_plain_where_rays_pass_and_blank_far_away) {
    const Model model = rock({61, 1, 41});
    Field<float> coverage({60, 1, 40}, 0.0F);
    for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 20; ++k) coverage(i, 0, k) = 3;
    }
    const Field<float> fade = fade_of_coverage(model, coverage);
    EXPECT_EQ(fade(30, 0, 5), 1);
    EXPECT_EQ(fade(30, 0, 40), 0);
    EXPECT_LT(steepest(fade, 30), 0.35);
    for (int k = 1; k < 41; ++k) EXPECT_LE(fade(30, 0, k), fade(30, 0, k - 1));
}

TEST(Fade, closes_the_gaps_between_neighbouring_rays) {
    const Model model = rock({121, 1, 61});
    Field<float> coverage({120, 1, 60}, 0.0F);
    for (int i = 0; i < 120; ++i) {
        for (int k = 0; k < 60; k += 3) coverage(i, 0, k) = 1;
    }
    const Field<float> fade = fade_of_coverage(model, coverage);
    EXPECT_GT(fade(60, 0, 29), 0.95);
    EXPECT_GT(fade(60, 0, 30), 0.95);
    EXPECT_GT(fade(60, 0, 31), 0.95);
}

TEST(Fade, knows_no_rays_no_air_and_3d) {
    const Model model = rock({9, 8, 7});
    for (const float f : fade_of_coverage(model, Field<float>({8, 7, 6}, 0.0F))) EXPECT_EQ(f, 0);
    for (const float f : fade_of_coverage(model, Field<float>({8, 7, 6}, 1.0F))) EXPECT_EQ(f, 1);
    Field<float> velocity({9, 8, 7}, 2.0F);
    velocity(4, 4, 0) = 0;
    const Model below_air(model.grid(), std::move(velocity));
    const Field<float> fade = fade_of_coverage(below_air, Field<float>({8, 7, 6}, 1.0F));
    EXPECT_EQ(fade(4, 4, 0), 0);
    EXPECT_EQ(fade(4, 4, 1), 1);
}

TEST(Fade, takes_resolution_beside_its_own_best) {
    const Model model = rock({40, 1, 20});
    Field<float> resolution({40, 1, 20}, 0.02F);
    for (int k = 0; k < 20; ++k) {
        for (int i = 0; i < 20; ++i) resolution(i, 0, k) = std::numeric_limits<float>::quiet_NaN();
    }
    const Field<float> fade = fade_of_resolution(model, resolution);
    EXPECT_EQ(fade(35, 0, 5), 1);
    EXPECT_EQ(fade(5, 0, 5), 0);
    for (int i = 1; i < 40; ++i) EXPECT_GE(fade(i, 0, 5), fade(i - 1, 0, 5));
    for (float& value : resolution) value *= 10;
    const Field<float> better = fade_of_resolution(model, resolution);
    for (std::size_t n = 0; n < fade.size(); ++n) EXPECT_NEAR(better[n], fade[n], 1e-5);
    for (const float f : fade_of_resolution(model, Field<float>({40, 1, 20}, 0.0F))) {
        EXPECT_EQ(f, 0);
    }
}

TEST(Fade, takes_resolution_in_cells_where_velocity_is) {
    const Grid grid{{41, 1, 7}, {}, {1, 1, 1}};
    const Model model = Model::of_cells(grid, Field<float>({40, 1, 6}, 2.0F));
    Field<float> resolution({40, 1, 6}, 0.1F);
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < 6; ++k) resolution(i, 0, k) = 0;
    }
    const Field<float> nodes = at_nodes(grid, resolution);
    EXPECT_EQ(nodes(0, 0, 0), 0);
    EXPECT_FLOAT_EQ(nodes(20, 0, 3), 0.05F);
    EXPECT_FLOAT_EQ(nodes(40, 0, 6), 0.1F);
    const Field<float> fade = fade_of_resolution(model, resolution);
    EXPECT_EQ(fade(2, 0, 3), 0);
    EXPECT_EQ(fade(38, 0, 3), 1);
}

TEST(Fade, names_the_shape_it_wants) {
    const Model model = rock({5, 1, 4});
    expect_error<InputError>(
        [&] {
            fade_of_coverage(model, Field<float>({5, 1, 4}, 1.0F));
        },
        "coverage has shape (5, 4) (must be (4, 3))");
    expect_error<InputError>(
        [&] {
            fade_of_resolution(model, Field<float>({4, 1, 3}, 1.0F));
        },
        "resolution has shape (4, 3) (must be (5, 4))");
}

}  // namespace
}  // namespace fermat
