#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/monitor.hpp"
#include "tomography/invert.hpp"

namespace fermat::bench {

struct TomographyBench {
    int iterations = 6;  ///< of each of the six stages of hole; at most, of gauss_newton
    InversionMethod method = InversionMethod::hole;
    int unknowns = 0;    ///< gauss_newton: a cube of about so many; 0: the size of Potrillo
    int picks = 200000;  ///< about so many with a cube
    Solver solver = Solver::fim;  ///< hole: paper 4 has vidale, cells and table
    Tracer tracer = Tracer::descent;
    Smoother smoother = Smoother::running;
    int threads = 1;
    Device device = Device::cpu;
    std::optional<std::filesystem::path> csv;
};

/// Means over the iterations of one stage of the schedule.
struct StageMeans {
    std::string cell;  ///< sizes of the boxes
    std::string vertex;
    IterationSeconds seconds;
    double rms = 0;  ///< of the last iteration
};

/// Runs the loop of Hole on the Potrillo-sized survey, bench.iterations per stage.
std::vector<StageMeans> potrillo_stages(const TomographyBench& bench, int shots, Monitor& monitor);

/// Paper 4's Table 1: seconds of one iteration by what they go into, for each stage of its
/// schedule, on a survey of the size of its Potrillo experiment: 414,414 vertices, 8 shots and 793
/// receivers.
void bench_tomography(const TomographyBench& bench, Monitor& monitor);

/// Seconds of each iteration by regularised Gauss-Newton steps, and its memory, on a survey of that
/// size or on a cube.
void bench_gauss_newton(const TomographyBench& bench, Monitor& monitor);

}  // namespace fermat::bench
