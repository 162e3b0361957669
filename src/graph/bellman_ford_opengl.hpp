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

/// `bellman-ford` in OpenGL compute shaders (paper 2's third version): the graph and the work space
/// of a batch of sources, kept on the device. Calls from several threads take turns.
class GlGraph {
  public:
    /// `host` is a graph on the CPU; its slowness and star are copied. Throws InputError where
    /// OpenGL is not in this build, the machine has no OpenGL 4.3, or a tile of the star does not
    /// fit in shared memory; ComputeError where the device has no memory for the graph.
    GlGraph(const GraphView& host, const StarTable& star, EdgeWeights weights,
            const NodeTileTuning& tuning = {});
    ~GlGraph();

    /// What computes, in the driver's words.
    std::string renderer() const;
    bool stores_weights() const;
    /// How many of `wanted` sources are solved at once.
    std::size_t batch(std::size_t wanted) const;
    /// Sends the slowness of another model on the same grid, and makes weights if they are stored.
    /// Returns the device's time in seconds, transfers excluded.
    double set_slowness(std::span<const float> slowness);

    /// Shortest times and predecessors from the links of batch() sources at most; consume(n) may
    /// fetch() those of source n. Returns the device's time in seconds, transfers excluded.
    double solve(std::span<const std::vector<Link>> sources, Monitor& monitor,
                 const std::function<void(std::size_t)>& consume);
    /// Fills times, predecessors and what they cost; in `consume` of solve() only.
    void fetch(std::size_t number, GraphField& field) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
