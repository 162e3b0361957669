#pragma once

#include "core/host_device.hpp"

namespace fermat {

/// A block algorithm is a sequence of phases over a group of lanes with a barrier after each phase:
///
///     template <class Block> FERMAT_HD void relax(Block block, Tile tile) {
///         block.for_each(tile.size(), [&](int lane) { ... });   // phase; barrier behind it
///     }
///
/// HostBlock runs the lanes of a phase one after another, CudaBlock spreads them over the threads
/// of a CUDA block. A phase without races gives the same bits in either lane order, which is how
/// tests on the CPU find races in GPU algorithms.
enum class LaneOrder { forward, backward };

class HostBlock {
  public:
    explicit HostBlock(LaneOrder order = LaneOrder::forward) : order_(order) {}

    /// FERMAT_HD only so that nvcc lets a FERMAT_HD algorithm call it.
    template <class Phase>
    FERMAT_HD void for_each(int count, Phase phase) const {
        if (order_ == LaneOrder::forward) {
            for (int lane = 0; lane < count; ++lane) phase(lane);
        } else {
            for (int lane = count - 1; lane >= 0; --lane) phase(lane);
        }
    }

  private:
    LaneOrder order_;
};

#if defined(__CUDACC__)
class CudaBlock {
  public:
    template <class Phase>
    __device__ void for_each(int count, Phase phase) const {
        for (int lane = static_cast<int>(threadIdx.x); lane < count;
             lane += static_cast<int>(blockDim.x)) {
            phase(lane);
        }
        __syncthreads();
    }
};
#endif

}  // namespace fermat
