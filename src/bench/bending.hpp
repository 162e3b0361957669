#pragma once

#include <filesystem>
#include <optional>

#include "core/monitor.hpp"

namespace fermat::bench {

struct BendingBench {
    int repeats = 0;  ///< 0: 3, or 1 with `quick`
    int threads = 1;
    int refine = 0;      ///< of the reference's grid; 0: 4, or 2 with `quick`
    bool quick = false;  ///< a tenth of the sources
    bool cuda = false;   ///< measures a CUDA device too
    std::optional<std::filesystem::path> csv;
    std::optional<std::filesystem::path>
        write;  ///< folder for the survey; then nothing is measured
};

/// Paper 3's Figure 7 (sources x threads x what is dealt out) and the accuracy of bent rays beside
/// closed forms and the eikonal solver, on costa_rica_survey().
void bench_bending(const BendingBench& bench, Monitor& monitor);

}  // namespace fermat::bench
