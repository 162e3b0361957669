#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/factored_source.hpp"

namespace fermat {

/// The start nodes of a point source (factor_source) and what their times depend on: T/r is the
/// mean slowness w on the straight line from the source, by Simpson's rule over the multilinear
/// medium.
class SourceStarts {
  public:
    SourceStarts(const Model& model, const NodeSlowness& slowness, Vec3 source);

    Vec3 position() const { return source_.position; }
    const FactoredSource& factored() const { return source_; }
    /// Offsets of the start nodes, in rising order.
    std::span<const std::size_t> nodes() const { return offsets_; }
    bool holds(std::size_t node) const;

    /// w of a start node in the slowness given.
    double mean_slowness(std::size_t node) const;
    /// The slowness at the source.
    double source_slowness() const;
    /// Calls by_node(node, dw/ds of the node) for the nodes round the line to a start node, and
    /// returns dw/d(source position).
    Vec3 derivative(std::size_t node,
                    const std::function<void(std::size_t, double)>& by_node) const;

  private:
    Index3 index_of(std::size_t node) const;

    Grid grid_;
    const NodeSlowness& slowness_;
    FactoredSource source_;
    std::vector<std::size_t> offsets_;
};

}  // namespace fermat
