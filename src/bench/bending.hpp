#pragma once

#include <filesystem>
#include <optional>

#include "core/monitor.hpp"

namespace fermat::bench {

struct BendingBench {
    int repeats = 0;  ///< 0: 3, or 1 with `quick`
    int threads = 1;
    int refine = 0;      ///< refinement of the reference grid; 0: 4, or 2 with `quick`
    bool quick = false;  ///< a tenth of the sources
    bool cuda = false;   ///< also measures a CUDA device
    std::optional<std::filesystem::path> csv;
    std::optional<std::filesystem::path>
        write;  ///< folder for the survey; if given, nothing is measured
};

/// Repeats paper 3's Figure 7 (sources x threads x unit of parallel work), and measures the
/// accuracy of bent rays against closed forms and the eikonal solver, on costa_rica_survey().
void bench_bending(const BendingBench& bench, Monitor& monitor);

}  // namespace fermat::bench
