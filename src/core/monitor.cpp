#include "core/monitor.hpp"

#include <utility>

#include "core/error.hpp"

namespace fermat {

void Monitor::begin(std::string task, std::int64_t total) {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    total_ = total;
    done_ = 0;
    if (listener_) listener_({task_, 0, total_, false});
}

void Monitor::advance(std::int64_t steps) {
    const std::int64_t done = done_ += steps;
    if (!listener_) return;
    // If the listener is busy, this event is skipped: a later one reports the sum.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) listener_({task_, done, total_, false});
}

void Monitor::end() {
    const std::lock_guard lock(mutex_);
    if (listener_) listener_({task_, done_, total_, true});
}

void Monitor::check() const {
    if (stop_requested()) throw Cancelled();
}

Monitor& silent_monitor() {
    static Monitor monitor;
    return monitor;
}

}  // namespace fermat
