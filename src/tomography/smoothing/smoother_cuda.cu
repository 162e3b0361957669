#include "tomography/smoothing/smoother_cuda.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/launch_cuda.hpp"
#include "tomography/smoothing/line.hpp"
#include "tomography/smoothing/lines_cuda.hpp"
#include "tomography/smoothing/resident_cuda.hpp"
#include "tomography/smoothing/weights.hpp"

namespace fermat {
namespace {

constexpr int block_threads = 256;

struct RunningMeans {
    BoxReach reach;

    template <class Line>
    __device__ void operator()(Line line, int length) const {
        running_means(line, length, reach);
    }
};

struct PrefixSums {
    template <class Line>
    __device__ void operator()(Line line, int length) const {
        double sum = 0;
        for (int i = 0; i < length; ++i) {
            sum += line.load(i);
            line.emit(i, sum);
        }
    }
};

/// The elements of each field behind their plane of zeros.
__global__ void pad(const double* values, Shape shape, double* table, Shape entries) {
    const std::size_t n = thread_number();
    if (n >= entries.count()) return;
    const int k = static_cast<int>(n % entries.z);
    const int j = static_cast<int>(n / entries.z % entries.y);
    const int i = static_cast<int>(n / entries.z / entries.y);
    const bool inside = i > 0 && j > 0 && k > 0;
    values += blockIdx.y * shape.count();
    table[blockIdx.y * entries.count() + n] =
        inside ? values[shape.offset(i - 1, j - 1, k - 1)] : 0;
}

__global__ void look_up(const double* table, Shape entries, double* means, Shape shape, BoxReach x,
                        BoxReach y, BoxReach z) {
    const std::size_t n = thread_number();
    if (n >= shape.count()) return;
    const BoxRange along_z = box_range(static_cast<int>(n % shape.z), shape.z, z);
    const BoxRange along_y = box_range(static_cast<int>(n / shape.z % shape.y), shape.y, y);
    const BoxRange along_x = box_range(static_cast<int>(n / shape.z / shape.y), shape.x, x);
    const double count = static_cast<double>(along_x.count()) * along_y.count() * along_z.count();
    table += blockIdx.y * entries.count();
    means[blockIdx.y * shape.count() + n] =
        table_box_sum(table, entries, along_x, along_y, along_z) / count;
}

/// Perturbations, coverage, and where there is coverage: what the first pass over cells needs.
__global__ void set_cells(const double* perturbations, const double* coverage, std::size_t count,
                          double* fields) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    fields[n] = perturbations[n];
    fields[count + n] = coverage[n];
    fields[2 * count + n] = coverage[n] > 0 ? 1 : 0;
}

/// After a pass: the mean a ray, times the coverage where a further pass follows. The last pass
/// leaves cells without coverage in their box as they were.
__global__ void weigh_cells(double* fields, const double* coverage, std::size_t count, bool present,
                            bool last, double* perturbations) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    const bool empty = present && fields[2 * count + n] == 0;
    const double rays = empty ? 0 : fields[count + n];
    const double mean = weighted_mean(fields[n], rays);
    if (!last) {
        fields[n] = mean * coverage[n];
    } else if (rays != 0) {
        perturbations[n] = mean;
    }
}

__global__ void set_masked(const double* values, const std::uint8_t* mask, std::size_t count,
                           double* fields, bool weights) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    fields[n] = mask[n] != 0 ? values[n] : 0;
    if (weights) fields[count + n] = mask[n] != 0 ? 1 : 0;
}

__global__ void weigh_masked(const double* fields, const std::uint8_t* mask, std::size_t count,
                             double* values) {
    const std::size_t n = thread_number();
    if (n >= count || mask[n] == 0) return;
    values[n] = weighted_mean(fields[n], fields[count + n]);
}

/// The launches of one pass of the box over some fields, by name.
std::vector<KernelProfile> pass_kernels(Smoother smoother, int fields, Shape shape) {
    std::vector<KernelProfile> kernels;
    const auto layers = static_cast<unsigned>(fields);
    const auto per_element = [&](const char* name, auto* kernel, std::size_t count) {
        kernels.push_back(profile_of(name, kernel, dim3(blocks_for(count, block_threads), layers),
                                     dim3(block_threads)));
    };
    const auto along = [](const char* what, int axis) {
        return std::string(what) + " along " + "xyz"[axis];
    };
    if (smoother == Smoother::running) {
        for (const int axis : {2, 1, 0}) {
            kernels.push_back(
                profile_of_lines<RunningMeans>(along("means", axis), fields, shape, axis));
        }
        return kernels;
    }
    const Shape entries = table_shape(shape);
    per_element("pad", &pad, entries.count());
    for (const int axis : {2, 1, 0}) {
        kernels.push_back(profile_of_lines<PrefixSums>(along("sums", axis), fields, entries, axis));
    }
    per_element("look up", &look_up, shape.count());
    return kernels;
}

}  // namespace

std::vector<KernelProfile> cell_kernels(Smoother smoother, Shape shape) {
    const std::size_t count = shape.count();
    const dim3 grid(blocks_for(count, block_threads));
    std::vector<KernelProfile> kernels{profile_of("set", &set_cells, grid, dim3(block_threads))};
    const int fields = smoother == Smoother::table ? 3 : 2;
    for (KernelProfile& kernel : pass_kernels(smoother, fields, shape)) {
        kernels.push_back(std::move(kernel));
    }
    kernels.push_back(profile_of("weigh", &weigh_cells, grid, dim3(block_threads)));
    return kernels;
}

std::vector<KernelProfile> vertex_kernels(Smoother smoother, Shape shape) {
    return pass_kernels(smoother, 1, shape);
}

void DeviceSmoother::reserve(Shape shape) {
    fields_.reserve(3 * shape.count());
    if (smoother_ == Smoother::table) table_.reserve(3 * table_shape(shape).count());
}

void DeviceSmoother::running_means_of(double* values, int fields, Shape shape,
                                      const SmoothingSize& size) {
    for (const int axis : {2, 1, 0}) {
        const RunningMeans means{box_reach(size[axis], shape[axis])};
        for_each_line(values, fields, shape, axis, means, long_lines_);
    }
}

void DeviceSmoother::table_means_of(double* values, int fields, Shape shape,
                                    const SmoothingSize& size) {
    const Shape entries = table_shape(shape);
    table_.reserve(entries.count() * static_cast<std::size_t>(fields));
    const auto layers = static_cast<unsigned>(fields);
    pad<<<dim3(blocks_for(entries.count(), block_threads), layers), block_threads>>>(
        values, shape, table_.data(), entries);
    for (const int axis : {2, 1, 0}) {
        for_each_line(table_.data(), fields, entries, axis, PrefixSums{}, long_lines_);
    }
    look_up<<<dim3(blocks_for(shape.count(), block_threads), layers), block_threads>>>(
        table_.data(), entries, values, shape, box_reach(size.x, shape.x),
        box_reach(size.y, shape.y), box_reach(size.z, shape.z));
}

void DeviceSmoother::box_means(double* values, int fields, Shape shape, const SmoothingSize& size) {
    if (smoother_ == Smoother::table) {
        table_means_of(values, fields, shape, size);
    } else {
        running_means_of(values, fields, shape, size);
    }
    check_cuda(cudaGetLastError(), "smoothing");
}

void DeviceSmoother::cells(double* perturbations, const double* coverage, Shape shape,
                           const SmoothingSize& size, int passes) {
    const std::size_t count = shape.count();
    // Differences of a table are exact for whole numbers only: where coverage lies is asked of a
    // table of its own.
    const bool present = smoother_ == Smoother::table;
    fields_.reserve(3 * count);
    set_cells<<<blocks_for(count, block_threads), block_threads>>>(perturbations, coverage, count,
                                                                   fields_.data());
    for (int pass = 0; pass < passes; ++pass) {
        box_means(fields_.data(), pass > 0 ? 1 : present ? 3 : 2, shape, size);
        weigh_cells<<<blocks_for(count, block_threads), block_threads>>>(
            fields_.data(), coverage, count, present, pass + 1 == passes, perturbations);
    }
    check_cuda(cudaGetLastError(), "smoothing");
}

void DeviceSmoother::vertices(double* values, const std::uint8_t* mask, Shape shape,
                              const SmoothingSize& size, int passes) {
    if (mask == nullptr) {
        for (int pass = 0; pass < passes; ++pass) box_means(values, 1, shape, size);
        return;
    }
    const std::size_t count = shape.count();
    fields_.reserve(2 * count);
    for (int pass = 0; pass < passes; ++pass) {
        set_masked<<<blocks_for(count, block_threads), block_threads>>>(values, mask, count,
                                                                        fields_.data(), pass == 0);
        box_means(fields_.data(), pass > 0 ? 1 : 2, shape, size);
        weigh_masked<<<blocks_for(count, block_threads), block_threads>>>(fields_.data(), mask,
                                                                          count, values);
    }
    check_cuda(cudaGetLastError(), "smoothing");
}

}  // namespace fermat
