#pragma once

#include <cstdint>
#include <functional>

#include "core/monitor.hpp"
#include "core/ranks.hpp"

namespace fermat {

/// Deals the jobs 0 .. count - 1 out to the threads of all ranks, each to whoever is free, and
/// hands their results to `consume` on rank 0 in the order of the jobs, one at a time and on the
/// calling thread. So a sum made in `consume` has the same bits for any number of threads and
/// ranks. Only a few results beyond the next one are ever kept.
///
/// `work` runs on `threads` threads of every rank at once. The first error of any rank ends the
/// deal and is thrown on all of them; so is a stop that the monitor asks for, which is looked at
/// on the calling thread. All ranks must call it with the same count.
void deal_in_order(Ranks& ranks, std::int64_t count, int threads,
                   const std::function<Bytes(std::int64_t)>& work,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor = silent_monitor());

}  // namespace fermat
