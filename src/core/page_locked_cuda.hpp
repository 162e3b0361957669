#pragma once

// For .cu files only.

#include <span>

#include "core/memory_cuda.hpp"

namespace fermat {

/// Owner of memory of the host that the device reads and writes without a copy on the way. To take
/// it lasts longer than to use it: it is for what stays.
template <class T>
class PageLocked {
  public:
    explicit PageLocked(std::size_t count) : count_(count) {
        check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&data_), count * sizeof(T),
                                 cudaHostAllocPortable),
                   "asking for memory");
    }
    PageLocked(const PageLocked&) = delete;
    PageLocked& operator=(const PageLocked&) = delete;
    ~PageLocked() { cudaFreeHost(data_); }

    T* data() const { return data_; }
    std::span<T> values() const { return {data_, count_}; }

  private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace fermat
