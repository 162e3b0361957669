#pragma once

// For .cu files only: several arrays with one call of the driver.

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/memory_cuda.hpp"

namespace fermat {

/// Cuts arrays of different types from one piece of memory.
class PieceCutter {
  public:
    explicit PieceCutter(std::byte* memory = nullptr) : memory_(memory) {}

    template <class T>
    T* cut(std::size_t count) {
        std::byte* const place = memory_ == nullptr ? nullptr : memory_ + used_;
        constexpr std::size_t aligned = 256;
        used_ += (count * sizeof(T) + aligned - 1) / aligned * aligned;
        return reinterpret_cast<T*>(place);
    }
    std::size_t used() const { return used_; }

  private:
    std::byte* memory_;
    std::size_t used_ = 0;
};

/// Memory of the device for all that `share` cuts from it. It is called twice: first to count.
template <class Share>
CudaArray<std::byte> memory_for(Share share) {
    PieceCutter counting;
    share(counting);
    CudaArray<std::byte> memory(counting.used());
    PieceCutter cutter(memory.data());
    share(cutter);
    return memory;
}

/// Values on their way to the device: one copy takes them all.
class Parcel {
  public:
    static constexpr std::size_t aligned = 16;  ///< bytes, of the values of one call of add()

    /// Returns where they will lie, counted from the beginning.
    template <class T>
    std::size_t add(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t place = (bytes_.size() + aligned - 1) / aligned * aligned;
        bytes_.resize(place + values.size_bytes());
        if (!values.empty()) {
            std::memcpy(bytes_.data() + place, values.data(), values.size_bytes());
        }
        return place;
    }
    template <class T>
    std::size_t add(const std::vector<T>& values) {
        return add(std::span<const T>(values));
    }
    /// The driver has read the values when it returns, or copied them to memory of its own.
    void send(CudaArray<std::byte>& to) const {
        to.reserve(bytes_.size());
        send(to.data());
    }
    /// To memory that has room for all.
    void send(std::byte* to) const {
        if (bytes_.empty()) return;
        check_cuda(cudaMemcpyAsync(to, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice,
                                   cuda_stream()),
                   "sending data");
    }

  private:
    std::vector<std::byte> bytes_;
};

/// Where a value of a parcel lies on the device.
template <class T>
T* in_parcel(const CudaArray<std::byte>& memory, std::size_t place) {
    return reinterpret_cast<T*>(memory.data() + place);
}

namespace detail {

/// Memory of the host that the device writes to without a copy on the way; one piece per thread.
class PinnedMemory {
  public:
    PinnedMemory() = default;
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;
    ~PinnedMemory() { cudaFreeHost(data_); }

    void* reserve(std::size_t bytes) {
        if (bytes <= size_) return data_;
        cudaFreeHost(data_);
        data_ = nullptr;
        size_ = 0;
        const std::size_t wanted = bytes < 65536 ? 65536 : 2 * bytes;
        check_cuda(cudaHostAlloc(&data_, wanted, cudaHostAllocPortable), "asking for memory");
        size_ = wanted;
        return data_;
    }

  private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace detail

/// Fetches few bytes from the device on the stream in use, and waits for them and all work before.
inline void fetch_small(void* to, const void* from, std::size_t bytes, const std::string& what) {
    constexpr std::size_t small = std::size_t{1} << 22;
    if (bytes > small) return copy_and_wait(to, from, bytes, cudaMemcpyDeviceToHost, what);
    thread_local detail::PinnedMemory pinned;
    void* const between = pinned.reserve(bytes);
    copy_and_wait(between, from, bytes, cudaMemcpyDeviceToHost, what);
    std::memcpy(to, between, bytes);
}

}  // namespace fermat
