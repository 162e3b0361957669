#include "core/cancel.hpp"

#include <array>
#include <csignal>

namespace fermat {
namespace {

#if defined(_WIN32)
/// What a process does about a signal.
using Handling = void (*)(int);

void restore(int number, const Handling& former) { std::signal(number, former); }

/// Handles a signal unless the process ignores it; returns what was done before. Windows forgets a
/// handler as it calls it: a second signal has its own effect.
Handling take_over(int number, void (*handler)(int)) {
    const Handling former = std::signal(number, handler);
    if (former == SIG_IGN) restore(number, former);
    return former;
}
#else
using Handling = struct sigaction;

void restore(int number, const Handling& former) { sigaction(number, &former, nullptr); }

Handling take_over(int number, void (*handler)(int)) {
    Handling former{};
    sigaction(number, nullptr, &former);
    // `nohup` and shells without job control ignore signals for their jobs.
    if ((former.sa_flags & SA_SIGINFO) == 0 && former.sa_handler == SIG_IGN) return former;
    Handling action{};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
    return former;
}
#endif

/// A signal by which the user asks to stop.
struct StopSignal {
    int number;
    volatile std::sig_atomic_t seen = 0;
    Handling previous{};
};
std::array signals = {
    StopSignal{SIGINT},
    StopSignal{SIGTERM},
#if defined(SIGHUP)
    StopSignal{SIGHUP},
#endif
};

/// The second signal ends the process by the handler that was installed before.
void on_signal(int number) {
    for (StopSignal& signal : signals) {
        if (signal.number != number) continue;
        if (signal.seen != 0) {
            restore(number, signal.previous);
            std::raise(number);
        }
        signal.seen = 1;
    }
}

}  // namespace

SignalGuard::SignalGuard() {
    for (StopSignal& signal : signals) {
        signal.seen = 0;
        signal.previous = take_over(signal.number, on_signal);
    }
}

SignalGuard::~SignalGuard() {
    for (const StopSignal& signal : signals) restore(signal.number, signal.previous);
}

bool SignalGuard::stop_requested() {
    for (const StopSignal& signal : signals) {
        if (signal.seen != 0) return true;
    }
    return false;
}

}  // namespace fermat
