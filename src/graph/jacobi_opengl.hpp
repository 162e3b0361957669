#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.hpp"

namespace fermat {

/// Papers 1 and 2 to the letter (work_group.hpp) in OpenGL compute shaders. Sources are solved one
/// after another. Calls from several threads take turns.
class GlJacobi {
  public:
    /// As GlGraph; `visits` must be marked or none.
    GlJacobi(const GraphView& host, const StarTable& star, EdgeWeights weights, TileVisits visits);
    ~GlJacobi();

    bool stores_weights() const;
    /// 1: one solve takes one source.
    std::size_t batch(std::size_t wanted) const;
    /// Sends the slowness of another model on the same grid, and makes weights if they are stored.
    /// Returns the device's time in seconds, transfers excluded.
    double set_slowness(std::span<const float> slowness);
    /// Finds shortest times and predecessors from the links of each source and calls consume(n),
    /// which may call fetch(). Returns the seconds of the device and of the host's questions.
    double solve(std::span<const std::vector<Link>> sources, Monitor& monitor,
                 const std::function<void(std::size_t)>& consume);
    /// Fills times, predecessors and their cost. May be called only inside `consume` of solve().
    void fetch(std::size_t number, GraphField& field) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
