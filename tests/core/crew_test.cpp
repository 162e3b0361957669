// A thread that the system keeps off its core holds up no loop: the others do its part. On a
// crowded machine short loops do without sleeping threads, and long ones call them.
#include "core/crew.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/crowd.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

using std::chrono::steady_clock;

std::atomic<bool> is_kept{false};
std::atomic<bool> is_free{false};
std::atomic<bool> gave_up{false};

/// Keeps the thread that it interrupts from its work, as a system does that gives the core to
/// another program.
void keep_off(int) {
    is_kept = true;
    const auto begun = steady_clock::now();
    while (!is_free) {
        if (steady_clock::now() - begun > std::chrono::seconds(20)) {
            gave_up = true;
            break;
        }
    }
    is_kept = false;
}

/// The second thread of the calling one's crew, which waits for its next loop.
pthread_t second_thread() {
    std::atomic<bool> is_there{false};
    pthread_t second{};
    parallel_for(2, 2, [&](std::int64_t) {
        if (thread_index() == 1) {
            second = pthread_self();
            is_there = true;
        }
        while (!is_there) std::this_thread::yield();
    });
    return second;
}

TEST(Crew, AThreadKeptOffItsCoreHoldsUpNoLoop) {
    is_free = gave_up = false;
    const auto before = std::signal(SIGUSR1, keep_off);
    pthread_kill(second_thread(), SIGUSR1);
    while (!is_kept) std::this_thread::yield();
    for (int loop = 0; loop < 1000; ++loop) {
        int sum = 0;
        parallel_for(100, 2, [&](std::int64_t i) { sum += static_cast<int>(i); });
        ASSERT_EQ(sum, 4950);
    }
    EXPECT_FALSE(gave_up) << "a loop waited for a thread that had none of its items";
    is_free = true;
    while (is_kept) std::this_thread::yield();
    std::signal(SIGUSR1, before);
    EXPECT_FALSE(pthread_equal(second_thread(), pthread_self())) << "it works again";
}

TEST(Crew, ALateThreadBeginsNoLoopThatIsNotForIt) {
    // Loops of two and of five threads follow each other: threads that come late from a loop of
    // five must not take part in one of two, which has memory for two.
    std::atomic<bool> is_outside{false};
    for (int loop = 0; loop < 3000; ++loop) {
        const int threads = loop % 2 == 0 ? 5 : 2;
        parallel_for(6, threads, [&](std::int64_t) {
            if (thread_index() >= threads) is_outside = true;
        });
    }
    EXPECT_FALSE(is_outside);
}

TEST(Crew, InACrowdALoopThatLastsCallsTheOthers) {
    std::atomic<bool> last_is_taken{false};
    detail::note_delay();
    parallel_for(3, 2, [&](std::int64_t i) {
        const auto begun = steady_clock::now();
        if (i == 0) {
            while (steady_clock::now() - begun < std::chrono::milliseconds(2)) {
            }
        } else if (i == 1) {
            while (!last_is_taken) std::this_thread::yield();
        } else {
            last_is_taken = true;
        }
    });
    EXPECT_TRUE(last_is_taken);
}

TEST(Crew, InACrowdShortLoopsAreDoneToo) {
    for (int loop = 0; loop < 2000; ++loop) {
        if (loop % 100 == 0) detail::note_delay();
        std::atomic<int> sum{0};
        parallel_for(4, 3, [&](std::int64_t i) { sum += static_cast<int>(i); });
        ASSERT_EQ(sum, 6);
    }
}

}  // namespace
}  // namespace fermat
