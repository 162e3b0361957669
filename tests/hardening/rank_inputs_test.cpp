// Ranks compare their inputs before they compute. If the inputs of one rank differ, all ranks end
// with one sentence that names it.
#include <gtest/gtest.h>

#include "core/deal.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "thread_ranks.hpp"
#include "tomography/hole/backprojection.hpp"
#include "tomography/inversion_surveys.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::on_ranks;

InversionOptions quick() {
    InversionOptions options;
    options.schedule = {{1, {6, 1, 6}, {5, 1, 5}, 1, 1}};
    return options;
}

/// Rank 1 of three gets another input than the other ranks.
void expect_refused(const Model& start, const Survey& picks, const InversionOptions& options,
                    const std::string& what) {
    const test::KnownTruth survey = test::survey_2d();
    const auto errors = on_ranks(3, [&](Ranks& ranks) {
        const bool odd = ranks.rank() == 1;
        invert(odd ? start : survey.start, odd ? picks : survey.picks, odd ? options : quick(),
               {.threads = 1, .ranks = ranks});
    });
    for (const auto& error : errors) {
        ASSERT_TRUE(error) << what;
        expect_error<InputError>([&] { std::rethrow_exception(error); }, "rank 1", what, "rank 0");
    }
}

TEST(RankInputs, ShiftedReceiversAreOtherPicks) {
    test::KnownTruth odd = test::survey_2d();
    odd.picks.stations[3].position.x -= 0.125;
    expect_refused(odd.start, odd.picks, quick(), "other picks");
}

TEST(RankInputs, FewerPicksAreOtherPicks) {
    test::KnownTruth odd = test::survey_2d();
    odd.picks.arrivals.resize(odd.picks.arrivals.size() / 2);
    expect_refused(odd.start, odd.picks, quick(), "other picks");
}

TEST(RankInputs, AnotherShapeIsAnotherStartModel) {
    const test::KnownTruth odd = test::survey_2d();
    const Model wide = gradient_model({{65, 1, 25}, {0, 0, 0}, {0.25, 1, 0.25}}, 2, 0.1);
    expect_refused(wide, odd.picks, quick(), "another start model");
}

TEST(RankInputs, OtherOptionsAreRefusedAndOtherThreadsAreNot) {
    const test::KnownTruth survey = test::survey_2d();
    InversionOptions odd = quick();
    odd.update.step = 0.5;
    expect_refused(survey.start, survey.picks, odd, "other options");
    const auto errors = on_ranks(2, [&](Ranks& ranks) {
        invert(survey.start, survey.picks, quick(), {.threads = 1 + ranks.rank(), .ranks = ranks});
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(RankInputs, WhatIsWrongOnOneRankEndsAll) {
    const test::KnownTruth survey = test::survey_2d();
    const auto errors = on_ranks(2, [&](Ranks& ranks) {
        InversionOptions options = quick();
        if (!ranks.is_root()) options.target_rms = -1;
        invert(survey.start, survey.picks, options, {.threads = 1, .ranks = ranks});
    });
    for (const auto& error : errors) {
        ASSERT_TRUE(error);
        expect_error<InputError>([&] { std::rethrow_exception(error); }, "target rms is -1");
    }
}

TEST(RankInputs, OnePassAloneComparesToo) {
    const test::KnownTruth survey = test::survey_2d();
    test::KnownTruth odd = test::survey_2d();
    odd.picks.events[0].position.x += 0.25;
    BackprojectionOptions options;
    options.picks.weights.assign(survey.picks.arrivals.size(), 1);
    options.picks.scale.assign(survey.picks.arrivals.size(), 1);
    const auto errors = on_ranks(2, [&](Ranks& ranks) {
        backproject(survey.start, ranks.is_root() ? survey.picks : odd.picks, options,
                    {.threads = 1, .ranks = ranks});
    });
    for (const auto& error : errors) {
        ASSERT_TRUE(error);
        expect_error<InputError>([&] { std::rethrow_exception(error); }, "rank 1 has other picks");
    }
}

/// A rank that breaks off where it has to broadcast: with MPI, ranks of different patience do not
/// meet there.
class RanksWithoutBroadcast : public test::ThreadRanks {
  public:
    using ThreadRanks::ThreadRanks;
    void broadcast(std::span<std::byte>) override { throw ComputeError("broadcast"); }
};

TEST(RankInputs, ComparingBroadcastsNothingAndNamesWhatOnlyOneRankHas) {
    test::ThreadRanks::Shared shared(3);
    std::vector<std::string> told(3);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank) {
        threads.emplace_back([&, rank] {
            RanksWithoutBroadcast ranks(rank, 3, shared);
            require_same(ranks, {{"another --order", "1"}});
            std::vector<RankInput> inputs{{"another --order", "1"}};
            if (rank == 2) inputs.push_back({"another --ensemble", "5"});
            try {
                require_same(ranks, inputs);
            } catch (const std::exception& error) {
                told[static_cast<std::size_t>(rank)] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& line : told) {
        EXPECT_EQ(line,
                  "rank 2 has another --ensemble than rank 0 (5, not none; all ranks must be given "
                  "the same files and flags)");
    }
}

TEST(RankInputs, ADealOfAnotherLengthIsRefused) {
    const auto errors = on_ranks(2, [&](Ranks& ranks) {
        deal_in_order(
            ranks, 5 + ranks.rank(), 1, [](std::int64_t) { return Bytes(); },
            [](std::int64_t, const Bytes&) { FAIL() << "nothing may be computed"; });
    });
    for (const auto& error : errors) {
        ASSERT_TRUE(error);
        expect_error<InputError>([&] { std::rethrow_exception(error); },
                                 "rank 1 has another number of jobs than rank 0 (6, not 5");
    }
}

}  // namespace
}  // namespace fermat
