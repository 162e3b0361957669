#include "graph/forward_star.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace fermat {
namespace {

TEST(ForwardStar, HasTheEdgesOfThePapers) {
    EXPECT_EQ(forward_star({1, 0, 1}).size(), 8u);
    EXPECT_EQ(forward_star({2, 0, 2}).size(), 16u);
    EXPECT_EQ(forward_star({2, 0, 2}, StarEdges::full).size(), 24u);
    EXPECT_EQ(forward_star({6, 0, 6}).size(), 96u);
    EXPECT_EQ(forward_star({1, 1, 1}).size(), 26u);
    EXPECT_EQ(forward_star({2, 2, 2}).size(), 98u);
    EXPECT_EQ(forward_star({3, 0, 1}).size(), 16u);
}

TEST(ForwardStar, OppositeEdgesStandAtMirroredPlaces) {
    const auto star = forward_star({3, 1, 2});
    for (std::size_t i = 0; i < star.size(); ++i) {
        const Index3 other = star[star.size() - 1 - i];
        EXPECT_EQ(star[i], (Index3{-other.x, -other.y, -other.z}));
    }
}

TEST(ForwardStar, LargestGapShrinksWithTheRadius) {
    EXPECT_NEAR(largest_gap(forward_star({1, 0, 1}), 1, 1), std::numbers::pi / 4, 1e-12);
    EXPECT_NEAR(largest_gap(forward_star({2, 0, 2}), 1, 1), std::atan(0.5), 1e-12);
    EXPECT_NEAR(largest_gap(forward_star({6, 0, 6}), 1, 1), std::atan(1.0 / 6), 1e-12);
    EXPECT_NEAR(largest_gap(forward_star({1, 0, 1}), 2, 1), std::atan(2.0), 1e-12);
}

TEST(ForwardStar, RefusesARadiusWithoutEdges) {
    EXPECT_THROW(forward_star({0, 0, 0}), InputError);
    EXPECT_THROW(forward_star({1, -1, 1}), InputError);
}

}  // namespace
}  // namespace fermat
