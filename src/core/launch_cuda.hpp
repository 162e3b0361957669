#pragma once

// For .cu files only.

#include <cstddef>

namespace fermat {

/// Number of blocks that gives one thread per element.
inline unsigned blocks_for(std::size_t count, int threads) {
    const auto each = static_cast<std::size_t>(threads);
    return static_cast<unsigned>((count + each - 1) / each);
}

__device__ inline std::size_t thread_number() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

}  // namespace fermat
