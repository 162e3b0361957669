#pragma once

#include <array>
#include <cstddef>

#include "eikonal/adjoint/huge_array.hpp"
#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_numbers.hpp"

namespace fermat {

/// The numbers of a problem and its times in the order of tiles: a visit reads a few long lines. In
/// C order it would read hundreds of short ones on as many pages, which takes longer than the
/// visit.
class TileStore {
  public:
    static constexpr int nodes = tile_nodes<3>;

    /// `problem` gives the tiles, `shift` how far the first one begins before the grid.
    TileStore(const NodeNumbers& numbers, const MetricTileProblem& problem,
              const std::array<int, 3>& shift);

    /// Copies the numbers of nodes, all of them or (Thomsen's medium) those that touch() changes.
    void put_numbers(int threads);
    void put_times(const float* tau, int threads);
    void get_times(float* tau, int threads) const;

    /// A number of all nodes of a tile; f^2 < 0 outside the grid.
    const float* number(int tile, NodeNumber which) const {
        const auto n = static_cast<std::size_t>(which);
        return values_.data() + (static_cast<std::size_t>(tile) * count_ + slot(n)) * nodes;
    }
    const float* mean(int tile) const {
        return values_.data() + (static_cast<std::size_t>(tile) * count_ + count_ - 1) * nodes;
    }
    /// coupling_reach of the tensors; only if these are full.
    const float* coupling(int tile) const { return mean(tile) - nodes; }
    float* times(int tile) const { return tau_.data() + static_cast<std::size_t>(tile) * nodes; }

    const NodeNumbers& numbers() const { return numbers_; }
    int tiles(int axis) const { return tiles_[static_cast<std::size_t>(axis)]; }
    int tile_stride(int axis) const {
        return axis == 0 ? tiles_[1] * tiles_[2] : axis == 1 ? tiles_[2] : 1;
    }
    std::array<int, 3> place_of(int tile) const {
        return {tile / tile_stride(0), tile / tiles_[2] % tiles_[1], tile % tiles_[2]};
    }
    /// The first node of a tile; it may lie before the grid.
    std::array<int, 3> begin_of(int tile) const;

  private:
    std::size_t slot(std::size_t n) const { return full_ || n < 3 ? n : n - 3; }
    /// Calls copy(row in C order, code and tile of the first node, number of nodes) for the parts
    /// of all rows of nodes that lie in one tile.
    void put_coupling(int tile);
    template <class Copy>
    void each_part(int threads, Copy copy) const;

    const NodeNumbers& numbers_;
    bool full_;
    std::size_t count_;  ///< of numbers, with coupling_reach and the mean
    std::array<int, 3> tiles_;
    std::array<int, 3> shift_;
    HugeArray<float> values_;
    HugeArray<float> tau_;
};

}  // namespace fermat
