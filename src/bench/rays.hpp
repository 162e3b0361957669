#pragma once

#include <filesystem>
#include <optional>

#include "core/monitor.hpp"

namespace fermat::bench {

struct RaysBench {
    int repeats = 5;
    int threads = 1;
    int rays = 1000;
    int largest = 256;  ///< nodes per side; larger cubes are left out
    std::optional<std::filesystem::path> csv;
};

/// Measures the tracers on solved fields of cubes, and the cost of the sensitivity matrix of their
/// rays. Seconds are medians and exclude the time fields.
void bench_rays(const RaysBench& bench, Monitor& monitor);

/// Measures descent on the CUDA device with a million rays per cube.
void bench_rays_cuda(const RaysBench& bench, Monitor& monitor);

}  // namespace fermat::bench
