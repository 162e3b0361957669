#pragma once

#include <functional>

#include "bench/papers/paper_bench.hpp"
#include "graph/graph.hpp"
#include "model/analytic.hpp"
#include "model/model.hpp"

namespace fermat::bench {

/// A medium of papers 1 and 2 on a square of `nodes` per side, with its times in closed form.
struct GraphMedium {
    const char* name;
    Model (*model)(int nodes);
    Vec3 (*source)(const Grid& grid);
    double (*exact)(Vec3 source, Vec3 point);
};

/// Paper 1: v = 0.5 to 4 km/s over 10 km, the source at the corner.
const GraphMedium& gradient_medium();
/// Paper 2's radial slowness gradient: s = 1 + r / 5 km s/km with r the distance from the source in
/// the middle of 10 km. Rays are straight, and T = r + r^2 / 10 km.
const GraphMedium& radial_medium();

/// One solve.
struct GraphRun {
    double seconds = 0;           ///< as the papers count: weights, shortest paths and transfers
    double edges = 0;             ///< looked at per node
    std::optional<double> error;  ///< mean, relative, nodes >= 3 cells from the source
    GraphField field;
};

/// Solves on the execution's device, and returns the median of the seconds of several runs; after a
/// run of over a second on the CPU there are no more. Memory of devices, contexts and shaders are
/// made before the clock starts.
GraphRun run_graph(const Model& model, const GraphOptions& options, Vec3 source, int repeats,
                   const Execution& execution);
/// Solves in a medium with known times, and measures its error too.
GraphRun run_graph(const GraphMedium& medium, const Model& model, const GraphOptions& options,
                   int repeats, const Execution& execution);

/// The execution of a paper's device column, on `threads` threads where the device is the CPU.
Execution on_device_of(const PaperBench& bench, Monitor& monitor);
/// "CPU tiles", "CUDA", "OpenGL".
const char* device_column(Device device);

}  // namespace fermat::bench
