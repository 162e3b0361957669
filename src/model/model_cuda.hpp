#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat {

/// A box of the nodes of a grid.
struct NodeBox {
    Index3 first;
    Shape shape;
};

/// A model whose velocity lies on the CUDA device, in memory that others own, such as an array of
/// CuPy or PyTorch. It is checked on the device; fetch() copies parts of it to the host.
class CudaModel {
  public:
    /// Throws InputError for the same velocities as Model, and where CUDA is not in this build or
    /// the memory is not on the current device.
    CudaModel(Grid grid, FieldView<const float, Space::device> velocity);

    enum class Given { velocity, slowness };
    /// A model of values that the stream in use has in order, for who fetches parts of it before
    /// all else: only the first fetch checks the values, and throws for them as above. Velocities
    /// made of slownesses are memory of the model, and right from the first fetch on.
    CudaModel(Grid grid, FieldView<const float, Space::device> values, Given given);

    const Grid& grid() const { return grid_; }
    FieldView<const float, Space::device> velocity() const { return velocity_; }
    bool has_air() const { return has_air_; }

    /// Copies the velocity of boxes of nodes to the host, with one wait for all.
    std::vector<Field<float>> fetch(std::span<const NodeBox> boxes) const;
    Field<float> fetch(Index3 first, Shape shape) const;
    Model fetch() const;

  private:
    void require_shape() const;

    Grid grid_;
    FieldView<const float, Space::device> velocity_;
    std::shared_ptr<float> own_;               ///< the velocity, if slowness was given
    mutable const float* slowness_ = nullptr;  ///< until the first fetch
    mutable bool checked_ = false;
    mutable bool has_air_ = false;
};

}  // namespace fermat
