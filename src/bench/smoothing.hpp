#pragma once

#include <filesystem>
#include <optional>

#include "core/device.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct SmoothingBench {
    int repeats = 0;  ///< 0: 21, or 5 with `quick`
    int threads = 1;
    bool quick = false;           ///< leaves out measurements that take seconds
    Device device = Device::cpu;  ///< for the smoothers table and running
    std::optional<std::filesystem::path> csv;
};

/// Repeats paper 4's Tables 5 and 11: milliseconds of one pass of each method and size over the
/// Potrillo model's cells and vertices, beside the paper's numbers.
void bench_smoothing(const SmoothingBench& bench, Monitor& monitor);

}  // namespace fermat::bench
