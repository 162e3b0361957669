#pragma once

#include <filesystem>
#include <optional>

#include "core/device.hpp"
#include "core/monitor.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {

struct TomographyBench {
    int iterations = 6;  ///< of each of the six stages of hole; at most, of gauss_newton
    InversionMethod method = InversionMethod::hole;
    int unknowns = 0;    ///< gauss_newton: a cube of about so many; 0: the size of Potrillo
    int picks = 200000;  ///< about so many with a cube
    int threads = 1;
    Device device = Device::cpu;
    std::optional<std::filesystem::path> csv;
};

/// Paper 4's Table 1: seconds of one iteration by what they go into, for each stage of its
/// schedule, on a survey of the size of its Potrillo experiment: 414,414 vertices, 8 shots and 793
/// receivers.
void bench_tomography(const TomographyBench& bench, Monitor& monitor);

/// Seconds of each iteration by regularised Gauss-Newton steps, and its memory, on a survey of that
/// size or on a cube.
void bench_gauss_newton(const TomographyBench& bench, Monitor& monitor);

}  // namespace fermat::bench
