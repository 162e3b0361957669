#pragma once

#include "core/block.hpp"

namespace fermat {

/// Values that the lanes of a block read at once and use later: value n of Count belongs to the
/// lane that for_each would give n. On a GPU they stay in registers, and all reads run side by
/// side.
template <class Block, class Value, int Count>
class LaneValues {
  public:
    template <class Read>
    FERMAT_HD LaneValues(const Block& block, Read read) {
        block.for_each(Count, [&](int n) { values_[n] = read(n); });
    }
    /// Calls use(n, value), as for_each does.
    template <class Use>
    FERMAT_HD void for_each(const Block& block, Use use) const {
        block.for_each(Count, [&](int n) { use(n, values_[n]); });
    }

  private:
    Value values_[Count];
};

#if defined(__CUDACC__)
template <class Value, int Count>
class LaneValues<CudaWarp, Value, Count> {
  public:
    template <class Read>
    __device__ LaneValues(const CudaWarp&, Read read) {
        static_assert(Count % CudaWarp::lanes == 0);
#pragma unroll
        for (int i = 0; i < rounds; ++i) values_[i] = read(number(i));
    }
    template <class Use>
    __device__ void for_each(const CudaWarp&, Use use) const {
#pragma unroll
        for (int i = 0; i < rounds; ++i) use(number(i), values_[i]);
        __syncwarp();
    }

  private:
    static constexpr int rounds = Count / CudaWarp::lanes;
    __device__ static int number(int round) {
        return round * CudaWarp::lanes + static_cast<int>(threadIdx.x % CudaWarp::lanes);
    }
    Value values_[rounds];
};
#endif

}  // namespace fermat
