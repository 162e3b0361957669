#pragma once

#include <filesystem>
#include <optional>

#include "core/device.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct MetricBench {
    int repeats = 3;
    int threads = 1;
    Device device = Device::cpu;
    int nodes = 0;       ///< along each axis; 0: those of the published measurements
    bool quick = false;  ///< smaller grids, and fewer rays
    std::optional<std::filesystem::path> csv;
};

/// Times and rays in curved coordinates and anisotropic media: errors against closed forms, seconds
/// per source, and rays that arrive.
void bench_metric(const MetricBench& bench, Monitor& monitor);

}  // namespace fermat::bench
