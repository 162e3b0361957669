#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

using test::expect_error;

std::vector<double> computed(int threads) {
    std::vector<double> out(1000);
    parallel_for(static_cast<std::int64_t>(out.size()), threads, [&](std::int64_t i) {
        double sum = 0;
        for (int n = 1; n < 50; ++n) sum += std::sin(0.1 * static_cast<double>(i) * n) / n;
        out[static_cast<std::size_t>(i)] = sum;
    });
    return out;
}

TEST(ParallelFor, ResultsDoNotDependOnTheThreadCount) {
    const std::vector<double> one = computed(1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(computed(threads), one);
}

TEST(ParallelFor, VisitsEachIndexOnce) {
    std::vector<std::atomic<int>> visits(257);
    parallel_for(257, 4, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
    parallel_for(0, 4, [&](std::int64_t) { FAIL() << "an empty range has no body"; });
}

TEST(ParallelFor, AnExceptionReachesTheCallerWithItsType) {
    for (const int threads : {1, 4}) {
        std::atomic<int> calls{0};
        const auto work = [&] {
            parallel_for(100000, threads, [&](std::int64_t i) {
                ++calls;
                if (i == 3) throw InputError("index 3 is bad");
            });
        };
        expect_error<InputError>(work, "index 3 is bad");
        if (threads == 1) {
            EXPECT_EQ(calls, 4) << "nothing runs after the exception";
        }
    }
}

TEST(ParallelFor, CanBeUsedAgainAfterAnException) {
    EXPECT_THROW(parallel_for(10, 2, [](std::int64_t) { throw ComputeError("no"); }), ComputeError);
    EXPECT_EQ(computed(2), computed(1));
}

TEST(ParallelRanges, CoversTheRangeInDisjointShares) {
    for (const std::int64_t count : {0, 1, 3, 8, 1001}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
        parallel_ranges(count, 4, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
}

TEST(Threads, ZeroMeansAllAndNegativeIsRefused) {
    EXPECT_GE(resolve_threads(0), 1);
    EXPECT_EQ(resolve_threads(7), 7);
    expect_error<InputError>([] { resolve_threads(-2); }, "-2", "threads");
}

TEST(Threads, IndexIsInsideTheTeam) {
    std::atomic<bool> inside{true};
    parallel_for(100, 3, [&](std::int64_t) {
        if (thread_index() < 0 || thread_index() >= 3) inside = false;
    });
    EXPECT_TRUE(inside);
    EXPECT_EQ(thread_index(), 0);
}

}  // namespace
}  // namespace fermat
