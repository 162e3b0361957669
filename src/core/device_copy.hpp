#pragma once

#include <cstddef>
#include <span>

namespace fermat {

/// The CUDA device that has this address. Throws InputError if none has it, or if CUDA is not in
/// this build.
int device_of(const void* address);

/// Copies between the host and the device in use, on the stream in use, and waits for it.
void fetch_from_device(std::span<std::byte> to, const void* from);
void send_to_device(void* to, std::span<const std::byte> from);

/// Waits for all work on the stream in use.
void wait_for_stream();

}  // namespace fermat
