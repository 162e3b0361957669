// Threads that share the sections of a ray do each of them once, whatever the phase before it was.
#include "rays/bending/section_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace fermat::detail {
namespace {

TEST(SectionTeam, EveryLaneOfEveryPhaseIsDoneOnce) {
    constexpr std::array counts = {3, 64, 8, 9, 200, 16, 31, 1, 33, 65};
    for (const int threads : {1, 2, 4}) {
        std::vector<int> done(256);
        int wrong = 0;
        SectionTeam team(threads);
        team.run([&] {
            for (int round = 0; round < 20000; ++round) {
                const int count = counts[static_cast<std::size_t>(round) % counts.size()];
                auto phase = [&](int lane) { ++done[static_cast<std::size_t>(lane)]; };
                team.for_each(count, phase);
                for (int lane = 0; lane < 256; ++lane) {
                    int& times = done[static_cast<std::size_t>(lane)];
                    wrong += times != (lane < count ? 1 : 0);
                    times = 0;
                }
            }
        });
        EXPECT_EQ(wrong, 0) << threads << " threads";
    }
}

TEST(SectionTeam, AnErrorInALaneEndsTheWork) {
    SectionTeam team(2);
    auto phase = [](int lane) {
        if (lane == 20) throw std::runtime_error("lane 20");
    };
    EXPECT_THROW(team.run([&] { team.for_each(40, phase); }), std::runtime_error);
}

}  // namespace
}  // namespace fermat::detail
