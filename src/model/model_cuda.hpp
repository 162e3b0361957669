#pragma once

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat {

/// A model whose velocity lies on the CUDA device, in memory that others own, such as an array of
/// CuPy or PyTorch. It is checked on the device; fetch() copies parts of it to the host.
class CudaModel {
  public:
    /// Throws InputError for the same velocities as Model, and where CUDA is not in this build or
    /// the memory is not on the current device.
    CudaModel(Grid grid, FieldView<const float, Space::device> velocity);

    const Grid& grid() const { return grid_; }
    FieldView<const float, Space::device> velocity() const { return velocity_; }
    bool has_air() const { return has_air_; }

    /// Copies the velocity of a box of nodes that begins at `first`.
    Field<float> fetch(Index3 first, Shape shape) const;
    Model fetch() const;

  private:
    Grid grid_;
    FieldView<const float, Space::device> velocity_;
    bool has_air_ = false;
};

}  // namespace fermat
