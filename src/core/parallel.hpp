#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "core/monitor.hpp"

namespace fermat {

/// Threads to use: `requested`, or every core the process may run on when it is 0.
int resolve_threads(int requested);

/// Index of the calling thread inside a parallel_for, from 0.
int thread_index();

/// Keeps the first exception of a parallel region and tells the other threads to hurry home.
class ErrorTrap {
  public:
    template <class Work>
    void run(Work&& work) noexcept {
        if (tripped_.load(std::memory_order_relaxed)) return;
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            tripped_ = true;
        }
    }
    void rethrow() {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::atomic<bool> tripped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

/// Calls body(i) for i in [0, count), dealt out dynamically. Results stay independent of the thread
/// count when body(i) writes only what belongs to i. The first exception is rethrown here.
template <class Body>
void parallel_for(std::int64_t count, int threads, Body&& body) {
    ErrorTrap trap;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && count > 1)
    for (std::int64_t i = 0; i < count; ++i) {
        trap.run([&] { body(i); });
    }
    trap.rethrow();
}

/// The same in fixed, contiguous shares: for cheap bodies that stream through memory.
template <class Body>
void parallel_ranges(std::int64_t count, int threads, Body&& body) {
    const std::int64_t shares = count < threads ? 1 : threads;
    parallel_for(shares, threads, [&](std::int64_t share) {
        body(count * share / shares, count * (share + 1) / shares);
    });
}

}  // namespace fermat
