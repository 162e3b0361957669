#include "core/stream.hpp"

#include <exception>
#include <utility>

#include "core/device.hpp"

namespace fermat {
namespace {

/// Beside the device of a thread, which the CUDA runtime keeps in the same way.
thread_local StreamHandle current = 0;

}  // namespace

StreamHandle stream_in_use() { return current; }

StreamScope::StreamScope(int device, StreamHandle stream) : device_before_(device_in_use()) {
    if (device != device_before_) use_device(device_info(device).number);
    stream_before_ = std::exchange(current, stream);
}

StreamScope::~StreamScope() {
    current = stream_before_;
    try {
        if (device_in_use() != device_before_) use_device(device_before_);
    } catch (const std::exception&) {
        // The device was in use before: only a dead driver refuses it, and every later call tells.
    }
}

}  // namespace fermat
