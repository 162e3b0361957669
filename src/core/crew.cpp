#include "core/crew.hpp"

#include <pthread.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/crowd.hpp"
#include "core/platform.hpp"

namespace fermat {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a thread polls a value before it sleeps. Loops follow one another closely, and a
/// sleeping thread comes late. On a crowded machine a thread that polls keeps others off their
/// core, even the one that it waits for.
constexpr std::chrono::microseconds patience{2000};
constexpr std::chrono::microseconds patience_in_a_crowd{30};

/// On a crowded machine, to wake a thread for a short loop costs more than the thread helps. So
/// threads wake by themselves every now and then, until no loop has come for `naps` times, and take
/// part in a loop that has lasted for a while.
constexpr std::chrono::microseconds nap{500};
constexpr std::chrono::microseconds short_loop{200};
constexpr int naps = 40;

std::atomic<unsigned> forks{0};  ///< since the first process with a crew
std::atomic<int> hired{0};       ///< threads of all crews of this process

thread_local int place = 0;
thread_local bool at_work = false;

void after_fork() {
    ++forks;
    hired = 0;
}

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Sleeps until woken, unless the value differs from `old`; may return early. The library's own
/// wait yields its core a few times first, which on a crowded machine costs as many turns of
/// others.
void sleep_on(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
#if defined(__linux__)
    static_assert(sizeof value == sizeof(std::uint32_t));
    syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
#else
    value.wait(old);
#endif
}

void wake_all(std::atomic<std::uint32_t>& value) {
#if defined(__linux__)
    constexpr int all = std::numeric_limits<int>::max();
    syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, all, nullptr, nullptr, 0);
#else
    value.notify_all();
#endif
}

/// Polls until the value differs from `old`, but for no longer than `most`, and returns it. Tells
/// when this thread was kept off its core meanwhile.
std::uint32_t polled(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                     Clock::duration most) {
    constexpr int looks = 64;  // a microsecond or two: reading the clock costs little beside them
    if (most == Clock::duration::zero()) return value.load(std::memory_order_acquire);
    const auto begun = Clock::now();
    auto before = begun;
    for (;;) {
        for (int n = 0; n < looks; ++n) {
            const std::uint32_t now = value.load(std::memory_order_acquire);
            if (now != old) return now;
            relax();
        }
        const auto after = Clock::now();
        if (after - before > detail::long_delay) detail::note_delay();
        if (after - begun > most) return value.load(std::memory_order_acquire);
        before = after;
    }
}

class Crew {
  public:
    Crew() : born_(forks) {}
    ~Crew() { dismiss(0); }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// False in a forked child, which does not have the threads of its parent.
    bool is_ours() const { return born_ == forks; }

    void run(int threads, detail::CrewTask task) {
        const auto others = static_cast<std::size_t>(threads - 1);
        if (members_.size() < others) hire(others);
        task_ = task;
        const Clock::time_point begun = Clock::now();
        begun_.store(begun, std::memory_order_relaxed);
        gate_.store(open | static_cast<std::uint32_t>(others) * one_place,
                    std::memory_order_release);
        call(static_cast<std::uint32_t>(others));
        at_work = true;
        task.work(task.context);
        at_work = false;
        if (!is_ours()) {
            throw ComputeError(
                "the process was forked inside a computation on several threads (a child has none "
                "of them: start it with spawn, or fork it outside)");
        }
        const std::uint32_t left =
            gate_.fetch_and(one_place - 1, std::memory_order_acq_rel) % one_place;
        if (left > 0) wait_for_those_inside(left, Clock::now() - begun);
    }

  private:
    /// A call to all members in one word that they poll: the number of the call, how many members
    /// it is for, and whether the others are to leave. Members that it is not for may sleep on. A
    /// member that misses a call does no harm: whoever is there does the work.
    static constexpr std::uint32_t one_call = 1U << 13;
    static constexpr std::uint32_t leave = 1U << 31;
    static_assert(most_threads < one_call);
    static std::uint32_t wanted(std::uint32_t call) { return call % one_call; }

    /// The gate of a call: whether members may still begin, whether the caller sleeps until those
    /// inside are done, how many members the call is for, and how many are inside.
    static constexpr std::uint32_t open = 1U << 31;
    static constexpr std::uint32_t caller_sleeps = 1U << 30;
    static constexpr std::uint32_t one_place = 1U << 13;

    void call(std::uint32_t members, std::uint32_t flag = 0) {
        number_ = (number_ + one_call) & ~leave;
        called_.store(number_ | members | flag);
        // Those that were woken and have not come yet look at the latest call when they do: waking
        // them again would only cost time.
        if (asleep_.load() == 0) return;
        asleep_.store(0);
        woken_at_.store(Clock::now(), std::memory_order_relaxed);
        wake_all(called_);
    }

    /// The caller's own work is done when nothing is left to begin. So it waits for members that
    /// are at work, and never for one that did not come: that one may be kept off its core.
    void wait_for_those_inside(std::uint32_t left, Clock::duration worked) {
        const auto begun = Clock::now();
        while (left > 0) {
            const std::uint32_t now = polled(gate_, left, looks_for());
            if (now == left) {
                left = gate_.fetch_or(caller_sleeps, std::memory_order_acq_rel) | caller_sleeps;
                if (left != caller_sleeps) sleep_on(gate_, left);
            }
            left = gate_.fetch_and(~caller_sleeps, std::memory_order_acq_rel) & ~caller_sleeps;
        }
        // What members do last takes them no longer than the whole took the caller, as a rule.
        if (Clock::now() - begun > std::max<Clock::duration>(detail::long_delay, 2 * worked)) {
            detail::note_delay();
        }
    }

    /// Whether a call is open to this member, which then counts as at work. It may be a later call
    /// than the one that the member heard.
    bool enter(std::uint32_t index) {
        std::uint32_t gate = gate_.load(std::memory_order_acquire);
        while ((gate & open) != 0 && index <= (gate & ~open) / one_place) {
            if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
                return true;
            }
        }
        return false;
    }

    void hire(std::size_t count) {
        const std::size_t before = members_.size();
        const int total = static_cast<int>(count) + 1;
        try {
            while (members_.size() < count) {
                const auto index = static_cast<std::uint32_t>(members_.size()) + 1;
                const std::uint32_t heard = called_.load(std::memory_order_relaxed);
                members_.push_back(start_thread(static_cast<int>(index) + 1, total,
                                                [this, index, heard] { serve(index, heard); }));
                ++hired;
            }
        } catch (...) {
            dismiss(before);
            throw;
        }
        cores_ = available_cores();
    }

    /// Threads without a core of their own do not poll.
    Clock::duration looks_for() const {
        if (hired >= cores_) return {};
        return detail::is_crowded() ? patience_in_a_crowd : patience;
    }

    /// Ends all threads but the first `members`.
    void dismiss(std::size_t members) {
        if (members_.size() == members) return;
        call(static_cast<std::uint32_t>(members), leave);
        for (std::size_t n = members; n < members_.size(); ++n) {
            members_[n].join();
            --hired;
        }
        members_.resize(members);
    }

    /// Waits for a call other than `heard`.
    std::uint32_t next_call(std::uint32_t heard) {
        const std::uint32_t now = polled(called_, heard, looks_for());
        if (now != heard) return now;
        std::uint32_t seen = heard;
        if (detail::is_crowded() && found_in_naps(heard, seen)) return seen;
        const Clock::time_point slept_at = Clock::now();
        ++asleep_;
        sleep_on(called_, seen);
        const Clock::time_point woken_at = woken_at_.load(std::memory_order_relaxed);
        const bool was_woken = woken_at > slept_at;
        if (was_woken && Clock::now() - woken_at > detail::long_delay) detail::note_delay();
        return called_.load(std::memory_order_acquire);
    }

    /// Whether a call came, while the member napped, that it is to take part in. `seen` is the last
    /// call that came.
    bool found_in_naps(std::uint32_t heard, std::uint32_t& seen) {
        for (int n = 0; n < naps; ++n) {
            const Clock::time_point begun = Clock::now();
            std::this_thread::sleep_for(nap);
            const Clock::time_point now = Clock::now();
            if (now - begun > nap + detail::long_delay) detail::note_delay();
            const std::uint32_t call = called_.load(std::memory_order_acquire);
            if (call == heard) continue;
            if (call != seen) n = 0;
            seen = call;
            if ((call & leave) != 0 || !detail::is_crowded()) return true;
            const bool is_open = (gate_.load(std::memory_order_relaxed) & open) != 0;
            if (is_open && now - begun_.load(std::memory_order_relaxed) > short_loop) return true;
        }
        return false;
    }

    void serve(std::uint32_t index, std::uint32_t heard) {
        place = static_cast<int>(index);
        at_work = true;
        for (;;) {
            heard = next_call(heard);
            if ((heard & leave) != 0) {
                if (index > wanted(heard)) return;
            } else if (enter(index)) {
                task_.work(task_.context);
                const std::uint32_t before = gate_.fetch_sub(1, std::memory_order_acq_rel);
                if (before == (caller_sleeps | 1)) wake_all(gate_);
            }
        }
    }

    unsigned born_;
    detail::CrewTask task_;
    std::atomic<int> cores_{1};
    std::uint32_t number_ = 0;
    alignas(64) std::atomic<std::uint32_t> called_{0};
    alignas(64) std::atomic<std::uint32_t> gate_{0};
    alignas(64) std::atomic<int> asleep_{0};  ///< members that a call must wake
    std::atomic<Clock::time_point> woken_at_{};
    std::atomic<Clock::time_point> begun_{};  ///< of the last call
    std::vector<std::thread> members_;
};

/// The crew of the calling thread. The crew of a parent process is left alone: its threads can
/// neither be called nor joined.
class OwnCrew {
  public:
    ~OwnCrew() { leave_parents_crew(); }
    Crew& get() {
        static const int watched = pthread_atfork(nullptr, nullptr, after_fork);
        static_cast<void>(watched);
        leave_parents_crew();
        if (!crew_) crew_ = std::make_unique<Crew>();
        return *crew_;
    }

  private:
    void leave_parents_crew() {
        if (crew_ && !crew_->is_ours()) static_cast<void>(crew_.release());
    }

    std::unique_ptr<Crew> crew_;
};

thread_local OwnCrew own_crew;

}  // namespace

int available_cores() { return usable_processors(); }

int thread_index() { return place; }

bool inside_parallel() { return at_work; }

namespace detail {

ComputeError thread_refused(int number, int of, const std::string& reason) {
    return ComputeError("cannot start thread " + std::to_string(number) + " of " +
                        std::to_string(of) + " (" + reason +
                        "; use fewer threads, or raise the limits of ulimit -u and ulimit -v)");
}

void run_crew(int threads, CrewTask task) {
    if (threads > 1 && !at_work) {
        own_crew.get().run(threads, task);
    } else {
        const AloneScope alone;
        task.work(task.context);
    }
}

AloneScope::AloneScope() : index_(place) { place = 0; }
AloneScope::~AloneScope() { place = index_; }

}  // namespace detail
}  // namespace fermat
