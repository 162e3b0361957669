#include "core/crew.hpp"

#include <pthread.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fermat {
namespace {

/// How often a thread polls a value before it sleeps: some milliseconds, because loops follow one
/// another closely.
constexpr int patient_looks = 60000;

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

/// Waits until the value differs from `old` and returns it.
template <class T>
T changed(const std::atomic<T>& value, T old, int looks) {
    for (int n = 0; n < looks; ++n) {
        const T now = value.load(std::memory_order_acquire);
        if (now != old) return now;
        relax();
    }
    value.wait(old, std::memory_order_acquire);
    return value.load(std::memory_order_acquire);
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
        left_.store(threads - 1, std::memory_order_relaxed);
        call(others);
        at_work = true;
        task.work(task.context);
        at_work = false;
        if (!is_ours()) {
            throw ComputeError(
                "the process was forked inside a computation on several threads (a child has none "
                "of them: start it with spawn, or fork it outside)");
        }
        for (int left = left_; left > 0;) left = changed(left_, left, looks());
    }

  private:
    /// A call to all members in one word that they poll: the number of the call, how many members
    /// it is for, and whether the others are to leave. Members that it is not for may sleep on.
    static constexpr std::uint64_t one_call = 1U << 16;
    static constexpr std::uint64_t leave = std::uint64_t{1} << 63;
    static std::size_t wanted(std::uint64_t call) { return call % one_call; }

    void call(std::size_t members, std::uint64_t flag = 0) {
        number_ += one_call;
        called_.store((number_ | members) | flag, std::memory_order_release);
        called_.notify_all();
    }

    void hire(std::size_t count) {
        const std::size_t before = members_.size();
        const int total = static_cast<int>(count) + 1;
        try {
            while (members_.size() < count) {
                const int index = static_cast<int>(members_.size()) + 1;
                const std::uint64_t heard = called_.load(std::memory_order_relaxed);
                members_.push_back(
                    start_thread(index + 1, total, [this, index, heard] { serve(index, heard); }));
                ++hired;
            }
        } catch (...) {
            dismiss(before);
            throw;
        }
        cores_ = available_cores();
    }

    /// Polling threads must not keep waiting threads from a core.
    int looks() const { return hired < cores_ ? patient_looks : 0; }

    /// Ends all threads but the first `members`.
    void dismiss(std::size_t members) {
        if (members_.size() == members) return;
        call(members, leave);
        for (std::size_t n = members; n < members_.size(); ++n) {
            members_[n].join();
            --hired;
        }
        members_.resize(members);
    }

    void serve(int index, std::uint64_t heard) {
        place = index;
        at_work = true;
        for (;;) {
            heard = changed(called_, heard, looks());
            const bool is_wanted = static_cast<std::size_t>(index) <= wanted(heard);
            if ((heard & leave) != 0) {
                if (!is_wanted) return;
            } else if (is_wanted) {
                task_.work(task_.context);
                if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
            }
        }
    }

    unsigned born_;
    detail::CrewTask task_;
    std::atomic<int> cores_{1};
    std::uint64_t number_ = 0;
    alignas(64) std::atomic<std::uint64_t> called_{0};
    alignas(64) std::atomic<int> left_{0};
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

int available_cores() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

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
