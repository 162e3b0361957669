// Paper 5's own method on a CUDA device: the times and rays of the CPU. Blocks that run at the same
// time may read a neighbour's times before or after a change, so times agree to the threshold.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bench/papers/paper5_plain.hpp"
#include "core/device.hpp"

namespace fermat::bench {
namespace {

TEST(GpuPaperFive, TimesAndRaysAreThoseOfTheCpu) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    for (const int points : {7, 100, 301}) {
        PlainProblem problem;
        problem.points = points;
        problem.source = {points / 3, points / 2};
        for (int i = 0; i <= points; ++i) {
            for (int k = 0; k <= points; ++k) {
                problem.slowness.push_back(1 / (2 + 0.01F * static_cast<float>(k)));
            }
        }
        for (int n = 0; n < points; n += 5) problem.receivers.push_back({n, 0});
        const PlainResult cpu = solve_plain(problem, silent_monitor());
        const PlainResult gpu = solve_plain_cuda(problem, silent_monitor());
        for (std::size_t n = 0; n < cpu.times.size(); ++n) {
            ASSERT_NEAR(gpu.times[n], cpu.times[n],
                        1e-5 * static_cast<double>(cpu.times[n]) + 1e-5);
        }
        ASSERT_EQ(gpu.paths.size(), cpu.paths.size());
        for (std::size_t n = 0; n < gpu.paths.size(); ++n) {
            ASSERT_FALSE(gpu.paths[n].empty());
            EXPECT_EQ(gpu.paths[n].front().x, problem.receivers[n].x);
            EXPECT_EQ(gpu.paths[n].back().x, problem.source.x);
            EXPECT_EQ(gpu.paths[n].back().z, problem.source.z);
        }
    }
}

}  // namespace
}  // namespace fermat::bench
