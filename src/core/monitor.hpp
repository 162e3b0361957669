#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace fermat {

/// What a progress listener gets. `done` runs from 0 to `total`; `finished` marks the last event of
/// a task.
struct ProgressEvent {
    std::string_view task;
    std::int64_t done = 0;
    std::int64_t total = 0;
    bool finished = false;
};

/// Reports progress of a long computation, and passes requests to stop into it. The library never
/// prints: the terminal's bar, lines in a log and a Python callback are listeners. Any thread may
/// call `advance` and `check`; the listener is called by one thread at a time.
class Monitor {
  public:
    using Listener = std::function<void(const ProgressEvent&)>;
    /// Called at intervals; true means stop. Any thread may call it.
    using StopRequest = std::function<bool()>;

    Monitor() = default;
    explicit Monitor(Listener listener, StopRequest stop = {})
        : listener_(std::move(listener)), stop_(std::move(stop)) {}

    void begin(std::string task, std::int64_t total);
    void advance(std::int64_t steps = 1);
    void end();

    /// Throws Cancelled if a stop was requested.
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

/// A monitor without a listener, which never stops the work.
Monitor& silent_monitor();

}  // namespace fermat
