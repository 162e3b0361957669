#pragma once

#include "bench/report.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

struct EikonalBench {
    int repeats = 5;
    int threads = 1;
    int largest = 1600;        ///< cells or nodes per side; larger grids are left out
    int largest_volume = 384;  ///< nodes per side of cubes; larger cubes are left out
};

/// Measures the eikonal solvers: paper 5's nine scenarios, paper 1's gradient, cubes of a constant
/// gradient, and numbers of threads. Seconds are medians and exclude the making of models.
void bench_eikonal(const EikonalBench& bench, BenchReport& report, Monitor& monitor);

/// Measures fim on the CUDA device: cubes, squares, a batch of shots and a rough medium.
void bench_eikonal_cuda(const EikonalBench& bench, const std::optional<std::filesystem::path>& csv,
                        Monitor& monitor);

}  // namespace fermat::bench
