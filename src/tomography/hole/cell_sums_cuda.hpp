#pragma once

// For .cu files alone.

#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.hpp"
#include "core/memory_cuda.hpp"
#include "rays/rays_cuda.hpp"
#include "tomography/hole/backprojection.hpp"

namespace fermat {

/// CellSums on the device. Entries are sorted by cell and stay in the order of rays there, and one
/// thread adds up a cell: the same bits whatever the batches that rays came in.
class DeviceCellSums {
  public:
    explicit DeviceCellSums(Shape cells);

    void clear();
    /// Adds the rows of rays; one projection a ray, of weight < 0 where the ray does not count.
    /// Rows without lengths serve RayShare::even.
    void add(const DeviceRows& rows, std::span<const RayProjection> projections, RayShare share);

    /// All of them on the host.
    CellSums download() const;

    double* perturbation() const { return perturbation_.data(); }
    const double* weight() const { return weight_.data(); }
    const CudaArray<float>& count() const { return count_; }

  private:
    Shape shape_;
    std::size_t cells_;
    CudaArray<double> perturbation_;
    CudaArray<double> weight_;
    CudaArray<float> count_;
    CudaArray<RayProjection> projections_;
    CudaArray<std::uint32_t> ray_of_entry_;
    CudaArray<std::uint32_t> keys_;
    CudaArray<std::uint32_t> sorted_keys_;
    CudaArray<std::uint32_t> numbers_;
    CudaArray<std::uint32_t> order_;
    CudaArray<unsigned char> scratch_;
};

/// Rows that came from elsewhere.
class UploadedRows {
  public:
    DeviceRows upload(std::span<const std::int64_t> row_start, std::span<const std::uint32_t> cell,
                      std::span<const double> length);

  private:
    CudaArray<std::int64_t> row_start_;
    CudaArray<std::uint32_t> cell_;
    CudaArray<double> length_;
};

}  // namespace fermat
