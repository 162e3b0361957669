#pragma once

#include <string>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace fermat {

/// Upper limit on the threads of a call: more than machines have, and few enough that the memory of
/// each fits.
inline constexpr int most_threads = 4096;

/// Number of cores that this process may use.
int available_cores();

/// Index, from 0, of the calling thread among those of run_on_threads.
int thread_index();

/// Whether the calling thread works for run_on_threads, so that a call of it would be nested.
bool inside_parallel();

namespace detail {

/// The error "cannot start thread 5 of 8 (Resource temporarily unavailable; ...)".
ComputeError thread_refused(int number, int of, const std::string& reason);

/// The work of each thread of a crew. work(context) must not throw.
struct CrewTask {
    void (*work)(const void*) = nullptr;
    const void* context = nullptr;
};
void run_crew(int threads, CrewTask task);

/// While alive, thread_index() is 0 in the calling thread, as in a loop of one thread.
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

/// Starts thread `number` of `of` with `work`. Throws ComputeError where the system refuses it.
template <class Work>
std::thread start_thread(int number, int of, Work&& work) {
    try {
        return std::thread(std::forward<Work>(work));
    } catch (const std::system_error& error) {
        throw detail::thread_refused(number, of, error.code().message());
    }
}

/// Calls work() on the calling thread and on up to `threads` - 1 others, and returns when all that
/// began have ended. Once it ended on the calling thread, no other begins: it must leave nothing to
/// do. So a thread that is kept off its core holds up nobody. `work` must not throw. A nested
/// call runs on its own thread only. Each calling thread has its own crew, which starts when first
/// needed, waits between calls and ends with its caller. After a fork, the child starts a new crew,
/// because it has none of its parent's threads. (OpenMP's pools would wait for those forever, and
/// end the process if a thread is refused.)
template <class Work>
void run_on_threads(int threads, const Work& work) {
    detail::run_crew(threads, {[](const void* it) { (*static_cast<const Work*>(it))(); }, &work});
}

}  // namespace fermat
