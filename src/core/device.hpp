#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fermat {

/// A CUDA device that this build can compute on.
struct DeviceInfo {
    int number = 0;
    std::string name;
    std::size_t memory_bytes = 0;
    int compute_major = 0;  ///< of the compute capability, 9.0 for Hopper
    int compute_minor = 0;
};

/// Devices that the driver offers: 0 on a machine without one, and in a build without CUDA.
int device_count();

/// Throws InputError if there is no such device or CUDA is not in this build.
DeviceInfo device_info(int number);

/// All of them, in the driver's order.
std::vector<DeviceInfo> list_devices();

}  // namespace fermat
