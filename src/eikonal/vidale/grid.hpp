#pragma once

#include <array>
#include <cstddef>

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat::vidale {

using Offset = std::ptrdiff_t;

/// Times and slownesses with a rim of one node round the grid, so that no operator asks where the
/// grid ends. A time of NaN means that the box has not reached the node yet (the rim: never);
/// infinity, that it has and no wave came. Air has infinite slowness, so that every operator that
/// touches it gives an infinite time. A 2-D grid has no rim along y, and its y is never stepped.
template <class Real>
class TimingGrid {
  public:
    /// `source_slowness` sets the unit of time.
    TimingGrid(const Model& model, double source_slowness);

    Offset offset(Index3 node) const {
        return (node.x + 1) * stride_[0] + (node.y + rim_y_) * stride_[1] + node.z + 1;
    }
    Offset stride(int axis) const { return stride_[static_cast<std::size_t>(axis)]; }
    /// Lengths are in units of the smallest spacing and times in about the time across it at the
    /// source, whatever the user's units, so that their squares stay in the range of a float.
    Real spacing(int axis) const { return spacing_[static_cast<std::size_t>(axis)]; }
    /// 1 / h^2
    Real weight(int axis) const { return weight_[static_cast<std::size_t>(axis)]; }

    Real& time(Offset n) { return times_.data()[n]; }
    Real time(Offset n) const { return times_.data()[n]; }
    Real slowness(Offset n) const { return slowness_.data()[n]; }

    /// Slowness is multilinear between nodes: its values at the middle of an edge, a face and a
    /// cell are the means of their corners. Hole & Zelt, who have constant cells, give an edge or
    /// face the slowness of the fastest cell that touches it. With values on nodes the edges and
    /// faces on the fast side of an interface hold the fast slowness themselves, and in smooth
    /// media no slowness is taken from half a cell away.
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

    /// The grid's unit of time, in the user's.
    double unit() const { return unit_; }

    /// The times without the rim, in the user's units. Gives up the memory of everything else.
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
