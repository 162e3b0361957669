#include "tomography/gauss_newton/rows_cuda.hpp"

#include <utility>

#include "core/block.hpp"
#include "core/launch_cuda.hpp"
#include "tomography/gauss_newton/row_store_cuda.hpp"

namespace fermat {
namespace {

constexpr int warps = 8;
constexpr int threads_of_block = warps * row_lanes;

__device__ std::size_t row_of_warp() { return thread_number() / row_lanes; }

__global__ void multiply_rows(RowsView rows, std::size_t count, const double* x, double* out) {
    __shared__ double parts[warps][row_lanes];
    const std::size_t row = row_of_warp();
    if (row >= count) return;
    double* const own = parts[threadIdx.x / row_lanes];
    const CudaWarp warp;
    row_times(warp, rows, row, x, own);
    if (warp.leads()) out[row] = own[0];
}

__global__ void spread_rows(RowsView rows, std::size_t count, const double* y, FixedScale scale,
                            std::int64_t* sums) {
    const std::size_t row = row_of_warp();
    if (row < count) row_spread(CudaWarp(), rows, row, y[row], scale, sums);
}

__global__ void square_rows(RowsView rows, std::size_t count, FixedScale scale,
                            std::int64_t* sums) {
    const std::size_t row = row_of_warp();
    if (row < count) row_squares(CudaWarp(), rows, row, scale, sums);
}

void clear(CudaArray<std::int64_t>& sums) {
    check_cuda(cudaMemsetAsync(sums.data(), 0, sums.bytes()), "clearing sums");
}

}  // namespace

CudaRows::CudaRows(HostRows&& rows, std::size_t columns)
    : columns_(columns),
      start_(rows.rows() + 1),
      column_(rows.entries()),
      value_(rows.entries()),
      weight_(rows.rows()) {
    const HostRows source = std::move(rows);
    std::vector<std::int64_t> start{0};
    start.reserve(source.rows() + 1);
    for (const RowLot& lot : source.lots()) {
        const auto before = static_cast<std::size_t>(start.back());
        for (std::size_t r = 1; r < lot.rows.start.size(); ++r) {
            start.push_back(static_cast<std::int64_t>(before) + lot.rows.start[r]);
        }
        const auto send = [&](auto* to, const auto& from) {
            check_cuda(cudaMemcpy(to + before, from.data(), from.size() * sizeof(from[0]),
                                  cudaMemcpyHostToDevice),
                       "sending rows");
        };
        send(column_.data(), lot.rows.column);
        send(value_.data(), lot.rows.value);
    }
    start_.upload(start);
    weight_.upload(source.weights());
    check_cuda(cudaDeviceSynchronize(), "sending rows");
}

void CudaRows::times(const CudaArray<double>& x, CudaArray<double>& out) const {
    if (rows() == 0) return;
    multiply_rows<<<blocks_for(rows() * row_lanes, threads_of_block), threads_of_block>>>(
        view(), rows(), x.data(), out.data());
    check_cuda(cudaGetLastError(), "multiplying rows");
}

void CudaRows::transposed(const CudaArray<double>& y, const FixedScale& scale,
                          CudaArray<std::int64_t>& sums) const {
    clear(sums);
    if (rows() == 0) return;
    spread_rows<<<blocks_for(rows() * row_lanes, threads_of_block), threads_of_block>>>(
        view(), rows(), y.data(), scale, sums.data());
    check_cuda(cudaGetLastError(), "adding up rows");
}

void CudaRows::times(std::span<const double> x, std::span<double> out, int) const {
    CudaArray<double> given(x.size());
    CudaArray<double> products(rows());
    given.upload(x);
    times(given, products);
    products.download(out);
}

void CudaRows::transposed(std::span<const double> y, const FixedScale& scale,
                          std::span<std::int64_t> sums, int) const {
    CudaArray<double> given(y.size());
    CudaArray<std::int64_t> added(columns_);
    given.upload(y);
    transposed(given, scale, added);
    added.download(sums);
}

void CudaRows::squares(const FixedScale& scale, std::span<std::int64_t> sums, int) const {
    CudaArray<std::int64_t> added(columns_);
    clear(added);
    if (rows() > 0) {
        square_rows<<<blocks_for(rows() * row_lanes, threads_of_block), threads_of_block>>>(
            view(), rows(), scale, added.data());
        check_cuda(cudaGetLastError(), "adding up squares");
    }
    added.download(sums);
}

std::unique_ptr<RowStore> make_cuda_rows(HostRows&& rows, std::size_t columns) {
    return std::make_unique<CudaRows>(std::move(rows), columns);
}

}  // namespace fermat
