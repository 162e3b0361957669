#pragma once

#include "core/device.hpp"
#include "core/monitor.hpp"
#include "core/ranks.hpp"

namespace fermat {

/// How to compute, as opposed to what to compute: it is passed beside options, never inside them.
/// Results do not depend on threads, ranks or the monitor; devices agree to rounding.
struct Execution {
    int threads = 0;                    ///< 0: all cores
    Device device = Device::automatic;  ///< for methods that support it
    Monitor& monitor = silent_monitor();
    Ranks& ranks = serial_ranks();

    /// Copies of this execution with another number of threads, monitor or device.
    Execution with_threads(int count) const { return {count, device, monitor, ranks}; }
    Execution heard_by(Monitor& other) const { return {threads, device, other, ranks}; }
    Execution on(Device other) const { return {threads, other, monitor, ranks}; }
    /// A copy without the other ranks, for work of one rank only.
    Execution alone() const { return {threads, device, monitor}; }
};

}  // namespace fermat
