#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "graph/node_tile_setup.hpp"

namespace fermat {

/// Why the device cannot relax tiles of this star; empty where it can, or where there is none.
std::string cuda_obstacle(const GraphView& graph);

/// `bellman-ford` on a CUDA device: the graph and the work space of a batch of sources, kept there.
/// Calls from several threads take turns.
class CudaGraph {
  public:
    /// `host` is a graph on the CPU; its slowness and star are copied. Throws InputError where CUDA
    /// is not in this build, there is no device, or a tile of the star does not fit in its shared
    /// memory; ComputeError where the device has no memory for the graph.
    CudaGraph(const GraphView& host, const StarTable& star, EdgeWeights weights,
              const NodeTileTuning& tuning = {});
    ~CudaGraph();

    bool stores_weights() const;
    /// How many of `wanted` sources are solved at once: as many as fit and fill the device.
    std::size_t batch(std::size_t wanted) const;
    /// Sends the slowness of another model on the same grid, and makes weights if they are stored.
    /// Returns the device's time in seconds, transfers excluded.
    double set_slowness(std::span<const float> slowness);

    /// Shortest times and predecessors from the links of batch() sources at most; consume(n) may
    /// fetch() those of source n. Returns the device's time in seconds, transfers excluded.
    double solve(std::span<const std::vector<Link>> sources,
                 const std::function<void(std::size_t)>& consume);
    /// Fills times, predecessors and what they cost; in `consume` of solve() only.
    void fetch(std::size_t number, GraphField& field) const;

    /// Of the last solve: what its time is made of.
    struct Work {
        double visits_per_tile = 0;
        double rounds_per_tile = 0;
        int passes = 0;
    };
    Work work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
