#pragma once

// For .cu files alone.

#include <cstddef>

namespace fermat {

/// Blocks of so many threads that there is a thread for each of `count` elements.
inline unsigned blocks_for(std::size_t count, int threads) {
    const auto each = static_cast<std::size_t>(threads);
    return static_cast<unsigned>((count + each - 1) / each);
}

__device__ inline std::size_t thread_number() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

}  // namespace fermat
