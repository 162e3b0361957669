#pragma once

// For .cu files alone: smoothing of fields that are on the device already.

#include <cstdint>

#include "core/grid.hpp"
#include "core/memory_cuda.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// `table` or `running`, in the order of sums that the CPU has. Keeps its work space from call to
/// call; work goes to the default stream and is not waited for.
class DeviceSmoother {
  public:
    explicit DeviceSmoother(Smoother smoother) : smoother_(smoother) {}

    /// Takes the memory that fields of this shape will need.
    void reserve(Shape shape);

    /// As smooth_cells and smooth_vertices; `mask` may be null.
    void cells(double* perturbations, const double* coverage, Shape shape,
               const SmoothingSize& size, int passes);
    void vertices(double* values, const std::uint8_t* mask, Shape shape, const SmoothingSize& size,
                  int passes);

  private:
    /// One pass of the box over `fields` fields that lie one behind another.
    void box_means(double* values, int fields, Shape shape, const SmoothingSize& size);
    void running_means_of(double* values, int fields, Shape shape, const SmoothingSize& size);
    void table_means_of(double* values, int fields, Shape shape, const SmoothingSize& size);

    Smoother smoother_;
    CudaArray<double> fields_;
    CudaArray<double> table_;
    CudaArray<double> long_lines_;
};

}  // namespace fermat
