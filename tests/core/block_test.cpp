#include "core/block.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fermat {
namespace {

std::vector<int> visited(LaneOrder order, int count) {
    std::vector<int> lanes;
    HostBlock(order).for_each(count, [&](int lane) { lanes.push_back(lane); });
    return lanes;
}

TEST(HostBlock, VisitsEachLaneOnceInEitherOrder) {
    EXPECT_EQ(visited(LaneOrder::forward, 4), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(visited(LaneOrder::backward, 4), (std::vector{3, 2, 1, 0}));
    EXPECT_TRUE(visited(LaneOrder::forward, 0).empty());
    EXPECT_TRUE(visited(LaneOrder::backward, 0).empty());
}

/// Smooths a line once. It has a race if it writes to the array it reads.
template <class Block>
std::vector<int> smoothed(Block block, bool double_buffered) {
    std::vector<int> values{1, 5, 2, 8, 3, 9, 4, 7};
    std::vector<int> next = values;
    std::vector<int>& out = double_buffered ? next : values;
    block.for_each(6, [&](int lane) {
        const auto n = static_cast<std::size_t>(lane) + 1;
        out[n] = values[n - 1] + values[n] + values[n + 1];
    });
    return out;
}

TEST(HostBlock, LaneOrdersAgreeWithoutARaceAndDifferWithOne) {
    const HostBlock forward(LaneOrder::forward);
    const HostBlock backward(LaneOrder::backward);
    EXPECT_EQ(smoothed(forward, true), smoothed(backward, true));
    EXPECT_NE(smoothed(forward, false), smoothed(backward, false));
}

}  // namespace
}  // namespace fermat
