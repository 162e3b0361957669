#pragma once

// For .cu files only: the rest of the program includes no CUDA header.

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/stream.hpp"

namespace fermat {

/// The stream on which the calling thread computes (StreamScope).
inline cudaStream_t cuda_stream() { return reinterpret_cast<cudaStream_t>(stream_in_use()); }

/// Throws ComputeError for a failed CUDA call. `what` names the work.
inline void check_cuda(cudaError_t status, const std::string& what) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw ComputeError(what + " failed on the CUDA device: " + cudaGetErrorString(status));
}

/// Copies bytes between host and device on the stream in use, and waits for them.
inline void copy_and_wait(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                          const std::string& what) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, cuda_stream()), what);
    check_cuda(cudaStreamSynchronize(cuda_stream()), what);
}

/// Memory of the current device that is free, and all of it.
struct DeviceMemory {
    std::size_t free = 0;
    std::size_t total = 0;
};

/// Memory that CudaArrays gave back stays in the driver's pool for the next ones, up to a part of
/// the device's memory; so calls in a row do not pay for it again. Returns the bytes of it.
inline std::size_t spare_in_pool() {
    int device = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    const bool known =
        cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) ==
            cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess;
    cudaGetLastError();
    return known ? reserved - used : 0;
}

/// What is spare in the pool counts as free.
inline DeviceMemory device_memory() {
    DeviceMemory memory;
    check_cuda(cudaMemGetInfo(&memory.free, &memory.total), "asking for free memory");
    memory.free += spare_in_pool();
    return memory;
}

/// Free memory of the current device; where its pool has `wanted` bytes to spare, only these, since
/// the driver takes a while to count all.
inline std::size_t free_device_memory(std::size_t wanted) {
    const std::size_t spare = spare_in_pool();
    return spare >= wanted ? spare : device_memory().free;
}

namespace detail {

/// Lets the pool of each device keep a sixteenth of its memory.
inline void keep_freed_memory() {
    constexpr int most_devices = 64;
    static std::atomic<bool> told[most_devices];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= most_devices) return;
    if (told[device].exchange(true)) return;
    cudaMemPool_t pool = nullptr;
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
        cudaMemGetInfo(&free, &total) == cudaSuccess) {
        std::uint64_t most = total / 16;
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most);
    }
    cudaGetLastError();
}

}  // namespace detail

/// Owner of memory on the current device, from its pool and in the order of the stream in use.
template <class T>
class CudaArray {
  public:
    CudaArray() = default;
    explicit CudaArray(std::size_t count) : count_(count), stream_(cuda_stream()) {
        if (count == 0) return;
        detail::keep_freed_memory();
        const cudaError_t status =
            cudaMallocAsync(reinterpret_cast<void**>(&data_), bytes(), stream_);
        if (status == cudaSuccess) return;
        data_ = nullptr;
        cudaGetLastError();
        const auto [free, total] = device_memory();
        throw ComputeError(
            "the CUDA device has no memory for " + in_gigabytes(bytes()) + " more (" +
            in_gigabytes(free) + " of " + in_gigabytes(total) +
            " are free: use a coarser grid, fewer shots at a time, or `device=cpu`)");
    }
    CudaArray(CudaArray&& other) noexcept { *this = std::move(other); }
    CudaArray& operator=(CudaArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~CudaArray() {
        if (data_ != nullptr) cudaFreeAsync(data_, stream_);
    }

    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

    /// Grows to at least `count` elements. Growing discards the values.
    void reserve(std::size_t count) {
        if (count_ >= count) return;
        *this = CudaArray();
        *this = CudaArray(count);
    }

    void upload(std::span<const T> values, cudaStream_t stream = cuda_stream()) {
        check_cuda(cudaMemcpyAsync(data_, values.data(), values.size_bytes(),
                                   cudaMemcpyHostToDevice, stream),
                   "sending data");
    }
    void download(std::span<T> values, cudaStream_t stream = cuda_stream()) const {
        check_cuda(cudaMemcpyAsync(values.data(), data_, values.size_bytes(),
                                   cudaMemcpyDeviceToHost, stream),
                   "fetching data");
        check_cuda(cudaStreamSynchronize(stream), "fetching data");
    }

  private:
    static std::string in_gigabytes(std::size_t bytes) {
        const auto tenths = static_cast<long long>(static_cast<double>(bytes) * 1e-8 + 0.5);
        return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
    }

    T* data_ = nullptr;
    std::size_t count_ = 0;
    cudaStream_t stream_ = nullptr;
};

/// Measures the time of work on a stream by two events.
class CudaTimer {
  public:
    CudaTimer() {
        check_cuda(cudaEventCreate(&begin_), "making an event");
        check_cuda(cudaEventCreate(&end_), "making an event");
    }
    CudaTimer(const CudaTimer&) = delete;
    CudaTimer& operator=(const CudaTimer&) = delete;
    ~CudaTimer() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }

    void start(cudaStream_t stream = cuda_stream()) { cudaEventRecord(begin_, stream); }
    void mark_end(cudaStream_t stream = cuda_stream()) { cudaEventRecord(end_, stream); }
    /// Waits for the work and returns its seconds.
    double stop(const std::string& what, cudaStream_t stream = cuda_stream()) {
        mark_end(stream);
        return seconds(what);
    }
    /// Waits for the end that is marked and returns the seconds.
    double seconds(const std::string& what) {
        check_cuda(cudaEventSynchronize(end_), what);
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), what);
        return 1e-3 * static_cast<double>(milliseconds);
    }

  private:
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
};

}  // namespace fermat
