// Teams of threads run each item once, use every thread, and rethrow exceptions in the caller.
#include "core/teams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

TEST(Teams, EachItemOnceAndEveryThreadInOneTeam) {
    for (const int threads : {1, 2, 3, 8, 16}) {
        for (const std::int64_t count : {0, 1, 2, 3, 5, 8, 20}) {
            std::vector<std::atomic<int>> shares(static_cast<std::size_t>(count));
            for_each_by_teams(count, threads, [&](std::int64_t i, int share) {
                shares[static_cast<std::size_t>(i)] += share;
            });
            int sum = 0;
            int least = threads;
            int most = 0;
            for (const int share : shares) {
                sum += share;
                least = std::min(least, share);
                most = std::max(most, share);
            }
            if (count == 0) continue;
            EXPECT_EQ(sum, std::max<std::int64_t>(count, threads));
            EXPECT_LE(most - least, 1);
        }
    }
}

TEST(Teams, HaveLoopsOfTheirOwn) {
    std::vector<int> sums(3, 0);
    for_each_by_teams(3, 8, [&](std::int64_t i, int share) {
        std::vector<int> parts(100);
        std::atomic<bool> inside{true};
        parallel_for(100, share, [&](std::int64_t n) {
            parts[static_cast<std::size_t>(n)] = static_cast<int>(n);
            if (thread_index() >= share) inside = false;
        });
        EXPECT_TRUE(inside);
        for (const int part : parts) sums[static_cast<std::size_t>(i)] += part;
    });
    EXPECT_EQ(sums, std::vector<int>(3, 4950));
}

TEST(Teams, AnExceptionReachesTheCallerWithItsType) {
    for (const int bad : {0, 2}) {
        test::expect_error<InputError>(
            [&] {
                for_each_by_teams(3, 8, [&](std::int64_t i, int) {
                    if (i == bad) throw InputError("item is bad");
                });
            },
            "item is bad");
    }
}

}  // namespace
}  // namespace fermat
