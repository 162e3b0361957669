#pragma once

#include <filesystem>
#include <optional>

#include "core/device.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct TomographyBench {
    int iterations = 6;  ///< per stage, of which there are six
    int threads = 1;
    Device device = Device::cpu;
    std::optional<std::filesystem::path> csv;
};

/// Repeats paper 4's Table 1: seconds of the parts of one iteration, for each stage of its
/// schedule, on a survey of the size of its Potrillo experiment: 414,414 vertices, 8 shots and 793
/// receivers.
void bench_tomography(const TomographyBench& bench, Monitor& monitor);

}  // namespace fermat::bench
