#include <unistd.h>

#include <string>

#include "core/device.hpp"
#include "core/device_bandwidth.hpp"
#include "core/device_copy.hpp"
#include "core/memory_cuda.hpp"

namespace fermat {

int device_count() {
    // CUDA does not survive a fork: the child of a process that used CUDA has no devices.
    static const pid_t asked_first = getpid();
    if (getpid() != asked_first) return 0;
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    // No driver or no device is a valid answer. Clear the runtime's error, so that no later call
    // reports it.
    cudaGetLastError();
    return 0;
}

DeviceInfo device_info(int number) {
    const int count = device_count();
    if (number < 0 || number >= count) {
        throw InputError("CUDA device " + std::to_string(number) +
                         " does not exist (this machine has " + std::to_string(count) + ")");
    }
    cudaDeviceProp properties{};
    if (const cudaError_t status = cudaGetDeviceProperties(&properties, number);
        status != cudaSuccess) {
        throw ComputeError("CUDA device " + std::to_string(number) +
                           " does not answer: " + cudaGetErrorString(status));
    }
    return {number, properties.name, properties.totalGlobalMem, properties.major, properties.minor};
}

void use_device(int number) { check_cuda(cudaSetDevice(number), "choosing a device"); }

int device_in_use() {
    int number = 0;
    if (const cudaError_t status = cudaGetDevice(&number); status != cudaSuccess) {
        cudaGetLastError();
        // Without a driver there is none to ask for, and none that could compute.
        if (device_count() == 0) return 0;
        check_cuda(status, "asking for the device");
    }
    return number;
}

std::size_t device_memory_taken() {
    const auto [free, total] = device_memory();
    return total - free;
}

double device_bandwidth() {
    int kilohertz = 0;
    int bits = 0;
    const int device = device_in_use();
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return 2.0 * 1e3 * kilohertz * bits / 8;  // two transfers per cycle
}

std::shared_ptr<float> allocate_on_device(std::size_t count) {
    // Whoever shares it may have used it on a stream of his own.
    const std::shared_ptr<CudaArray<float>> memory(new CudaArray<float>(count),
                                                   [](CudaArray<float>* array) {
                                                       cudaDeviceSynchronize();
                                                       delete array;
                                                   });
    return {memory, memory->data()};
}

int device_of(const void* address) {
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, address), "asking for the device of memory");
    if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
        throw InputError("memory is not that of a CUDA device (it must be)");
    }
    return attributes.device;
}

void fetch_from_device(std::span<std::byte> to, const void* from) {
    copy_and_wait(to.data(), from, to.size(), cudaMemcpyDeviceToHost, "fetching data");
}

void send_to_device(void* to, std::span<const std::byte> from) {
    copy_and_wait(to, from.data(), from.size(), cudaMemcpyHostToDevice, "sending data");
}

void wait_for_stream() {
    check_cuda(cudaStreamSynchronize(cuda_stream()), "waiting for the device");
}

}  // namespace fermat
