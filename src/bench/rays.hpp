#pragma once

#include <filesystem>
#include <optional>

#include "core/monitor.hpp"

namespace fermat::bench {

struct RaysBench {
    int repeats = 5;
    int threads = 1;
    int rays = 1000;
    int largest = 256;  ///< nodes a side: larger cubes are left out
    std::optional<std::filesystem::path> csv;
};

/// Measures the tracers on solved fields of cubes, and what the sensitivity matrix of their rays
/// costs. Seconds are medians and leave out the time fields.
void bench_rays(const RaysBench& bench, Monitor& monitor);

/// Descent on the CUDA device, a million rays a cube.
void bench_rays_cuda(const RaysBench& bench, Monitor& monitor);

}  // namespace fermat::bench
