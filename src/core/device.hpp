#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/choice.hpp"

namespace fermat {

/// The device that computes.
enum class Device {
    automatic,  ///< the CUDA device if there is one and the method supports it
    cpu,
    cuda,
    opengl,  ///< compute shaders, on any vendor's card: fim and bellman-ford
};
template <>
inline constexpr auto choices<Device> = choice_table<Device>("device",
                                                             {{"auto", Device::automatic},
                                                              {"cpu", Device::cpu},
                                                              {"cuda", Device::cuda},
                                                              {"opengl", Device::opengl}});

/// A CUDA device that this build can use.
struct DeviceInfo {
    int number = 0;
    std::string name;
    std::size_t memory_bytes = 0;
    int compute_major = 0;  ///< compute capability, 9.0 for Hopper
    int compute_minor = 0;
};

/// Number of devices that the driver offers. 0 on a machine without one, in a build without CUDA,
/// and in a process that was forked after its parent asked.
int device_count();

/// Throws InputError if there is no such device or CUDA is not in this build.
DeviceInfo device_info(int number);

/// Makes the calling thread compute on this device from now on.
void use_device(int number);
/// The device that the calling thread computes on; 0 where there is none.
int device_in_use();

/// All of them, in the driver's order.
std::vector<DeviceInfo> list_devices();

/// Bytes of that device that are taken, by whomever.
std::size_t device_memory_taken();

/// Room for floats on the current CUDA device, for those who hand it on. Throws ComputeError where
/// there is none, InputError where CUDA is not in this build.
std::shared_ptr<float> allocate_on_device(std::size_t count);

/// Throws InputError if `wanted` is opengl: for methods that have no shaders.
void refuse_opengl(Device wanted);

/// Whether a method without shaders runs on the CUDA device. Throws InputError if `wanted` is
/// opengl; if it is cuda and there is no device; and if it is cuda and `obstacle` says why the
/// method cannot use it ("solver 'fmm' computes on the CPU"). An empty obstacle means that it can.
/// `other_way` is a remedy besides "use cpu".
bool on_cuda(Device wanted, const std::string& obstacle = {}, const std::string& other_way = {});

}  // namespace fermat
