#pragma once

#include <array>
#include <cstddef>

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat::vidale {

using Offset = std::ptrdiff_t;

/// Times and slownesses with a rim of one node round the grid, so operators need not test for the
/// end of the grid. A time of NaN means that the box has not reached the node yet (it never reaches
/// the rim); infinity means that it has, and no wave arrived. Air has infinite slowness, so every
/// operator that touches it gives an infinite time. A 2-D grid has no rim along y, and operators
/// never step along y.
template <class Real>
class TimingGrid {
  public:
    /// `source_slowness` sets the unit of time.
    TimingGrid(const Model& model, double source_slowness);

    Offset offset(Index3 node) const {
        return (node.x + 1) * stride_[0] + (node.y + rim_y_) * stride_[1] + node.z + 1;
    }
    /// The number of offsets, those of the rim included.
    std::size_t padded_count() const { return times_.size(); }
    Offset stride(int axis) const { return stride_[static_cast<std::size_t>(axis)]; }
    /// Lengths are in units of the smallest spacing, and times in units near the time across it at
    /// the source. In these units their squares stay in the range of a float, whatever units the
    /// user has.
    Real spacing(int axis) const { return spacing_[static_cast<std::size_t>(axis)]; }
    /// 1 / h^2
    Real weight(int axis) const { return weight_[static_cast<std::size_t>(axis)]; }

    Real& time(Offset n) { return times_.data()[n]; }
    Real time(Offset n) const { return times_.data()[n]; }
    Real slowness(Offset n) const { return slowness_.data()[n]; }

    /// Slowness is multilinear between nodes: its values at the middle of an edge, a face and a
    /// cell are the means of their corners. Hole & Zelt use constant cells and give an edge or face
    /// the slowness of the fastest cell that touches it. With values on nodes, the edges and faces
    /// on the fast side of an interface have the fast slowness anyway, and in smooth media no
    /// slowness comes from half a cell away.
    Real edge_slowness(Offset n, Offset step) const {
        return (slowness(n) + slowness(n + step)) / 2;
    }
    Real face_slowness(Offset n, Offset step_a, Offset step_b) const {
        return (slowness(n) + slowness(n + step_a) + slowness(n + step_b) +
                slowness(n + step_a + step_b)) /
               4;
    }
    Real cell_slowness(Offset n, Offset step_a, Offset step_b, Offset step_c) const {
        const auto low = [](Offset step) { return step < 0 ? step : 0; };
        return cells_.data()[n + low(step_a) + low(step_b) + low(step_c)];
    }

    /// The unit of time of this grid, in the user's units.
    double unit() const { return unit_; }

    /// Returns the times without the rim, in the user's units, and frees all other memory.
    Field<Real> take_times();

  private:
    Shape shape_;
    int rim_y_;
    double unit_ = 1;
    std::array<Offset, 3> stride_{};
    std::array<Real, 3> spacing_{};
    std::array<Real, 3> weight_{};
    Field<Real> times_;
    Field<Real> slowness_;
    /// Mean of the corners of the cell between a node and the next ones, at the node's offset.
    Field<Real> cells_;
};

}  // namespace fermat::vidale
