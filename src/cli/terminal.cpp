#include "cli/terminal.hpp"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/printable.hpp"
#include "io/temporary_file.hpp"

namespace fermat::cli {
namespace {

void end_by_signal(int number) {
    remove_temporary_files();
    std::signal(number, SIG_DFL);
    ::raise(number);
}

/// All signals whose default action ends the program, except SIGKILL.
std::vector<int> ending_signals() {
    std::vector<int> numbers = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP,   SIGABRT, SIGBUS,
                                SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,   SIGALRM, SIGTERM,
                                SIGXCPU, SIGXFSZ, SIGIO,   SIGSYS,  SIGVTALRM, SIGPROF};
#ifdef SIGPWR
    numbers.push_back(SIGPWR);
#endif
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
    return numbers;
}

class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t text;
        formatter_->format(message, text);
        std::string_view line(text.data(), text.size());
        if (line.ends_with('\n')) line.remove_suffix(1);
        print_line_to_stderr(std::string(line));
    }
    void flush_() override {}
};

}  // namespace

void fill_standard_streams() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
        // open() returns the lowest free number, which is this one. It is opened in the wrong mode,
        // so that using it still fails.
        const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) != number) return;
    }
}

void remove_files_at_signals() {
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    sigemptyset(&action.sa_mask);
    for (const int number : ending_signals()) {
        struct sigaction old {};
        if (sigaction(number, nullptr, &old) != 0) continue;
        const bool set = (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL;
        if (!set) sigaction(number, &action, nullptr);
    }
}

void print_line_to_stderr(const std::string& line) {
    const std::string shown = printable(line) + '\n';
    std::fwrite(shown.data(), 1, shown.size(), stderr);
    std::fflush(stderr);
    std::clearerr(stderr);
}

std::shared_ptr<spdlog::sinks::sink> stderr_sink() { return std::make_shared<StderrSink>(); }

}  // namespace fermat::cli
