#pragma once

// For .cu files only.

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/kernel_profile.hpp"
#include "core/memory_cuda.hpp"

namespace fermat {
namespace detail {

inline int device_attribute(cudaDeviceAttr attribute) {
    int device = 0;
    int value = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "asking for the device");
    return value;
}

/// Registers are handed out in pieces of 256 per warp of 32 threads.
inline int registers_of_block(int per_thread, int threads) {
    constexpr int piece = 256;
    const int per_warp = (32 * per_thread + piece - 1) / piece * piece;
    return per_warp * ((threads + 31) / 32);
}

}  // namespace detail

/// Of a kernel with this launch. Throws ComputeError where the driver does not answer.
template <class Kernel>
KernelProfile profile_of(std::string name, Kernel* kernel, dim3 grid, dim3 block,
                         std::size_t shared = 0) {
    using detail::device_attribute;
    const void* const address = reinterpret_cast<const void*>(kernel);
    cudaFuncAttributes attributes{};
    check_cuda(cudaFuncGetAttributes(&attributes, address), "asking for a kernel");
    KernelProfile found;
    found.kernel = std::move(name);
    found.grid = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)};
    found.block = {static_cast<int>(block.x), static_cast<int>(block.y), static_cast<int>(block.z)};
    found.registers = attributes.numRegs;
    found.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + shared);
    found.most_blocks = device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    found.most_threads = device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    found.multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    const int threads = found.threads_per_block();
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks, address, threads, shared),
        "asking for a kernel");
    const int registers = detail::registers_of_block(found.registers, threads);
    const int reserved = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    const std::pair<int, const char*> limits[] = {
        {found.most_threads / threads, "threads"},
        {found.most_blocks, "blocks"},
        {device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / std::max(1, registers),
         "registers"},
        {device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
             std::max(1, found.shared_bytes + reserved),
         "shared memory"}};
    found.limit =
        std::min_element(std::begin(limits), std::end(limits), [](const auto& a, const auto& b) {
            return a.first < b.first;
        })->second;
    return found;
}

}  // namespace fermat
