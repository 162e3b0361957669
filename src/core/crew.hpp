#pragma once

#include <string>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace fermat {

/// The most threads that a call may ask for: more than machines have, and few enough that what each
/// of them keeps fits in memory.
inline constexpr int most_threads = 4096;

/// Cores that this process may run on.
int available_cores();

/// Index of the calling thread among those that run_on_threads has called, from 0.
int thread_index();

namespace detail {

/// "cannot start thread 5 of 8 (Resource temporarily unavailable; ...)".
ComputeError thread_refused(int number, int of, const std::string& reason);

/// What each thread of a crew does: work(context), which must not throw.
struct CrewTask {
    void (*work)(const void*) = nullptr;
    const void* context = nullptr;
};
void run_crew(int threads, CrewTask task);

/// While alive, the calling thread's index is 0, as in a loop of one thread.
class AloneScope {
  public:
    AloneScope();
    ~AloneScope();
    AloneScope(const AloneScope&) = delete;
    AloneScope& operator=(const AloneScope&) = delete;

  private:
    int index_;
};

}  // namespace detail

/// Thread `number` of `of`, which begins with `work`. Throws ComputeError where the machine refuses
/// it.
template <class Work>
std::thread start_thread(int number, int of, Work&& work) {
    try {
        return std::thread(std::forward<Work>(work));
    } catch (const std::system_error& error) {
        throw detail::thread_refused(number, of, error.code().message());
    }
}

/// Calls work() once on each of `threads` threads, the calling one among them, and returns when all
/// have ended. `work` must not throw. Inside of a call, another one runs on its own thread alone.
///
/// Every calling thread has a crew of its own, which is hired when it is first needed, waits
/// between calls and leaves with its caller. After a fork, the child hires anew: it has none of its
/// parent's threads (OpenMP's pools wait for them for ever, and end the process where a thread is
/// refused).
template <class Work>
void run_on_threads(int threads, const Work& work) {
    detail::run_crew(threads, {[](const void* it) { (*static_cast<const Work*>(it))(); }, &work});
}

}  // namespace fermat
