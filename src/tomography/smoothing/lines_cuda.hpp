#pragma once

// For .cu files alone.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/grid.hpp"
#include "core/kernel_profile_cuda.hpp"
#include "core/memory_cuda.hpp"

namespace fermat {

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

    __device__ double zero() const { return 0; }
    __device__ double load(int i) const { return from[step * i]; }
    __device__ void emit(int i, double mean) const { to[step * i] = mean; }
    __device__ void keep(int, int i, double sum) const { to[step * i] = sum; }
    __device__ double kept(int, int i) const { return to[step * i]; }
};

inline constexpr int line_threads = 128;
inline constexpr int most_lines = 32;  ///< of a block

/// `width` lines a block, brought to shared memory and back by all its threads, worked by one
/// thread a line: the way along a line is serial, the way to memory is not.
template <class Operation>
__global__ void __launch_bounds__(line_threads)
    work_lines(double* values, std::size_t field, AxisLines lines, int width, int pitch,
               Operation operation) {
    extern __shared__ double shared[];
    __shared__ std::size_t first_of[most_lines];
    double* const to = shared + pitch * lines.length;
    values += blockIdx.y * field;
    const std::size_t first_line = static_cast<std::size_t>(blockIdx.x) * width;
    const int here =
        static_cast<int>(lines.count - first_line < width ? lines.count - first_line : width);
    // Neighbouring threads take neighbouring elements in memory.
    const bool along = lines.step == 1;
    if (static_cast<int>(threadIdx.x) < here) {
        first_of[threadIdx.x] = lines.first(first_line + threadIdx.x);
    }
    __syncthreads();
    const int inner = along ? lines.length : here;
    const int elements = here * lines.length;
    const auto each = [&](auto move) {
        for (int e = static_cast<int>(threadIdx.x); e < elements; e += line_threads) {
            const int i = along ? e % inner : e / inner;
            const int line = along ? e / inner : e % inner;
            move(pitch * i + line, first_of[line] + lines.step * static_cast<std::size_t>(i));
        }
    };
    each([&](int place, std::size_t at) { shared[place] = values[at]; });
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < here) {
        operation(
            DeviceLine{shared + threadIdx.x, to + threadIdx.x, static_cast<std::size_t>(pitch)},
            lines.length);
    }
    __syncthreads();
    each([&](int place, std::size_t at) { values[at] = to[place]; });
}

/// An operation on lines too long for shared memory, from one array to another.
template <class Operation>
__global__ void __launch_bounds__(line_threads)
    work_long_lines(const double* from, double* to, std::size_t field, AxisLines lines,
                    Operation operation) {
    const std::size_t n = static_cast<std::size_t>(blockIdx.x) * line_threads + threadIdx.x;
    if (n >= lines.count) return;
    const std::size_t at = blockIdx.y * field + lines.first(n);
    operation(DeviceLine{from + at, to + at, lines.step}, lines.length);
}

/// How the lines along an axis of some fields are dealt to blocks.
struct LineLaunch {
    int width = 0;  ///< lines per block; 0: they are too long for shared memory
    int pitch = 0;
    std::size_t shared = 0;  ///< bytes
    dim3 grid;

    LineLaunch(const AxisLines& lines, int fields) {
        constexpr std::size_t blocks_to_fill = 264;  // two on each multiprocessor of an H200
        const std::size_t bytes_a_line =
            2 * sizeof(double) * static_cast<std::size_t>(lines.length);
        const std::size_t fitting = most_shared / bytes_a_line;
        const auto layers = static_cast<unsigned>(fields);
        if (fitting < 5) {
            grid = {static_cast<unsigned>((lines.count + line_threads - 1) / line_threads), layers,
                    1};
            return;
        }
        const auto spread = static_cast<int>(lines.count * layers / blocks_to_fill);
        width = std::min(std::clamp(spread, 4, most_lines), static_cast<int>(fitting) - 1);
        pitch = width | 1;
        shared = bytes_a_line * static_cast<std::size_t>(pitch);
        const auto each = static_cast<std::size_t>(width);
        grid = {static_cast<unsigned>((lines.count + each - 1) / each), layers, 1};
    }

    static constexpr std::size_t most_shared = 160 * 1024;
};

template <class Operation>
void allow_shared(const LineLaunch& launch) {
    if (launch.shared <= 48 * 1024) return;
    check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(&work_lines<Operation>),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(LineLaunch::most_shared)),
               "smoothing");
}

/// Does `operation(line, length)` with every line along an axis of some fields, which lie one
/// behind another. `other` serves lines that are too long for shared memory.
template <class Operation>
void for_each_line(double* values, int fields, Shape shape, int axis, Operation operation,
                   CudaArray<double>& other) {
    const AxisLines lines(shape, axis);
    const LineLaunch launch(lines, fields);
    if (launch.width == 0) {
        const std::size_t count = shape.count() * static_cast<std::size_t>(fields);
        other.reserve(count);
        work_long_lines<<<launch.grid, line_threads>>>(values, other.data(), shape.count(), lines,
                                                       operation);
        check_cuda(
            cudaMemcpyAsync(values, other.data(), count * sizeof(double), cudaMemcpyDeviceToDevice),
            "smoothing");
        return;
    }
    allow_shared<Operation>(launch);
    work_lines<<<launch.grid, line_threads, launch.shared>>>(values, shape.count(), lines,
                                                             launch.width, launch.pitch, operation);
}

/// What the driver says of the kernel that such a launch runs.
template <class Operation>
KernelProfile profile_of_lines(std::string name, int fields, Shape shape, int axis) {
    const LineLaunch launch(AxisLines(shape, axis), fields);
    if (launch.width == 0) {
        return profile_of(std::move(name), &work_long_lines<Operation>, launch.grid,
                          dim3(line_threads));
    }
    allow_shared<Operation>(launch);
    return profile_of(std::move(name), &work_lines<Operation>, launch.grid, dim3(line_threads),
                      launch.shared);
}

}  // namespace fermat
