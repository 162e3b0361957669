#pragma once

namespace fermat {

/// While alive, Ctrl-C (SIGINT) and SIGTERM raise a flag instead of ending the process; a second
/// Ctrl-C ends it at once. A signal that is ignored stays so. For programs; a library user's own
/// handlers are restored at the end.
class SignalGuard {
  public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    static bool stop_requested();
};

}  // namespace fermat
