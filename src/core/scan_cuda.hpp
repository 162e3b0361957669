#pragma once

// For .cu files only.

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <string>

#include "core/memory_cuda.hpp"

namespace fermat {

/// Sets sums[n] to the sum of the values before n, for n in [0, count). `scratch` grows as needed.
template <class T>
void exclusive_sums(const CudaArray<T>& values, CudaArray<T>& sums, std::size_t count,
                    CudaArray<unsigned char>& scratch, const std::string& what) {
    std::size_t bytes = 0;
    check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values.data(), sums.data(), count),
               what);
    scratch.reserve(bytes);
    check_cuda(
        cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, values.data(), sums.data(), count),
        what);
}

}  // namespace fermat
