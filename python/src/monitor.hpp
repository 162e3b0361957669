#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <type_traits>

#include "core/error.hpp"
#include "core/execution.hpp"

namespace fermat::python {

/// Connects a long computation with Python: it calls `progress(done, total, task)` and reacts to
/// Ctrl-C. The GIL is free while the work runs; it is taken only for that call and for the check of
/// signals, both a few times per second.
///
///     PythonMonitor bridge(progress, threads, device);  // progress: a callable or None
///     auto field = bridge.run([&](const Execution& execution) { return solve(..., execution); });
///
/// An exception that the callable or a signal handler raises stops the work and is raised again
/// by run().
class PythonMonitor {
  public:
    explicit PythonMonitor(nanobind::object progress, int threads = 0,
                           const std::string& device = "auto");
    PythonMonitor(const PythonMonitor&) = delete;
    PythonMonitor& operator=(const PythonMonitor&) = delete;

    template <class Work>
    auto run(Work&& work) {
        using Result = std::invoke_result_t<Work, const Execution&>;
        try {
            // If the work ends before it sees the stop request, the error must still be raised.
            if constexpr (std::is_void_v<Result>) {
                without_gil(work);
                raise_pending();
            } else {
                Result result = without_gil(work);
                raise_pending();
                return result;
            }
        } catch (const Cancelled&) {
            raise_pending();
            throw;
        }
    }

  private:
    using Clock = std::chrono::steady_clock;

    template <class Work>
    auto without_gil(Work& work) {
        const nanobind::gil_scoped_release release;
        return work(Execution{threads_, device_, monitor_});
    }
    void report(const ProgressEvent& event);
    bool stop_requested();
    void keep_error();
    void raise_pending();

    nanobind::object progress_;
    int threads_;
    Device device_;
    std::thread::id caller_;
    std::atomic<bool> stop_{false};
    std::exception_ptr pending_;
    Clock::time_point next_report_;
    Clock::time_point next_look_;
    Monitor monitor_;
};

}  // namespace fermat::python
