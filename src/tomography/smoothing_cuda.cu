#include <span>

#include "core/cuda_memory.hpp"
#include "core/device.hpp"
#include "tomography/smoothing_line.hpp"
#include "tomography/smoothing_methods.hpp"

namespace fermat {
namespace {

/// Lines along one axis: line n starts at first(n), its elements lie `step` apart.
struct AxisLines {
    std::size_t count;
    std::size_t step;
    int length;

    AxisLines(Shape shape, int axis)
        : count(shape.count() / static_cast<std::size_t>(shape[axis])),
          step(axis == 0   ? static_cast<std::size_t>(shape.y) * shape.z
               : axis == 1 ? static_cast<std::size_t>(shape.z)
                           : 1),
          length(shape[axis]) {}

    __device__ std::size_t first(std::size_t n) const {
        return n / step * step * static_cast<std::size_t>(length) + n % step;
    }
};

/// One line of a thread's own. Sums are kept where their mean will stand.
struct DeviceLine {
    const double* from;
    double* to;
    std::size_t step;

    FERMAT_HD double zero() const { return 0; }
    FERMAT_HD double load(int i) const { return from[step * i]; }
    FERMAT_HD void emit(int i, double mean) const { to[step * i] = mean; }
    FERMAT_HD void keep(int, int i, double sum) const { to[step * i] = sum; }
    FERMAT_HD double kept(int, int i) const { return to[step * i]; }
};

__device__ std::size_t thread_number() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void running_kernel(const double* from, double* to, AxisLines lines, BoxReach reach) {
    const std::size_t n = thread_number();
    if (n >= lines.count) return;
    const std::size_t first = lines.first(n);
    DeviceLine line{from + first, to + first, lines.step};
    running_means(line, lines.length, reach);
}

/// Prefix sums along one axis, in place.
__global__ void prefix_kernel(double* table, AxisLines lines) {
    const std::size_t n = thread_number();
    if (n >= lines.count) return;
    double* line = table + lines.first(n);
    double sum = 0;
    for (int i = 0; i < lines.length; ++i) {
        sum += line[lines.step * i];
        line[lines.step * i] = sum;
    }
}

/// The elements behind their plane of zeros.
__global__ void pad_kernel(const double* values, Shape shape, double* table, Shape entries) {
    const std::size_t n = thread_number();
    if (n >= entries.count()) return;
    const int k = static_cast<int>(n % entries.z);
    const int j = static_cast<int>(n / entries.z % entries.y);
    const int i = static_cast<int>(n / entries.z / entries.y);
    const bool inside = i > 0 && j > 0 && k > 0;
    table[n] = inside ? values[shape.offset(i - 1, j - 1, k - 1)] : 0;
}

__global__ void table_kernel(const double* table, Shape entries, double* means, Shape shape,
                             BoxReach x, BoxReach y, BoxReach z) {
    const std::size_t n = thread_number();
    if (n >= shape.count()) return;
    const BoxRange along_z = box_range(static_cast<int>(n % shape.z), shape.z, z);
    const BoxRange along_y = box_range(static_cast<int>(n / shape.z % shape.y), shape.y, y);
    const BoxRange along_x = box_range(static_cast<int>(n / shape.z / shape.y), shape.x, x);
    const double count = static_cast<double>(along_x.count()) * along_y.count() * along_z.count();
    means[n] = table_box_sum(table, entries, along_x, along_y, along_z) / count;
}

constexpr int block_threads = 128;

unsigned blocks_for(std::size_t threads) {
    return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

void run_table(CudaArray<double>& values, Shape shape, BoxReach x, BoxReach y, BoxReach z) {
    const Shape entries = table_shape(shape);
    const CudaArray<double> table(entries.count());
    pad_kernel<<<blocks_for(entries.count()), block_threads>>>(values.data(), shape, table.data(),
                                                               entries);
    for (const int axis : {2, 1, 0}) {
        const AxisLines lines(entries, axis);
        prefix_kernel<<<blocks_for(lines.count), block_threads>>>(table.data(), lines);
    }
    table_kernel<<<blocks_for(shape.count()), block_threads>>>(table.data(), entries, values.data(),
                                                               shape, x, y, z);
    check_cuda(cudaGetLastError(), "smoothing");
    check_cuda(cudaDeviceSynchronize(), "smoothing");
}

void run_running(CudaArray<double>& values, Shape shape, BoxReach x, BoxReach y, BoxReach z) {
    CudaArray<double> other(shape.count());
    const BoxReach reach[] = {x, y, z};
    for (const int axis : {2, 1, 0}) {
        const AxisLines lines(shape, axis);
        running_kernel<<<blocks_for(lines.count), block_threads>>>(values.data(), other.data(),
                                                                   lines, reach[axis]);
        std::swap(values, other);
    }
    check_cuda(cudaGetLastError(), "smoothing");
    check_cuda(cudaDeviceSynchronize(), "smoothing");
}

}  // namespace

void box_means_cuda(FieldView<double> values, const SmoothingSize& size, Smoother smoother) {
    const Shape shape = values.shape();
    const BoxReach x = box_reach(size.x, shape.x);
    const BoxReach y = box_reach(size.y, shape.y);
    const BoxReach z = box_reach(size.z, shape.z);
    CudaArray<double> device(values.size());
    device.upload(std::span<const double>(values.data(), values.size()));
    if (smoother == Smoother::table) {
        run_table(device, shape, x, y, z);
    } else {
        run_running(device, shape, x, y, z);
    }
    device.download(std::span<double>(values.data(), values.size()));
}

}  // namespace fermat
