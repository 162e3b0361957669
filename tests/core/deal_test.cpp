// Results of jobs on threads and ranks arrive in order and once each, and one error ends all jobs.
#include "core/deal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect_error.hpp"
#include "thread_ranks.hpp"

namespace fermat {
namespace {

Bytes number(std::int64_t value) {
    ByteWriter out;
    out.add(value);
    return out.take();
}

TEST(Deal, ResultsComeInOrderForAnyThreadsAndRanks) {
    for (const int size : {1, 2, 4}) {
        for (const int threads : {1, 3}) {
            std::vector<std::int64_t> got;
            const auto errors = test::on_ranks(size, [&](Ranks& ranks) {
                deal_in_order(
                    ranks, 57, threads,
                    [](std::int64_t job) {
                        // Later jobs finish earlier.
                        std::this_thread::sleep_for(
                            std::chrono::microseconds(300 * (job % 5 == 0)));
                        return number(job * job);
                    },
                    [&](std::int64_t job, const Bytes& bytes) {
                        EXPECT_EQ(ranks.rank(), 0);
                        EXPECT_EQ(job, static_cast<std::int64_t>(got.size()));
                        got.push_back(ByteReader(bytes).take<std::int64_t>());
                    });
            });
            for (const auto& error : errors) EXPECT_FALSE(error);
            ASSERT_EQ(got.size(), 57U) << size << " ranks, " << threads << " threads";
            for (std::int64_t n = 0; n < 57; ++n) {
                EXPECT_EQ(got[static_cast<std::size_t>(n)], n * n);
            }
        }
    }
}

TEST(Deal, NothingToDoEndsAtOnce) {
    const auto errors = test::on_ranks(3, [](Ranks& ranks) {
        deal_in_order(
            ranks, 0, 2, [](std::int64_t) { return Bytes(); },
            [](std::int64_t, const Bytes&) { FAIL(); });
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(Deal, SlowFirstJobKeepsOnlyAFewResultsWaiting) {
    std::atomic<int> made{0};
    std::atomic<int> most{0};
    deal_in_order(
        serial_ranks(), 500, 2,
        [&](std::int64_t job) {
            if (job == 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                most = made.load();
            }
            ++made;
            return number(job);
        },
        [](std::int64_t, const Bytes&) {});
    EXPECT_EQ(made, 500);
    EXPECT_LT(most, 50);
}

TEST(Deal, AnErrorOfAnyRankIsThrownOnAllOfThemAndTheNextDealWorks) {
    for (const std::int64_t bad : {0, 7, 30}) {
        int summed = 0;
        const auto errors = test::on_ranks(3, [&](Ranks& ranks) {
            test::expect_error<InputError>(
                [&] {
                    deal_in_order(
                        ranks, 31, 2,
                        [&](std::int64_t job) -> Bytes {
                            if (job == bad) throw InputError("job " + std::to_string(job));
                            return number(job);
                        },
                        [](std::int64_t, const Bytes&) {});
                },
                "job " + std::to_string(bad));
            deal_in_order(
                ranks, 4, 1, [](std::int64_t job) { return number(job); },
                [&](std::int64_t, const Bytes&) { ++summed; });
        });
        for (const auto& error : errors) EXPECT_FALSE(error);
        EXPECT_EQ(summed, 4);
    }
}

TEST(Deal, AnErrorWhereResultsAreTakenEndsAllRanks) {
    const auto errors = test::on_ranks(2, [&](Ranks& ranks) {
        deal_in_order(
            ranks, 20, 2, [](std::int64_t job) { return number(job); },
            [](std::int64_t job, const Bytes&) {
                if (job == 5) throw Cancelled();
            });
    });
    for (const auto& error : errors) {
        EXPECT_THROW(std::rethrow_exception(error), Cancelled);
    }
}

TEST(Gather, ARankThatIsAheadWaitsForTheOthersWithItsNextMessage) {
    const auto errors = test::on_ranks(3, [](Ranks& ranks) {
        if (ranks.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const std::vector<Bytes> first = gather(ranks, number(10 + ranks.rank()));
        const std::vector<Bytes> second = gather(ranks, number(20 + ranks.rank()));
        together(ranks, [] {});
        if (!ranks.is_root()) return;
        for (int rank = 0; rank < 3; ++rank) {
            EXPECT_EQ(first[static_cast<std::size_t>(rank)], number(10 + rank));
            EXPECT_EQ(second[static_cast<std::size_t>(rank)], number(20 + rank));
        }
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(Together, EveryRankEndsAsTheLowestRankThatFailed) {
    const auto errors = test::on_ranks(4, [&](Ranks& ranks) {
        together(ranks, [] {});
        together(ranks, [&] {
            if (ranks.rank() == 2) throw InputError("second");
            if (ranks.rank() == 3) throw std::runtime_error("third");
        });
    });
    for (const auto& error : errors) {
        test::expect_error<InputError>([&] { std::rethrow_exception(error); }, "second");
    }
}

TEST(Bytes, AShortMessageIsAnError) {
    const Bytes bytes = number(3);
    ByteReader in(bytes);
    test::expect_error<ComputeError>([&] { in.take_vector<double>(); }, "too short");
}

}  // namespace
}  // namespace fermat
