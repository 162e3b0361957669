#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "core/monitor.hpp"

namespace fermat::cli {

enum class ProgressStyle {
    bar,    ///< one line that is redrawn, for a terminal
    lines,  ///< a plain line every few seconds, for a log
    silent,
};

/// Shows progress on stderr. Work that ends at once shows nothing.
class ProgressBar {
  public:
    explicit ProgressBar(ProgressStyle style, std::FILE* out = stderr) : style_(style), out_(out) {}
    /// Removes a partly drawn bar from the terminal, so that an error starts on a clean line.
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(const ProgressEvent& event);

  private:
    using Clock = std::chrono::steady_clock;

    void draw(const ProgressEvent& event, double seconds);
    /// A closed terminal or a log on a full disk must not end the work: write errors are ignored.
    void print(const std::string& text);

    ProgressStyle style_;
    std::FILE* out_;
    Clock::time_point start_;
    Clock::time_point shown_;
    bool started_ = false;
    bool drawn_ = false;  ///< the current task has drawn something
};

}  // namespace fermat::cli
