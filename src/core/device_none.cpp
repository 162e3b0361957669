#include "core/device.hpp"
#include "core/device_bandwidth.hpp"
#include "core/device_copy.hpp"
#include "core/no_cuda.hpp"

namespace fermat {

int device_count() { return 0; }

DeviceInfo device_info(int) { refuse_cuda(); }

void use_device(int) { refuse_cuda(); }

int device_in_use() { return 0; }

double device_bandwidth() { refuse_cuda(); }

std::size_t device_memory_taken() { refuse_cuda(); }

std::shared_ptr<float> allocate_on_device(std::size_t) { refuse_cuda(); }

int device_of(const void*) { refuse_cuda(); }

void fetch_from_device(std::span<std::byte>, const void*) { refuse_cuda(); }

void send_to_device(void*, std::span<const std::byte>) { refuse_cuda(); }

void wait_for_stream() { refuse_cuda(); }

}  // namespace fermat
