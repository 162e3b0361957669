#include "core/cancel.hpp"

#include <csignal>

namespace fermat {
namespace {

volatile std::sig_atomic_t stop_flag = 0;
struct sigaction previous_int;
struct sigaction previous_term;

void on_signal(int) { stop_flag = 1; }

/// Background jobs of a shell without job control ignore Ctrl-C, and so do what they start.
void take(int signal, struct sigaction& previous) {
    sigaction(signal, nullptr, &previous);
    if (previous.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
    stop_flag = 0;
    take(SIGINT, previous_int);
    take(SIGTERM, previous_term);
}

SignalGuard::~SignalGuard() {
    sigaction(SIGINT, &previous_int, nullptr);
    sigaction(SIGTERM, &previous_term, nullptr);
}

bool SignalGuard::stop_requested() { return stop_flag != 0; }

}  // namespace fermat
