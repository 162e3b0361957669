#pragma once

#include <atomic>
#include <cstdint>

#include "core/crew.hpp"
#include "core/parallel.hpp"

namespace fermat::detail {

// Task parallelism of paper 3: the sections of one ray on several threads. All threads of a team
// run the whole algorithm, as the threads of a CUDA block do, and divide the lanes of each phase
// among them. A phase then costs one barrier, not the start of a parallel loop.

/// Threads that meet after each phase. A team lasts for a whole batch of rays.
class SectionTeam {
  public:
    explicit SectionTeam(int threads)
        : threads_(threads), looks_(threads <= available_cores() ? patient_looks : 0) {}

    int threads() const { return threads_; }

    /// Waits until all threads have come here. Throws Abandoned if one of them never will.
    void meet() {
        const std::uint32_t round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
            round_.notify_all();
            return;
        }
        for (int n = 0; n < looks_ && round_.load(std::memory_order_acquire) == round; ++n) {
            pause();
        }
        while (round_.load(std::memory_order_acquire) == round) {
            if (abandoned_.load(std::memory_order_acquire)) throw Abandoned{};
            round_.wait(round, std::memory_order_acquire);
        }
        if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned{};
    }

    /// Calls work(index) on every thread of the team. The first error of one of them ends the work
    /// of all and is thrown here.
    template <class Work>
    void run(Work&& work) {
        ErrorTrap trap;
        run_on_threads(threads_, [&] {
            trap.run([&] {
                try {
                    work(thread_index());
                } catch (const Abandoned&) {
                } catch (...) {
                    abandon();
                    throw;
                }
            });
        });
        trap.rethrow();
    }

  private:
    /// Ends the wait of a thread whose team has fallen apart.
    struct Abandoned {};

    /// A phase takes microseconds, so a thread polls for some of them before it sleeps.
    static constexpr int patient_looks = 4000;

    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    void abandon() {
        abandoned_.store(true, std::memory_order_release);
        round_.fetch_add(1, std::memory_order_acq_rel);
        round_.notify_all();
    }

    const int threads_;
    const int looks_;
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<std::uint32_t> round_{0};
    std::atomic<bool> abandoned_{false};
};

/// A block whose lanes are divided among the threads of a team, in contiguous shares.
class TeamBlock {
  public:
    TeamBlock(SectionTeam& team, int index) : team_(&team), index_(index) {}

    template <class Phase>
    void for_each(int count, Phase phase) const {
        const int end = share(count, index_ + 1);
        for (int lane = share(count, index_); lane < end; ++lane) phase(lane);
        team_->meet();
    }
    /// True in the thread that has the first lane.
    bool leads() const { return index_ == 0; }

  private:
    int share(int count, int index) const {
        const int threads = team_->threads();
        return static_cast<int>((std::int64_t{count} * index + threads - 1) / threads);
    }

    SectionTeam* team_;
    int index_;
};

}  // namespace fermat::detail
