#pragma once

namespace fermat {

/// While alive, Ctrl-C (SIGINT), SIGTERM and SIGHUP raise a flag instead of ending the process; the
/// same signal once more does what it did before. Signals that were ignored stay so. For programs;
/// a library user's own handlers are restored at the end.
class SignalGuard {
  public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    static bool stop_requested();
};

}  // namespace fermat
