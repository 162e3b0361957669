#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/model.hpp"
#include "rays/segments.hpp"

namespace fermat {

/// One entry of a row of the sensitivity matrix.
struct RowEntry {
    std::int64_t column;
    double value;
};

/// Makes rows of the sensitivity matrix, one ray after another, in its own memory. The model must
/// outlive it.
class RowMaker {
  public:
    explicit RowMaker(const Model& model) : model_(model) {}

    /// Length of a path in each cell, columns ascending. Valid until the next row is made.
    std::span<const RowEntry> cells(std::span<const Vec3> path);
    /// Derivative of a path's time by each node's slowness, columns ascending. Valid until the next
    /// row is made.
    std::span<const RowEntry> nodes(std::span<const Vec3> path);
    /// What nodes() gives, in the order of the path, where a column may come more than once: for
    /// those who add up by another order anyway.
    std::span<const RowEntry> node_parts(std::span<const Vec3> path);
    /// The cells that the last path of nodes() or node_parts() crossed, in its order, where a cell
    /// may come more than once; none in models with a metric.
    std::span<const std::int64_t> crossed() const { return crossed_; }

  private:
    template <int Dim>
    void enter_nodes(std::span<const Vec3> path);
    template <int Dim>
    void move_to(Index3 cell);
    std::span<const RowEntry> ordered();

    const Model& model_;
    std::vector<RowEntry> row_;
    std::vector<RowEntry> spare_;
    std::vector<std::int64_t> crossed_;
    Index3 cell_;                      ///< current cell of the path
    std::array<double, 8> weights_{};  ///< summed weights of its corners
};

}  // namespace fermat
