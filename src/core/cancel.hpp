#pragma once

namespace fermat {

/// While alive, Ctrl-C (SIGINT), SIGTERM and SIGHUP set a flag instead of ending the process; a
/// second signal has its former effect. Ignored signals stay ignored. The destructor restores
/// earlier handlers. For programs, not for libraries.
class SignalGuard {
  public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    static bool stop_requested();
};

}  // namespace fermat
