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

/// Says why the device cannot relax tiles of this star. Empty if it can, or if there is no device.
std::string cuda_obstacle(const GraphView& graph);

/// `bellman-ford` on a CUDA device. It keeps the graph and the work space of a batch of sources
/// there. If several threads call it, they wait for one another.
class CudaGraph {
  public:
    /// `host` is a graph on the CPU; its slowness and star are copied. Throws InputError if this
    /// build has no CUDA, if the machine has no device, or if a tile of the star does not fit into
    /// its shared memory. Throws ComputeError if the device has no memory for the graph.
    CudaGraph(const GraphView& host, const StarTable& star, EdgeWeights weights,
              const NodeTileTuning& tuning = {});
    ~CudaGraph();

    bool stores_weights() const;
    /// The number of sources, up to `wanted`, that one solve takes: as many as fit and fill the
    /// device.
    std::size_t batch(std::size_t wanted) const;
    /// Sends the slowness of another model on the same grid, and computes the weights if they are
    /// stored. Returns the device's time in seconds, transfers excluded.
    double set_slowness(std::span<const float> slowness);

    /// Finds shortest times and predecessors for the links of at most batch() sources. consume(n)
    /// may call fetch() for the result of source n. Returns the device's time in seconds, transfers
    /// excluded.
    double solve(std::span<const std::vector<Link>> sources,
                 const std::function<void(std::size_t)>& consume);
    /// Fills times, predecessors and their cost. May be called only inside `consume` of solve().
    void fetch(std::size_t number, GraphField& field) const;

    /// The cost of the last solve.
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
