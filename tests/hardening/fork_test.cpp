// A child process computes on its own threads, whatever its parent did before the fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "core/parallel.hpp"
#include "core/teams.hpp"

namespace fermat {
namespace {

/// The exit status of the child; 999 if a signal ended it, such as that of its alarm.
int in_child(const std::function<int()>& work, bool with_destructors) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        const int status = work();
        if (with_destructors) std::exit(status);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 999;
}

int sum_of_loop() {
    std::atomic<int> sum{0};
    parallel_for(1000, 4, [&](std::int64_t) { ++sum; });
    for_each_by_teams(2, 4, [&](std::int64_t, int share) {
        parallel_for(10, share, [&](std::int64_t) { ++sum; });
    });
    return sum;
}

TEST(Fork, AChildOfAProcessWithThreadsHasItsOwn) {
    ASSERT_EQ(sum_of_loop(), 1020);
    for (const bool with_destructors : {false, true}) {
        EXPECT_EQ(in_child([] { return sum_of_loop() == 1020 ? 0 : 1; }, with_destructors), 0);
    }
    // A child that never computes ends too.
    EXPECT_EQ(in_child([] { return 7; }, true), 7);
    EXPECT_EQ(sum_of_loop(), 1020);
}

TEST(Fork, AGrandchildToo) {
    ASSERT_EQ(sum_of_loop(), 1020);
    const auto child = [] {
        if (sum_of_loop() != 1020) return 1;
        return in_child([] { return sum_of_loop() == 1020 ? 0 : 2; }, true);
    };
    EXPECT_EQ(in_child(child, true), 0);
}

TEST(Fork, InsideALoopIsToldToTheChild) {
    // The other thread is inside the loop at the fork, and not still starting: a thread that is
    // starting may hold a lock of the allocator, which the child would then wait for.
    ASSERT_EQ(sum_of_loop(), 1020);
    pid_t child = -1;
    bool told = false;
    std::atomic<bool> other_is_there{false};
    std::atomic<bool> forked{false};
    try {
        parallel_for(2, 2, [&](std::int64_t) {
            if (thread_index() == 0) {
                while (!other_is_there) std::this_thread::yield();
                child = fork();
                if (child == 0) alarm(30);
                forked = true;
            } else {
                other_is_there = true;
                while (!forked) std::this_thread::yield();
            }
        });
    } catch (const ComputeError& error) {
        told = std::string(error.what()).find("forked inside") != std::string::npos;
    }
    if (child == 0) _exit(told ? 0 : 1);
    EXPECT_FALSE(told);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace fermat
