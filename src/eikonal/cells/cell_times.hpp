#pragma once

#include <memory>

#include "eikonal/source_paths.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"

namespace fermat {

/// Times between nodes where velocity jumps between cells. A value interpolated between the corners
/// of a cell is too early where waves meet in it and where velocity jumps beside it. So a time is
/// made as the solver makes that of a node: the least of T(Q) + s |PQ| over the points Q on the
/// faces of the cells that the point P touches (look_back.hpp). Beside the source, where times of
/// corners say little, it is that of the shortest path (source_paths.hpp).
template <class Real>
class CellTimes {
  public:
    /// The model, with jumping cells, and the values of the field must outlive this object.
    CellTimes(const Model& model, const TimeFieldView<Real>& field);
    ~CellTimes();

    /// T at a point of the box; infinite where no wave arrives.
    double at(Vec3 point) const;
    /// Shortest paths round the source, known when this returns. Not of a front.
    const SourcePaths& near_source() const;

  private:
    struct Near;

    const Model& model_;
    TimeFieldView<Real> field_;
    std::unique_ptr<Near> near_;
};

/// Reads times of a field at points: as CellTimes where velocity jumps between cells, else between
/// nodes (time_field.hpp). Costs little until the first point beside the source is asked for.
template <class Real>
class ReceiverTimes {
  public:
    /// The model and the values of the field must outlive this object.
    ReceiverTimes(const Model& model, const BasicTimeField<Real>& field) : field_(field.view()) {
        field_.cells = model.jumping_cells();
        if (field_.cells.exist()) cells_ = std::make_shared<const CellTimes<Real>>(model, field_);
    }
    double at(Vec3 point) const { return cells_ ? cells_->at(point) : time_at(field_, point); }

  private:
    TimeFieldView<Real> field_;
    std::shared_ptr<const CellTimes<Real>> cells_;
};

}  // namespace fermat
