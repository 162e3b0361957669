#include "interpreter_exit.hpp"

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>

namespace fermat::python {
namespace {

namespace nb = nanobind;

/// Work looks for a request to stop many times per second; what takes longer is left alone.
constexpr auto longest_wait = std::chrono::seconds(5);

std::atomic<int> running{0};  ///< in all threads of this process
thread_local int own = 0;     ///< in this one
std::atomic<bool> ending{false};
std::thread::id ending_thread;  ///< valid once `ending` is set
std::terminate_handler former_handler = nullptr;

/// A forked child has none of the other threads.
void after_fork() { running = own; }

/// Python unwinds the stack of a thread that it ends, which C++ does not survive: the thread stays
/// here instead until the process has ended.
[[noreturn]] void stay() {
    if (std::this_thread::get_id() != ending_thread) {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    former_handler();
    std::abort();
}

}  // namespace

RunningWork::RunningWork() {
    static const int watched = pthread_atfork(nullptr, nullptr, after_fork);
    static_cast<void>(watched);
    if (is_left_behind(std::this_thread::get_id())) raise_exit();
    ++own;
    ++running;
}

RunningWork::~RunningWork() {
    --own;
    --running;
}

bool is_left_behind(std::thread::id caller) {
    return ending.load(std::memory_order_acquire) && caller != ending_thread;
}

int running_elsewhere() { return running - own; }

void raise_exit() {
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
}

void stop_daemons() {
    ending_thread = std::this_thread::get_id();
    ending.store(true, std::memory_order_release);
    const nb::gil_scoped_release release;
    const auto deadline = std::chrono::steady_clock::now() + longest_wait;
    while (running_elsewhere() > 0 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    former_handler = std::set_terminate(stay);
}

}  // namespace fermat::python
