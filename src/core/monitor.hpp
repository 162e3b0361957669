#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace fermat {

/// What a progress listener hears. `done` runs from 0 to `total`; `finished` marks the last event
/// of a task.
struct ProgressEvent {
    std::string_view task;
    std::int64_t done = 0;
    std::int64_t total = 0;
    bool finished = false;
};

/// Carries progress out of a long computation and the wish to stop into it. The library never
/// prints: a bar on a terminal, plain lines in a log and a Python callback are listeners.
/// `advance` and `check` may be called from any thread; the listener is called by one at a time.
class Monitor {
  public:
    using Listener = std::function<void(const ProgressEvent&)>;
    /// Asked now and then; true means stop. Must be safe to call from any thread.
    using StopRequest = std::function<bool()>;

    Monitor() = default;
    explicit Monitor(Listener listener, StopRequest stop = {})
        : listener_(std::move(listener)), stop_(std::move(stop)) {}

    void begin(std::string task, std::int64_t total);
    void advance(std::int64_t steps = 1);
    void end();

    /// Throws Cancelled if a stop was asked for.
    void check() const;
    bool stop_requested() const { return stop_ && stop_(); }

  private:
    Listener listener_;
    StopRequest stop_;
    std::mutex mutex_;
    std::string task_;
    std::atomic<std::int64_t> done_{0};
    std::int64_t total_ = 0;
};

/// A monitor that hears nothing and never stops.
Monitor& silent_monitor();

}  // namespace fermat
