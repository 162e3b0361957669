#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/crew.hpp"
#include "core/parallel.hpp"

namespace fermat::detail {

// Task parallelism of paper 3: the sections of one ray on several threads.

/// One thread that leads and others that help it with the lanes of its phases. A team lasts for a
/// whole batch of rays. A phase ends when its lanes are done, whoever did them: the leader never
/// waits for a helper that has taken none, so that a busy machine costs little.
///
/// To share a phase costs about a microsecond, as long as two or three lanes take that bend a
/// point. A thread therefore takes `grain` lanes at a time, and phases of fewer than two grains
/// stay with the leader. A ray of 64 segments then has work for two threads from its fifth doubling
/// on, and for four in its last.
class SectionTeam {
  public:
    explicit SectionTeam(int threads)
        : threads_(threads), looks_(threads <= available_cores() ? patient_looks : 0) {}

    /// Calls work() on the leading thread, with the others at hand. The first error of one of them
    /// ends the work and is thrown here.
    template <class Work>
    void run(Work&& work) {
        run_on_threads(threads_, [&] {
            if (thread_index() > 0) {
                help();
                return;
            }
            trap_.run(work);
            ticket_.store(finished, std::memory_order_release);
            ticket_.notify_all();
        });
        trap_.rethrow();
    }

    /// Calls phase(lane) for all lanes; by the leader alone.
    template <class Phase>
    void for_each(int count, Phase& phase) {
        if (count < 2 * grain || count >= most_lanes) {
            for (int lane = 0; lane < count; ++lane) phase(lane);
            return;
        }
        phase_.store(&phase, std::memory_order_relaxed);
        call_.store([](void* it, int lane) { (*static_cast<Phase*>(it))(lane); },
                    std::memory_order_relaxed);
        done_.store(0, std::memory_order_relaxed);
        ticket_.store(one_phase * ++phases_ + one_count * static_cast<std::uint64_t>(count),
                      std::memory_order_release);
        ticket_.notify_all();
        take_lanes();
        for (int n = 0; done_.load(std::memory_order_acquire) < count; ++n) {
            if (n < looks_) {
                pause();
            } else {
                std::this_thread::yield();
            }
        }
        if (trap_.tripped()) throw Abandoned{};
    }

  private:
    /// Ends the leader's work; the error itself is in the trap.
    struct Abandoned {};

    /// A ticket is the number of a phase, its number of lanes and its next free one, in one word: a
    /// lane can be taken only while its phase is under way, and as long as one is free the leader
    /// does not set the next phase.
    static constexpr int most_lanes = 1 << 16;
    static constexpr std::uint64_t one_count = most_lanes;
    static constexpr std::uint64_t one_phase = one_count * most_lanes;
    static constexpr std::uint64_t finished = ~std::uint64_t{0};
    static constexpr int grain = 4;
    /// Phases follow each other within microseconds, so a helper polls for some of them before it
    /// sleeps.
    static constexpr int patient_looks = 4000;

    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    void take_lanes() {
        std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
        while (ticket != finished) {
            const int count = static_cast<int>(ticket % one_phase / one_count);
            const int first = static_cast<int>(ticket % one_count);
            if (first >= count) return;
            const int last = std::min(count, first + std::max(grain, count / (2 * threads_)));
            void* const phase = phase_.load(std::memory_order_relaxed);
            const auto call = call_.load(std::memory_order_relaxed);
            const auto taken = ticket + static_cast<std::uint64_t>(last - first);
            if (!ticket_.compare_exchange_weak(ticket, taken, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
                continue;
            }
            trap_.run([&] {
                for (int lane = first; lane < last; ++lane) call(phase, lane);
            });
            done_.fetch_add(last - first, std::memory_order_release);
            ticket = ticket_.load(std::memory_order_acquire);
        }
    }

    void help() {
        for (std::uint64_t seen = 0; seen != finished;) {
            for (int n = 0; n < looks_ && ticket_.load(std::memory_order_relaxed) == seen; ++n) {
                pause();
            }
            ticket_.wait(seen, std::memory_order_acquire);
            take_lanes();
            seen = ticket_.load(std::memory_order_acquire);
        }
    }

    const int threads_;
    const int looks_;
    ErrorTrap trap_;
    std::uint64_t phases_ = 0;
    std::atomic<void*> phase_{nullptr};
    std::atomic<void (*)(void*, int)> call_{nullptr};
    alignas(64) std::atomic<std::uint64_t> ticket_{0};
    alignas(64) std::atomic<int> done_{0};
};

/// A block whose lanes are shared with the team.
class TeamBlock {
  public:
    explicit TeamBlock(SectionTeam& team) : team_(&team) {}

    template <class Phase>
    void for_each(int count, Phase phase) const {
        team_->for_each(count, phase);
    }
    /// Phases that only copy take less time than to share them.
    template <class Phase>
    void for_each_light(int count, Phase phase) const {
        for (int lane = 0; lane < count; ++lane) phase(lane);
    }

  private:
    SectionTeam* team_;
};

}  // namespace fermat::detail
