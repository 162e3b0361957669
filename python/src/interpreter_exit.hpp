#pragma once

#include <thread>

namespace fermat::python {

// When Python ends, it does not wait for daemon threads: one that asks for the GIL after that is
// ended by unwinding its stack, and C++ then ends the whole process with an error. So the module
// asks their work to stop at exit, and waits until it has.

/// Counts a computation that may wait for the GIL, as long as it is alive. In a daemon thread of a
/// Python that ends, the constructor raises SystemExit, by which a thread ends without a message.
class RunningWork {
  public:
    RunningWork();
    ~RunningWork();
    RunningWork(const RunningWork&) = delete;
    RunningWork& operator=(const RunningWork&) = delete;
};

/// Whether Python is ending, and work that `caller` started is to stop. The thread that ends Python
/// may compute to its last line.
bool is_left_behind(std::thread::id caller);

/// Computations of other threads that have not ended.
int running_elsewhere();

/// Raises SystemExit. Requires the GIL.
[[noreturn]] void raise_exit();

/// Stops work in other threads: to be called when Python ends.
void stop_daemons();

}  // namespace fermat::python
