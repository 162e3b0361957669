#pragma once

#include <vector>

#include "bench/papers/paper5_letter.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

/// A square of points and what paper 5 computes in it, with its own method.
struct PlainProblem {
    int points = 0;               ///< per side
    std::vector<float> slowness;  ///< [x][z], points + 1 per side
    PlainPoint source;
    std::vector<PlainPoint> receivers;
};

struct PlainResult {
    std::vector<float> times;                    ///< [x][z], points + 1 per side
    std::vector<std::vector<PlainPoint>> paths;  ///< one per receiver; empty if the ray was lost
    double computing = 0;                        ///< seconds; of the kernels, on a device
};

/// On one thread of the CPU.
PlainResult solve_plain(const PlainProblem& problem, Monitor& monitor);
/// On the CUDA device. Throws InputError where there is none.
PlainResult solve_plain_cuda(const PlainProblem& problem, Monitor& monitor);

}  // namespace fermat::bench
