#pragma once

#include <filesystem>
#include <optional>

#include "core/device.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct TomographyBench {
    int iterations = 6;  ///< of each of the six stages
    int threads = 1;
    Device device = Device::cpu;
    std::optional<std::filesystem::path> csv;
};

/// Paper 4's Table 1: seconds of one iteration by what they go into, for each stage of its
/// schedule, on a survey of the size of its Potrillo experiment: 414,414 vertices, 8 shots and 793
/// receivers.
void bench_tomography(const TomographyBench& bench, Monitor& monitor);

}  // namespace fermat::bench
