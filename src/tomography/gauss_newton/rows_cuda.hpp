#pragma once

// For .cu files alone.

#include "core/memory_cuda.hpp"
#include "tomography/gauss_newton/row_products.hpp"
#include "tomography/gauss_newton/row_store.hpp"

namespace fermat {

/// Rows on the CUDA device: 8 bytes per entry, 16 per row.
class CudaRows : public RowStore {
  public:
    CudaRows(HostRows&& rows, std::size_t columns);

    std::size_t rows() const override { return weight_.size(); }
    void times(std::span<const double> x, std::span<double> out, int threads) const override;
    void transposed(std::span<const double> y, const FixedScale& scale,
                    std::span<std::int64_t> sums, int threads) const override;
    void squares(const FixedScale& scale, std::span<std::int64_t> sums, int threads) const override;

    // On vectors of the device.
    void times(const CudaArray<double>& x, CudaArray<double>& out) const;
    void transposed(const CudaArray<double>& y, const FixedScale& scale,
                    CudaArray<std::int64_t>& sums) const;
    const double* weights() const { return weight_.data(); }

  private:
    RowsView view() const { return {start_.data(), column_.data(), value_.data(), weight_.data()}; }

    std::size_t columns_;
    CudaArray<std::int64_t> start_;
    CudaArray<std::int32_t> column_;
    CudaArray<float> value_;
    CudaArray<double> weight_;
};

}  // namespace fermat
