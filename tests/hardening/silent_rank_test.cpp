// If a rank sends nothing for longer than the patience allows, the run ends with one sentence. A
// rank that works on a long job is not silent.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/deal.hpp"
#include "expect_error.hpp"
#include "thread_ranks.hpp"

namespace fermat {
namespace {

using namespace std::chrono_literals;

/// Blocks like a stopped process once `stopped` is true, until it is released.
class StoppableRanks : public test::ThreadRanks {
  public:
    StoppableRanks(int rank, int size, Shared& shared, std::atomic<bool>& stopped)
        : ThreadRanks(rank, size, shared), stopped_(stopped) {}

    std::optional<Message> poll(int from) override {
        while (stopped_) std::this_thread::sleep_for(1ms);
        return ThreadRanks::poll(from);
    }

  private:
    std::atomic<bool>& stopped_;
};

void deal(Ranks& ranks, const std::function<void(std::int64_t)>& work) {
    deal_in_order(
        ranks, 4, 1,
        [&](std::int64_t job) {
            work(job);
            return Bytes();
        },
        [](std::int64_t, const Bytes&) {});
}

TEST(SilentRank, ARankThatStopsInADealIsGivenUp) {
    test::ThreadRanks::Shared shared(2);
    std::atomic<bool> stopped{false};
    std::atomic<bool> was_stopped{false};
    std::thread other([&] {
        StoppableRanks ranks(1, 2, shared, stopped);
        ranks.set_patience(0.5);
        const auto stop_once = [&](std::int64_t) {
            if (!was_stopped.exchange(true)) stopped = true;
        };
        // When it continues, the other rank has ended.
        test::expect_error<SilentRank>([&] { deal(ranks, stop_once); },
                                       "rank 0 has not been heard of");
    });
    test::ThreadRanks ranks(0, 2, shared);
    ranks.set_patience(0.5);
    test::expect_error<SilentRank>(
        [&] {
            deal(ranks, [&](std::int64_t) {
                while (!was_stopped) std::this_thread::sleep_for(1ms);
            });
        },
        "rank 1 has not been heard of for 0.5 s", "`rank_timeout`");
    EXPECT_FALSE(ranks.ended_together());
    stopped = false;
    other.join();
}

TEST(SilentRank, ARankThatNeverComesIsGivenUp) {
    test::ThreadRanks::Shared shared(3);
    test::ThreadRanks ranks(0, 3, shared);
    ranks.set_patience(0.1);
    test::ThreadRanks(2, 3, shared).send(0, pack_error(nullptr));
    test::expect_error<ComputeError>([&] { together(ranks, [] {}); }, "rank 1 has not");
}

TEST(SilentRank, ALongJobIsNoSilence) {
    const auto errors = test::on_ranks(2, [&](Ranks& ranks) {
        ranks.set_patience(1.5);
        deal(ranks, [](std::int64_t job) {
            if (job == 1) std::this_thread::sleep_for(3s);
        });
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

}  // namespace
}  // namespace fermat
