#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace fermat {

/// Calls body(i, its threads) for i in [0, count) on `threads` threads. With as many items as
/// threads or more, each item has one thread; with fewer, each has a team of its own, as even as
/// can be, for loops of its own inside. Teams are threads of the system, since OpenMP nests loops
/// only after a change to the state of the whole process.
template <class Body>
void for_each_by_teams(std::int64_t count, int threads, Body&& body) {
    if (count >= threads) {
        parallel_for(count, threads, [&](std::int64_t i) { body(i, 1); });
        return;
    }
    ErrorTrap trap;
    {
        std::vector<std::jthread> teams;
        for (std::int64_t i = count - 1; i >= 0; --i) {
            const auto share = static_cast<int>(threads * (i + 1) / count - threads * i / count);
            const auto work = [&trap, &body, i, share] { trap.run([&] { body(i, share); }); };
            // The first item is the calling thread's.
            if (i > 0) {
                teams.emplace_back(work);
            } else {
                work();
            }
        }
    }
    trap.rethrow();
}

}  // namespace fermat
