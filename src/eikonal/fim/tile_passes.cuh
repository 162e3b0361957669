#pragma once

// For .cu files only: the passes over the lists of tiles.

#include <cooperative_groups.h>

#include "core/block.hpp"
#include "eikonal/fim/tile_queue.hpp"

namespace fermat {

/// Which tile of a list a warp takes first. Few tiles are spread over all multiprocessors and over
/// the schedulers of each: blocks with consecutive numbers run on different multiprocessors, and
/// the warps of a block on different schedulers.
__device__ inline unsigned first_tile(unsigned processors) {
    const unsigned warps = blockDim.x / CudaWarp::lanes;
    const unsigned layer = (threadIdx.x / CudaWarp::lanes + blockIdx.x / processors) % warps;
    return layer * gridDim.x + blockIdx.x;
}

/// Runs all passes without the host and returns their number. Warps take tiles from the list of the
/// pass with take(pass, entry), then wait for one another. Every thread of a cooperative grid calls
/// it.
template <class Take>
__device__ int run_over_tiles(const TileQueue& queue, Take take) {
    const CudaWarp warp;
    const auto grid = cooperative_groups::this_grid();
    const unsigned all_warps = gridDim.x * (blockDim.x / CudaWarp::lanes);
    const unsigned first = first_tile(queue.processors);
    int pass = 0;
    for (; !queue.finished(pass); ++pass) {
        const int slot = pass & (TileQueue::ring - 1);
        if (blockIdx.x == 0 && threadIdx.x < CudaWarp::lanes) queue.prepare(warp, pass);
        const unsigned count = queue.count[slot];
        for (unsigned n = first; n < count;) {
            take(pass, queue.list[slot][n]);
            __syncwarp();
            if (count <= all_warps) break;
            if (warp.leads()) n = all_warps + atomicAdd(&queue.taken[slot], 1U);
            n = __shfl_sync(CudaWarp::all, n, 0);
        }
        grid.sync();
    }
    return pass;
}

}  // namespace fermat
