#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/adjoint/source_starts.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// A source and its start nodes in a model of the host, or of a device, from which only the few
/// nodes round the source are fetched.
class SourceBox {
  public:
    /// The model and the slowness must outlive it.
    SourceBox(const Model& model, const NodeSlowness& slowness, Vec3 source);
    /// The part of a model on the device round a source (round_sources).
    SourceBox(Shape whole, PartOfModel found);

    /// Nodes are those of the whole grid.
    const FactoredSource& factored() const { return factored_; }
    /// Offsets of the start nodes in the whole grid.
    std::span<const std::size_t> nodes() const { return offsets_; }
    /// Calls by_node(offset in the whole grid, dw/ds of the node) for the nodes round the line to a
    /// start node, given by its place in nodes(), and returns dw/d(source position).
    Vec3 derivative(std::size_t number,
                    const std::function<void(std::size_t, double)>& by_node) const;

  private:
    /// The nodes round the source as a model of their own; absent where the whole model is there.
    struct Part {
        Part(const Grid& box, Field<float> velocity);
        Model model;
        NodeSlowness slowness;
    };
    std::size_t in_whole(std::size_t offset) const;

    Shape whole_;
    Index3 first_;
    std::unique_ptr<const Part> part_;
    std::unique_ptr<const SourceStarts> starts_;
    FactoredSource factored_;
    std::vector<std::size_t> offsets_;
};

}  // namespace fermat
