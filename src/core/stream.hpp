#pragma once

#include <cstdint>

namespace fermat {

/// A stream of a CUDA device as libraries hand it over: cudaStream_t as a number. 0 is the default
/// stream.
using StreamHandle = std::uintptr_t;

/// The stream on which the calling thread computes.
StreamHandle stream_in_use();

/// While it lives, the calling thread computes on a device and one of its streams: kernels, copies
/// and memory alike. Then it computes where it did before. Work is done when a function of the
/// library returns, so results may be used on any stream.
class StreamScope {
  public:
    /// Throws InputError where there is no such device.
    StreamScope(int device, StreamHandle stream);
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

  private:
    int device_before_;
    StreamHandle stream_before_;
};

}  // namespace fermat
