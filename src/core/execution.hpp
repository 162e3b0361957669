#pragma once

#include "core/device.hpp"
#include "core/monitor.hpp"
#include "core/ranks.hpp"

namespace fermat {

/// How work is done, as against what is to be done: it is passed beside options, never inside them.
/// Results do not depend on threads, ranks or the monitor; devices agree to rounding.
struct Execution {
    int threads = 0;                    ///< 0: all cores
    Device device = Device::automatic;  ///< for methods that are written for it
    Monitor& monitor = silent_monitor();
    Ranks& ranks = serial_ranks();

    /// This execution on some of its threads, heard by another monitor, on another device.
    Execution with_threads(int count) const { return {count, device, monitor, ranks}; }
    Execution heard_by(Monitor& other) const { return {threads, device, other, ranks}; }
    Execution on(Device other) const { return {threads, other, monitor, ranks}; }
    /// Without the other ranks: for work that one rank does by itself.
    Execution alone() const { return {threads, device, monitor}; }
};

}  // namespace fermat
