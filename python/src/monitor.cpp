#include "monitor.hpp"

#include <memory>
#include <string>
#include <utility>

#include "interpreter_exit.hpp"

namespace fermat::python {

namespace nb = nanobind;

namespace {
constexpr auto report_period = std::chrono::milliseconds(50);
constexpr auto look_period = std::chrono::milliseconds(20);
}  // namespace

PythonMonitor::PythonMonitor(nb::object progress, int threads, const std::string& device)
    : progress_(std::move(progress)),
      threads_(threads),
      device_(parse_choice<Device>(device)),
      caller_(std::this_thread::get_id()),
      monitor_(progress_.is_none()
                   ? Monitor::Listener{}
                   : Monitor::Listener([this](const ProgressEvent& event) { report(event); }),
               // The request lives as long as this object, and with it the count of its work.
               [this, counted = std::make_shared<RunningWork>()] { return stop_requested(); }) {
    if (!progress_.is_none() && !PyCallable_Check(progress_.ptr())) {
        throw InputError("progress is not callable (must be progress(done, total, task), or None)");
    }
}

void PythonMonitor::report(const ProgressEvent& event) {
    const auto now = Clock::now();
    const bool must = event.done == 0 || event.finished;
    if (stop_ || is_left_behind(caller_) || (!must && now < next_report_)) return;
    next_report_ = now + report_period;
    const nb::gil_scoped_acquire gil;
    try {
        progress_(event.done, event.total, nb::str(event.task.data(), event.task.size()));
    } catch (nb::python_error&) {
        keep_error();
    }
}

/// Python runs signal handlers only in its main thread, so only the thread that called us can check
/// for signals. The flag passes the result on to the other threads.
bool PythonMonitor::stop_requested() {
    if (is_left_behind(caller_)) return true;
    if (stop_ || std::this_thread::get_id() != caller_) return stop_;
    const auto now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + look_period;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
        try {
            throw nb::python_error();
        } catch (nb::python_error&) {
            keep_error();
        }
    }
    return stop_;
}

/// Must be called inside a catch block with the GIL held: the GIL protects `pending_`.
void PythonMonitor::keep_error() {
    if (!pending_) pending_ = std::current_exception();
    stop_ = true;
}

void PythonMonitor::raise_pending() {
    if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
    if (is_left_behind(caller_)) raise_exit();
}

}  // namespace fermat::python
