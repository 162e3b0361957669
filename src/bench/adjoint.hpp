#pragma once

#include <filesystem>
#include <optional>

#include "core/execution.hpp"

namespace fermat::bench {

struct AdjointBench {
    int repeats = 5;
    int largest = 129;     ///< nodes per side of cubes; larger ones are left out
    int shots = 0;         ///< of a survey on 128^3 nodes; 0: none
    int receivers = 1000;  ///< of that survey
    int media = 0;         ///< nodes per axis of other media, measured instead; 0: none
    std::optional<std::filesystem::path> csv;
};

/// Measures the adjoint beside the solve that it belongs to.
void bench_adjoint(const AdjointBench& bench, const Execution& execution);

}  // namespace fermat::bench
