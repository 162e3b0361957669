#include "tomography/trust/start_edges.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fermat {
namespace {

constexpr Shape shape{4, 1, 20};

/// Slow ground over rock four times as fast, from row 10 on, in the first `with` columns.
std::vector<double> over_rock(int with) {
    std::vector<double> out(shape.count(), std::log(500.0));
    for (int i = 0; i < with; ++i) {
        for (int k = 10; k < shape.z; ++k) out[shape.offset(i, 0, k)] = std::log(2000.0);
        out[shape.offset(i, 0, 0)] = std::nan("");  // air
    }
    return out;
}

TEST(StartEdges, CountHalfOfTheJumpAndLessFartherAway) {
    const StartEdges edges(over_rock(4), shape, {2, 2, 2});
    ASSERT_TRUE(edges.any());
    const double half = 0.5 * std::log(4.0);
    // Rows 9 and 10 have the jump between their neighbours.
    EXPECT_NEAR(edges.deviation_at({1, 0, 9}, 4), half, 1e-12);
    EXPECT_NEAR(edges.deviation_at({1, 0, 10}, 4), half, 1e-12);
    EXPECT_NEAR(edges.deviation_at({1, 0, 11}, 4), half * (1 - 2.0 / 6), 1e-12);
    EXPECT_NEAR(edges.deviation_at({1, 0, 7}, 4), half * (1 - 4.0 / 6), 1e-12);
    EXPECT_EQ(edges.deviation_at({1, 0, 6}, 4), 0);
    EXPECT_EQ(edges.deviation_at({1, 0, 13}, 4), 0);
}

TEST(StartEdges, AreThoseOfHalfTheColumnsOrMore) {
    EXPECT_TRUE(StartEdges(over_rock(2), shape, {2, 2, 2}).any());
    EXPECT_FALSE(StartEdges(over_rock(1), shape, {2, 2, 2}).any());
}

TEST(StartEdges, AGradientHasNone) {
    std::vector<double> gradient(shape.count());
    for (int i = 0; i < shape.x; ++i) {
        for (int k = 0; k < shape.z; ++k) {
            gradient[shape.offset(i, 0, k)] = std::log(500 + 100.0 * k);
        }
    }
    const StartEdges edges(gradient, shape, {1, 1, 1});
    EXPECT_FALSE(edges.any());
    EXPECT_EQ(edges.deviation_at({1, 0, 5}, 10), 0);
}

}  // namespace
}  // namespace fermat
