#pragma once

#include <filesystem>
#include <optional>

#include "core/monitor.hpp"
#include "model/model.hpp"

namespace fermat::bench {

struct GraphBench {
    bool quick = false;  ///< four sizes up to 512 and two radii
    int repeats = 3;
    int threads = 1;
    int largest = 1600;  ///< nodes per side; larger grids are left out
    std::optional<std::filesystem::path> csv;
};

/// Repeats paper 1's Figures 7 and 8: shortest paths from the corner of squares of 128 to 1600
/// nodes per side with radii 1 to 6, v = 0.5 to 4 km/s over 10 km. Seconds include everything from
/// the model to the times.
void bench_graph(const GraphBench& bench, Monitor& monitor);

/// Measures the medium of paper 1 on the CUDA device, against Dijkstra's method with a heap on one
/// core.
void bench_graph_cuda(const GraphBench& bench, Monitor& monitor);

/// The medium of paper 1: a square of `nodes` per side, v = 0.5 to 4 km/s over 10 km.
Model paper1_model(int nodes);

}  // namespace fermat::bench
