#pragma once

#include "core/execution.hpp"

namespace fermat::test {

/// Computes on the CPU, on any machine.
inline Execution on_cpu(int threads = 1, Monitor& monitor = silent_monitor()) {
    return {threads, Device::cpu, monitor};
}

/// Computes on the CUDA device; an error if there is none.
inline Execution on_gpu(Monitor& monitor = silent_monitor()) { return {0, Device::cuda, monitor}; }

}  // namespace fermat::test
