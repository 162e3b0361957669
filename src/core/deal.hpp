#pragma once

#include <cstdint>
#include <functional>

#include "core/monitor.hpp"
#include "core/ranks.hpp"

namespace fermat {

/// Deals the jobs 0 .. count - 1 to the threads of all ranks, each to a free thread, and passes
/// their results to `consume` on rank 0 in the order of the jobs, one at a time on the calling
/// thread. A sum made in `consume` therefore has the same bits for any number of threads and ranks.
/// Only a few results wait for earlier ones at any time.
///
/// `work` runs on `threads` threads of every rank at once. The first error of any rank ends the
/// deal and is thrown on all ranks. So is a stop that the monitor requests, which the calling
/// thread checks. All ranks must call it with the same count.
void deal_in_order(Ranks& ranks, std::int64_t count, int threads,
                   const std::function<Bytes(std::int64_t)>& work,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor = silent_monitor());

}  // namespace fermat
