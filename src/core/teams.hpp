#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace fermat {

/// Calls body(i, its threads) for i in [0, count) on `threads` threads. If there are at least as
/// many items as threads, each item has one thread. Otherwise the threads are divided evenly among
/// the items, for loops inside the body. Each item then runs on a thread of its own with its own
/// crew.
template <class Body>
void for_each_by_teams(std::int64_t count, int threads, Body&& body) {
    if (count >= threads) {
        parallel_for(count, threads, [&](std::int64_t i) { body(i, 1); });
        return;
    }
    ErrorTrap trap;
    const auto work = [&](std::int64_t i) {
        const auto share = static_cast<int>(threads * (i + 1) / count - threads * i / count);
        trap.run([&] { body(i, share); });
    };
    std::vector<std::thread> teams;
    for (std::int64_t i = 1; i < count && !trap.tripped(); ++i) {
        trap.run([&] {
            teams.push_back(start_thread(static_cast<int>(i) + 1, static_cast<int>(count),
                                         [&work, i] { work(i); }));
        });
    }
    // The calling thread takes the first item.
    if (count > 0) work(0);
    for (std::thread& team : teams) team.join();
    trap.rethrow();
}

}  // namespace fermat
