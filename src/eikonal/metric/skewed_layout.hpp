#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/grid.hpp"
#include "eikonal/lanes.hpp"

namespace fermat {

/// An order of nodes in memory for sweeps. In every slab of constant i the nodes of a diagonal j +
/// k = m lie side by side, by j. They do not read one another, so a sweep computes a register of
/// them at once, and the neighbours along each axis lie side by side too. A reversed layout counts
/// k from the other end and serves sweeps that go up in j and down in k.
///
/// Lines, slabs and the whole are surrounded by a rim, wide enough for two nodes beyond the grid
/// and for registers that reach beyond the end of a line.
class SkewedLayout {
  public:
    SkewedLayout(Shape shape, bool reversed)
        : shape_(shape), reversed_(reversed), lines_(shape.y + shape.z - 1) {
        std::ptrdiff_t position = rim;
        for (int m = -rim; m < lines_ + rim; ++m) {
            const int begin = std::max(0, m - shape.z + 1);
            const int end = std::min(shape.y, m + 1);
            origin_.push_back(position + rim - std::min(begin, end));
            position += std::max(0, end - begin) + 2 * rim + lane_count<float>;
        }
        slab_ = position + rim;
    }

    Shape shape() const { return shape_; }
    int lines() const { return lines_; }
    std::size_t size() const {
        return static_cast<std::size_t>(slab_) * static_cast<std::size_t>(shape_.x + 2 * rim);
    }
    int begin(int m) const { return std::max(0, m - shape_.z + 1); }
    int end(int m) const { return std::min(shape_.y, m + 1); }
    /// Where j = 0 of a line would lie.
    std::ptrdiff_t origin(int i, int m) const {
        return (i + rim) * slab_ + origin_[static_cast<std::size_t>(m + rim)];
    }
    /// The steps from a node to those next to it along x, y and z, and to those behind them.
    std::ptrdiff_t slab() const { return slab_; }
    std::ptrdiff_t step_y(int m, int steps) const { return step_z(m, steps) + steps; }
    std::ptrdiff_t step_z(int m, int steps) const {
        return origin_[static_cast<std::size_t>(m + steps + rim)] -
               origin_[static_cast<std::size_t>(m + rim)];
    }
    bool reversed() const { return reversed_; }

    /// Calls visit(position here, offset in C order) for the nodes of slab i.
    template <class Visit>
    void each_in_slab(int i, Visit visit) const {
        for (int m = 0; m < lines_; ++m) {
            const std::ptrdiff_t line = origin(i, m);
            for (int j = begin(m); j < end(m); ++j) {
                const int k = reversed_ ? shape_.z - 1 - (m - j) : m - j;
                visit(static_cast<std::size_t>(line + j), shape_.offset(i, j, k));
            }
        }
    }

  private:
    static constexpr int rim = 2;
    Shape shape_;
    bool reversed_;
    int lines_;
    std::ptrdiff_t slab_ = 0;
    std::vector<std::ptrdiff_t> origin_;
};

}  // namespace fermat
