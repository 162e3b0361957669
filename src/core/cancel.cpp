#include "core/cancel.hpp"

#include <array>
#include <csignal>

namespace fermat {
namespace {

/// A signal by which the user asks to stop.
struct StopSignal {
    int number;
    volatile std::sig_atomic_t seen = 0;
    struct sigaction previous {};
};
std::array<StopSignal, 3> signals = {{{SIGINT}, {SIGTERM}, {SIGHUP}}};

/// The second signal ends the process by the handler that was installed before.
void on_signal(int number) {
    for (StopSignal& signal : signals) {
        if (signal.number != number) continue;
        if (signal.seen != 0) {
            sigaction(number, &signal.previous, nullptr);
            ::raise(number);
        }
        signal.seen = 1;
    }
}

}  // namespace

SignalGuard::SignalGuard() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (StopSignal& signal : signals) {
        signal.seen = 0;
        sigaction(signal.number, nullptr, &signal.previous);
        // `nohup` and shells without job control ignore signals for their jobs.
        const bool asks =
            (signal.previous.sa_flags & SA_SIGINFO) != 0 || signal.previous.sa_handler != SIG_IGN;
        if (asks) sigaction(signal.number, &action, nullptr);
    }
}

SignalGuard::~SignalGuard() {
    for (const StopSignal& signal : signals) sigaction(signal.number, &signal.previous, nullptr);
}

bool SignalGuard::stop_requested() {
    for (const StopSignal& signal : signals) {
        if (signal.seen != 0) return true;
    }
    return false;
}

}  // namespace fermat
