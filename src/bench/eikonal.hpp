#pragma once

#include "bench/report.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct EikonalBench {
    int repeats = 5;
    int threads = 1;
    int largest = 1600;        ///< cells or nodes a side: larger grids are left out
    int largest_volume = 384;  ///< the same for cubes
};

/// Measures the eikonal solvers: paper 5's nine scenarios, paper 1's gradient, cubes of a constant
/// gradient, and threads. Seconds are medians and leave out the making of models.
void bench_eikonal(const EikonalBench& bench, BenchReport& report, Monitor& monitor);

/// fim on the CUDA device: cubes, squares, a batch of shots and a rough medium.
void bench_eikonal_cuda(const EikonalBench& bench, const std::optional<std::filesystem::path>& csv,
                        Monitor& monitor);

}  // namespace fermat::bench
