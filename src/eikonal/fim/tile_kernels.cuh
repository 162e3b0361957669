#pragma once

// For .cu files only: the simple kernels round the passes over tiles. Each file has its own copy.

#include <cstddef>

#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {
namespace {

__global__ void mark_unreached(float* tau, std::size_t count) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        if (!(tau[n] < reached_limit<float>)) tau[n] = INFINITY;
    }
}

/// Puts tiles on the lists of the first two passes; the threads of one block call it.
__device__ inline void activate_part(const TileQueue& queue, const unsigned* entries, unsigned even,
                                     unsigned all) {
    for (unsigned n = threadIdx.x; n < all; n += blockDim.x) {
        const unsigned entry = entries[n];
        queue.states[entry].faces = TileQueue::by_itself;
        queue.states[entry].key = 0;
        queue.push(n < even ? 0 : 1, entry);
    }
}

/// Empties the lists; all threads of a grid call it.
__device__ inline void reset_part(const TileQueue& queue, std::size_t entries) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t first = blockIdx.x * blockDim.x + threadIdx.x;
    for (std::size_t n = first; n < entries; n += step) queue.states[n] = {};
    for (std::size_t n = first; n < static_cast<std::size_t>(TileQueue::ring); n += step) {
        queue.count[n] = 0;
        queue.taken[n] = 0;
    }
    for (std::size_t n = first; n < static_cast<std::size_t>(TileQueue::ring * queue.shots);
         n += step) {
        queue.woken_least[n] = INFINITY;
        queue.waiting_least[n] = INFINITY;
    }
}

__global__ void reset(TileQueue queue, std::size_t entries) { reset_part(queue, entries); }

__global__ void count_visits(TileQueue queue, std::size_t entries, unsigned* sum) {
    unsigned mine = 0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < entries; n += step) {
        mine += queue.states[n].visits;
    }
    atomicAdd(sum, mine);
}

constexpr int wide = 1024;  ///< blocks of the simple kernels: enough to fill any device

}  // namespace
}  // namespace fermat
