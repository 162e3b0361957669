#pragma once

#include <filesystem>
#include <optional>

#include "core/execution.hpp"

namespace fermat::bench {

struct MetricAdjointBench {
    int repeats = 3;
    int nodes = 65;  ///< per axis
    std::optional<std::filesystem::path> csv;
};

/// Measures gradients in curved coordinates and anisotropic media.
void bench_metric_adjoint(const MetricAdjointBench& bench, const Execution& execution);

}  // namespace fermat::bench
