#include "cli/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace fermat::cli {
namespace {

using namespace std::chrono_literals;

constexpr int bar_cells = 30;
constexpr auto first_wait = 300ms;
constexpr auto bar_wait = 100ms;
constexpr auto line_wait = 3s;

double fraction(const ProgressEvent& event) {
    if (event.total <= 0) return event.finished ? 1.0 : 0.0;
    return std::clamp(static_cast<double>(event.done) / static_cast<double>(event.total), 0.0, 1.0);
}

}  // namespace

ProgressBar::~ProgressBar() {
    if (style_ == ProgressStyle::bar && drawn_) {
        print("\r\033[K");
    }
}

void ProgressBar::show(const ProgressEvent& event) {
    if (style_ == ProgressStyle::silent) return;
    const auto now = Clock::now();
    if (!started_ || (event.done == 0 && !event.finished)) {
        started_ = true;
        drawn_ = false;
        start_ = now;
        shown_ = now;
        return;
    }
    const auto wait = style_ == ProgressStyle::lines ? Clock::duration(line_wait)
                      : drawn_                       ? Clock::duration(bar_wait)
                                                     : Clock::duration(first_wait);
    if (event.finished ? !drawn_ : now - shown_ < wait) return;
    draw(event, std::chrono::duration<double>(now - start_).count());
    shown_ = now;
    drawn_ = !event.finished;
}

void ProgressBar::draw(const ProgressEvent& event, double seconds) {
    const double part = fraction(event);
    const int percent = static_cast<int>(100 * part);
    const double left = part > 0 ? seconds * (1 - part) / part : 0;
    const std::string when = event.finished ? fmt::format("{:.1f} s", seconds)
                             : part > 0     ? fmt::format("{:.0f} s, {:.0f} s left", seconds, left)
                                            : fmt::format("{:.0f} s", seconds);
    if (style_ == ProgressStyle::lines) {
        print(fmt::format("fermat: {} {}% ({})\n", event.task, percent, when));
    } else {
        const int full = static_cast<int>(bar_cells * part);
        print(fmt::format("\r{} [{:#<{}}{:.<{}}] {:3}%  {}\033[K{}", event.task, "", full, "",
                          bar_cells - full, percent, when, event.finished ? "\n" : ""));
    }
}

void ProgressBar::print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

}  // namespace fermat::cli
