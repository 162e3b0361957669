#pragma once

#include <array>
#include <span>

#include "tomography/smoothing/smoothing.hpp"

// The numbers of paper 4 (Intel Xeon of 2011, one thread, and NVIDIA Quadro 5000).

namespace fermat::bench {

/// Table 1: seconds of smoothing per iteration of a stage, by the basic algorithm.
struct StageSeconds {
    double cell;
    double vertex;
};
inline constexpr std::array<StageSeconds, 6> table_1 = {{{113.716, 97.731},
                                                         {41.541, 36.235},
                                                         {6.332, 6.240},
                                                         {1.718, 1.914},
                                                         {0.170, 0.292},
                                                         {0.064, 0.153}}};
inline constexpr double table_1_times = 0.248;  ///< seconds of first arrivals per iteration
inline constexpr double table_1_rays = 0.054;   ///< seconds of ray coverage per iteration

/// A row of Tables 5 and 11: milliseconds of one iteration.
struct SmoothingRow {
    double basic;
    double cached;
    double table;
    double gpu;
};

/// Tables 8 and 14, of the paper's one kernel.
struct PublishedOccupancy {
    double registers;  ///< per thread
    double blocks;     ///< active per multiprocessor
    double threads;
    double occupancy;
};

/// One of the paper's two smoothers.
struct PublishedSmoother {
    std::array<SmoothingSize, 6> sizes;
    std::array<SmoothingRow, 36> rows;
    double kernel_us;       ///< Tables 10 and 16
    double kernel_percent;  ///< of the GPU's time
    double to_device_percent;
    double to_host_percent;
    double requested;  ///< memory throughput of the kernel, GB/s: Tables 9 and 15
    double achieved;
    PublishedOccupancy occupancy;
};
inline constexpr double quadro_peak = 120;  ///< GB/s

/// The paper's sentences: the largest speed-ups over basic, and how many per cent faster than the
/// table on the CPU the GPU is, on average. Of vertices on the GPU it says "7459.4 %"; its Table 11
/// has 7459 times.
struct PublishedHeadlines {
    double cached;
    double table;
    double gpu;
    double gpu_over_table;
};
inline constexpr PublishedHeadlines cell_headlines{44, 4181, 5491, 20.9};
inline constexpr PublishedHeadlines vertex_headlines{37.9, 4362, 7459.4, 66.4};

extern const PublishedSmoother cell_smoother;
extern const PublishedSmoother vertex_smoother;

}  // namespace fermat::bench
