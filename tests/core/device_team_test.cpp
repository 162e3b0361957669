// Batches dealt to devices: each once, turns in their order, none waits for one that failed.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/stream.hpp"

namespace fermat {
namespace {

TEST(DeviceTeam, BatchesAreHandedOutOnceAndHaveTheirTurnsInOrder) {
    BatchTurns turns(103);
    std::vector<std::size_t> order;
    const auto work = [&](std::size_t most) {
        while (const auto batch = turns.take(most)) {
            turns.in_turn(*batch, [&] {
                for (std::size_t n = 0; n < batch->count; ++n) order.push_back(batch->first + n);
            });
        }
    };
    std::vector<std::thread> threads;
    for (const std::size_t most : {4, 7, 1}) threads.emplace_back(work, most);
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(order.size(), 103U);
    for (std::size_t n = 0; n < order.size(); ++n) EXPECT_EQ(order[n], n);
}

TEST(DeviceTeam, NoneWaitsForABatchThatFailed) {
    BatchTurns turns(10);
    const auto first = turns.take(5);
    const auto second = turns.take(5);
    bool called = false;
    std::thread waiting([&] { turns.in_turn(*second, [&] { called = true; }); });
    turns.stop();
    waiting.join();
    EXPECT_FALSE(called);
    EXPECT_FALSE(turns.take(1).has_value());
    EXPECT_EQ(first->count, 5U);
}

TEST(DeviceTeam, ADeviceIsLentToOneJobAtATime) {
    DeviceLoans loans({3, 5});
    std::atomic<int> with_3 = 0;
    std::atomic<int> with_5 = 0;
    std::atomic<int> done = 0;
    const auto job = [&] {
        for (int n = 0; n < 200; ++n) {
            loans.with_one([&](int device) {
                std::atomic<int>& users = device == 3 ? with_3 : with_5;
                EXPECT_TRUE(device == 3 || device == 5);
                EXPECT_EQ(users++, 0);
                --users;
                ++done;
            });
        }
    };
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) threads.emplace_back(job);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(done, 800);
    EXPECT_THROW(loans.with_one([](int) { throw InputError("a job that fails"); }), InputError);
    int lent = 0;
    loans.with_one([&](int) { loans.with_one([&](int) { lent = 2; }); });
    EXPECT_EQ(lent, 2);  // the failed job gave its device back
}

TEST(DeviceTeam, OneDeviceComputesOnTheCallingThread) {
    const auto caller = std::this_thread::get_id();
    int calls = 0;
    on_each_device(0, [&](BatchTurns&) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(stream_in_use(), 0U);
        ++calls;
    });
    EXPECT_EQ(calls, 1);
    EXPECT_THROW(DevicesScope({}), InputError);
    EXPECT_THROW(DevicesScope({-1}), InputError);
    EXPECT_EQ(devices_in_use().size(), 1U);
    require_one_device("anything");
}

}  // namespace
}  // namespace fermat
