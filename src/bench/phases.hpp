#pragma once

#include <filesystem>
#include <optional>

#include "core/execution.hpp"

namespace fermat::bench {

struct PhasesBench {
    int repeats = 3;
    int rays = 1000000;
    int nodes = 257;  ///< per side of the cube
    std::optional<std::filesystem::path> csv;
};

/// Measures reflections in a cube of two layers: of one velocity, with a gradient, and with
/// anomalies, above a Moho with relief.
void bench_phases(const PhasesBench& bench, const Execution& execution);

}  // namespace fermat::bench
