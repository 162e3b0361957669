#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "core/crew.hpp"

namespace fermat {

/// Number of threads to use: `requested`, or all cores that the process may use if it is 0. Throws
/// InputError below 0 and above most_threads.
int resolve_threads(int requested);

/// Keeps the first exception of a parallel region and tells the other threads to stop early.
class ErrorTrap {
  public:
    template <class Work>
    void run(Work&& work) noexcept {
        if (tripped()) return;
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            tripped_ = true;
        }
    }
    bool tripped() const { return tripped_.load(std::memory_order_relaxed); }
    void rethrow() {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::atomic<bool> tripped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

/// Calls body(i) for i in [0, count) with dynamic scheduling. Results do not depend on the number
/// of threads if body(i) writes only what belongs to i. The first exception is rethrown here.
/// Inside a body, thread_index() is below `threads`, and nested loops have one thread.
template <class Body>
void parallel_for(std::int64_t count, int threads, Body&& body) {
    if (threads <= 1 || count <= 1) {
        const detail::AloneScope alone;
        for (std::int64_t i = 0; i < count; ++i) body(i);
        return;
    }
    ErrorTrap trap;
    alignas(64) std::atomic<std::int64_t> next{0};
    const auto work = [&] {
        for (std::int64_t i = next++; i < count && !trap.tripped(); i = next++) {
            trap.run([&] { body(i); });
        }
    };
    run_on_threads(static_cast<int>(count < threads ? count : threads), work);
    trap.rethrow();
}

/// Calls body(i) for i in [0, count) in fixed, contiguous shares, for cheap bodies that stream
/// through memory.
template <class Body>
void parallel_ranges(std::int64_t count, int threads, Body&& body) {
    const std::int64_t shares = count < threads ? 1 : threads;
    parallel_for(shares, threads, [&](std::int64_t share) {
        body(count * share / shares, count * (share + 1) / shares);
    });
}

}  // namespace fermat
