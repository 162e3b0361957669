#pragma once

#include <optional>

#include "eikonal/cells/cell_times.hpp"
#include "times/times.hpp"

namespace fermat {

/// Reads a field at points of users, where velocity jumps between cells as the solver would make
/// times there (cell_times.hpp); elsewhere as ArrivalField::time_at.
class ArrivalReader {
  public:
    /// The model and the field must outlive this object.
    ArrivalReader(const Model& model, ArrivalField& field) : field_(field), grid_(model.grid()) {
        if (const auto* eikonal = field.eikonal()) single_.emplace(model, *eikonal);
        if (const auto* exact = field.exact()) full_.emplace(model, *exact);
    }
    double at(Vec3 point) const {
        if (single_) return single_->at(grid_.clamp(point));
        return full_ ? full_->at(grid_.clamp(point)) : field_.time_at(point);
    }

  private:
    const ArrivalField& field_;
    Grid grid_;
    std::optional<ReceiverTimes<float>> single_;
    std::optional<ReceiverTimes<double>> full_;
};

}  // namespace fermat
