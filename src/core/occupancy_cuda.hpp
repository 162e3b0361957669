#pragma once

// For .cu files only.

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/memory_cuda.hpp"

namespace fermat {

/// How many blocks of a kernel run at the same time.
struct Occupancy {
    int processors = 0;  ///< multiprocessors of the device
    int blocks = 0;      ///< on all of them
};

/// Lets a kernel use `shared` bytes of memory per block and asks how many of its blocks run at the
/// same time on the current device. The driver is asked once per device and kernel. `what` names
/// the work.
inline Occupancy occupancy_of(const void* kernel, int threads, std::size_t shared,
                              const std::string& what) {
    static std::mutex mutex;
    static std::map<std::pair<int, const void*>, Occupancy> known;
    int device = 0;
    check_cuda(cudaGetDevice(&device), what);
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = known.try_emplace({device, kernel});
    Occupancy& found = place->second;
    if (found.blocks > 0) return found;
    int processors = 0;
    int resident = 0;
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), what);
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)),
               what);
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
               what);
    return found = {processors, std::max(1, resident) * processors};
}

}  // namespace fermat
