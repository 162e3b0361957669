#pragma once

#include "core/host_device.hpp"

namespace fermat {

/// A block algorithm is a sequence of phases over a group of lanes, with a barrier after each
/// phase:
///
///     template <class Block> FERMAT_HD void relax(Block block, Tile tile) {
///         block.for_each(tile.size(), [&](int lane) { ... });   // a phase and its barrier
///     }
///
/// HostBlock runs the lanes of a phase one after another; CudaBlock spreads them over the threads
/// of a CUDA block. A phase without races gives the same bits for both lane orders, so tests on the
/// CPU find races in GPU algorithms.
enum class LaneOrder { forward, backward };

class HostBlock {
  public:
    explicit HostBlock(LaneOrder order = LaneOrder::forward) : order_(order) {}

    /// FERMAT_HD only because nvcc demands it of what a FERMAT_HD algorithm calls.
    template <class Phase>
    FERMAT_HD void for_each(int count, Phase phase) const {
        if (order_ == LaneOrder::forward) {
            for (int lane = 0; lane < count; ++lane) phase(lane);
        } else {
            for (int lane = count - 1; lane >= 0; --lane) phase(lane);
        }
    }

    /// A barrier of its own, as between reads of all lanes and a write of the next phase.
    FERMAT_HD void sync() const {}

    /// One item per lane of a warp.
    template <class Phase>
    FERMAT_HD void each_lane(Phase phase) const {
        for_each(32, phase);
    }

    /// Calls write(n, read(n)) for n in [0, Count). Writes must not touch the memory that reads
    /// use.
    template <int Count, class Read, class Write>
    FERMAT_HD void transfer(Read read, Write write) const {
        for_each(Count, [&](int n) { write(n, read(n)); });
    }

    /// Reduces the lanes' own values to one value for all lanes. The lanes of a HostBlock share
    /// their variables, so nothing remains to be done.
    FERMAT_HD unsigned any_bits(unsigned gathered) const { return gathered; }
    FERMAT_HD float least(float gathered) const { return gathered; }
    /// True in one lane only, for work that is done once.
    FERMAT_HD bool leads() const { return true; }

    /// What each lane of a warp keeps from phase to phase.
    template <class T>
    class Local {
      public:
        FERMAT_HD T& operator[](int lane) { return values_[lane]; }

      private:
        T values_[32];
    };

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
        sync();
    }
    __device__ void sync() const { __syncthreads(); }
};

/// A group of neighbouring lanes of a warp. Where an algorithm has long phases for one lane,
/// several groups run them side by side.
template <int Lanes>
class CudaGroup {
  public:
    static_assert(32 % Lanes == 0);

    template <class Phase>
    __device__ void for_each(int count, Phase phase) const {
        for (int lane = index(); lane < count; lane += Lanes) phase(lane);
        sync();
    }
    __device__ void sync() const { __syncwarp(members()); }
    __device__ bool leads() const { return index() == 0; }

  private:
    __device__ static int index() { return static_cast<int>(threadIdx.x % Lanes); }
    __device__ static unsigned members() {
        constexpr unsigned some = Lanes == 32 ? 0xffffffffU : (1U << (Lanes % 32)) - 1;
        return some << (threadIdx.x % 32 / Lanes * Lanes);
    }
};

/// One warp. Its barrier is cheap, and many warps hide each other's latency.
class CudaWarp {
  public:
    static constexpr unsigned all = 0xffffffffU;
    static constexpr int lanes = 32;

    template <class Phase>
    __device__ void for_each(int count, Phase phase) const {
        for (int lane = index(); lane < count; lane += lanes) phase(lane);
        sync();
    }
    __device__ void sync() const { __syncwarp(); }
    template <class Phase>
    __device__ void each_lane(Phase phase) const {
        phase(index());
        __syncwarp();
    }
    /// Starts several reads per lane before the first write. The loop is unrolled, so that the
    /// compiler knows all of n but the lane.
    template <int Count, class Read, class Write>
    __device__ void transfer(Read read, Write write) const {
        constexpr int most = 20;
        static_assert(Count % lanes == 0);
        constexpr int rounds = Count / lanes;
#pragma unroll
        for (int first = 0; first < rounds; first += most) {
            decltype(read(0)) values[most];
#pragma unroll
            for (int i = 0; i < most; ++i) {
                if (first + i < rounds) values[i] = read((first + i) * lanes + index());
            }
#pragma unroll
            for (int i = 0; i < most; ++i) {
                if (first + i < rounds) write((first + i) * lanes + index(), values[i]);
            }
        }
        __syncwarp();
    }
    __device__ unsigned any_bits(unsigned gathered) const {
#if __CUDA_ARCH__ >= 800
        return __reduce_or_sync(all, gathered);
#else
        for (int step = lanes / 2; step > 0; step /= 2) {
            gathered |= __shfl_xor_sync(all, gathered, step);
        }
        return gathered;
#endif
    }
    /// Least of the lanes' values. For values >= 0, whose bits have the same order.
    __device__ float least(float gathered) const {
#if __CUDA_ARCH__ >= 800
        return __uint_as_float(__reduce_min_sync(all, __float_as_uint(gathered)));
#else
        for (int step = lanes / 2; step > 0; step /= 2) {
            gathered = fminf(gathered, __shfl_xor_sync(all, gathered, step));
        }
        return gathered;
#endif
    }
    __device__ bool leads() const { return index() == 0; }

    /// The lane's own registers.
    template <class T>
    class Local {
      public:
        __device__ T& operator[](int) { return value_; }

      private:
        T value_;
    };

  private:
    __device__ static int index() { return static_cast<int>(threadIdx.x & (lanes - 1)); }
};
#endif

}  // namespace fermat
