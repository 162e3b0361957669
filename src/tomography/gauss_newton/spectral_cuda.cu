#include <utility>

#include "core/block.hpp"
#include "core/launch_cuda.hpp"
#include "tomography/gauss_newton/spectral_cuda.hpp"
#include "tomography/gauss_newton/tile_product.hpp"

namespace fermat {
namespace {

constexpr int threads = 256;

__global__ void put(const double* from, const std::int64_t* places, std::size_t count, double* to) {
    const std::size_t n = thread_number();
    if (n < count) to[places[n]] = from[n];
}

__global__ void take(const double* from, const std::int64_t* places, std::size_t count,
                     double* to) {
    const std::size_t n = thread_number();
    if (n < count) to[n] = from[places[n]];
}

__global__ void divide(double* values, Shape shape, const double* x, const double* y,
                       const double* z, SpectralDivisor divisor) {
    const std::size_t n = thread_number();
    if (n >= shape.count()) return;
    const auto nz = static_cast<std::size_t>(shape.z);
    const auto ny = static_cast<std::size_t>(shape.y);
    values[n] /= divisor.at(x[n / (nz * ny)] + y[n / nz % ny] + z[n % nz]);
}

/// A block per tile: tiles of rows along x of the grid of blocks, of columns and of the batch along
/// the others.
__global__ void multiply_tiles(const double* left, const double* right, double* out,
                               AxisProducts products) {
    __shared__ ProductTile tile;
    const int tiles_along = (products.shape.columns + ProductTile::side - 1) / ProductTile::side;
    const std::size_t field = static_cast<std::size_t>(blockIdx.x / tiles_along) *
                              products.shape.inner * products.shape.columns;
    const int column = static_cast<int>(blockIdx.x) % tiles_along;
    multiply_tile(CudaBlock(), left, right + field, out + field, products.shape,
                  static_cast<int>(blockIdx.y), column, tile);
}

/// Where the field is the left factor: rows are many, columns few.
__global__ void multiply_lines(const double* left, const double* right, double* out,
                               AxisProducts products) {
    __shared__ ProductTile tile;
    multiply_tile(CudaBlock(), left, right, out, products.shape, static_cast<int>(blockIdx.x),
                  static_cast<int>(blockIdx.y), tile);
}

CudaArray<double> uploaded(const std::vector<double>& values) {
    CudaArray<double> out(values.size());
    out.upload(values);
    return out;
}

unsigned tiles(int count) {
    return static_cast<unsigned>((count + ProductTile::side - 1) / ProductTile::side);
}

}  // namespace

CudaSpectral::CudaSpectral(const Unknowns& unknowns, const SpectralSolver& host)
    : shape_(unknowns.grid().shape),
      unknowns_(unknowns.size()),
      places_(unknowns.size()),
      values_(shape_.count()),
      spare_(shape_.count()) {
    places_.upload(unknowns.places());
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        cosines_[a] = uploaded(host.cosines(axis));
        transposed_[a] = uploaded(host.transposed(axis));
        eigenvalues_[a] = uploaded(host.eigenvalues(axis));
    }
    check_cuda(cudaDeviceSynchronize(), "sending cosines");
}

void CudaSpectral::transform(int axis, bool back) {
    if (shape_[axis] == 1) return;
    const auto a = static_cast<std::size_t>(axis);
    const AxisProducts products = axis_products(shape_.x, shape_.y, shape_.z, axis);
    if (products.field_is_left) {
        // values C^T forward, values C back.
        const CudaArray<double>& right = back ? cosines_[a] : transposed_[a];
        const dim3 blocks(tiles(products.shape.rows), tiles(products.shape.columns));
        multiply_lines<<<blocks, ProductTile::lanes>>>(values_.data(), right.data(), spare_.data(),
                                                       products);
    } else {
        const CudaArray<double>& left = back ? transposed_[a] : cosines_[a];
        const dim3 blocks(tiles(products.shape.columns) * static_cast<unsigned>(products.batch),
                          tiles(products.shape.rows));
        multiply_tiles<<<blocks, ProductTile::lanes>>>(left.data(), values_.data(), spare_.data(),
                                                       products);
    }
    check_cuda(cudaGetLastError(), "transforming by cosines");
    std::swap(values_, spare_);
}

void CudaSpectral::solve(const double* r, double* z, const SpectralDivisor& divisor) {
    check_cuda(cudaMemsetAsync(values_.data(), 0, values_.bytes()), "clearing a field");
    put<<<blocks_for(unknowns_, threads), threads>>>(r, places_.data(), unknowns_, values_.data());
    for (int axis = 0; axis < 3; ++axis) transform(axis, false);
    divide<<<blocks_for(shape_.count(), threads), threads>>>(
        values_.data(), shape_, eigenvalues_[0].data(), eigenvalues_[1].data(),
        eigenvalues_[2].data(), divisor);
    for (int axis = 0; axis < 3; ++axis) transform(axis, true);
    take<<<blocks_for(unknowns_, threads), threads>>>(values_.data(), places_.data(), unknowns_, z);
    check_cuda(cudaGetLastError(), "solving by cosines");
}

}  // namespace fermat
