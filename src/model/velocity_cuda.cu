#include "core/memory_cuda.hpp"
#include "model/velocity_check.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {
namespace {

constexpr int blocks = 1024;
constexpr int threads = 256;

struct Found {
    unsigned long long first_bad;
    int has_air;
    int has_rock;
};

__global__ void check_nodes(const float* velocity, std::size_t count, Found* found) {
    unsigned long long bad = VelocityCheck::none;
    bool air = false;
    bool rock = false;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        const float v = velocity[n];
        if (!is_velocity(v) && n < bad) bad = n;
        air |= v == 0;
        rock |= v > 0;
    }
    if (bad != VelocityCheck::none) atomicMin(&found->first_bad, bad);
    if (air) found->has_air = 1;
    if (rock) found->has_rock = 1;
}

}  // namespace

void require_on_device(const float* memory) {
    cudaPointerAttributes place{};
    int current = 0;
    check_cuda(cudaGetDevice(&current), "asking for the device");
    check_cuda(cudaPointerGetAttributes(&place, memory), "looking for the velocity");
    if (place.type != cudaMemoryTypeDevice && place.type != cudaMemoryTypeManaged) {
        throw InputError(
            "velocity lies in no memory of a CUDA device (give an array of CuPy or "
            "PyTorch on the device, or a NumPy array)");
    }
    if (place.type == cudaMemoryTypeDevice && place.device != current) {
        throw InputError("velocity lies on CUDA device " + std::to_string(place.device) +
                         " (the current one is " + std::to_string(current) +
                         ": make the array there, or choose by CUDA_VISIBLE_DEVICES)");
    }
    // On the default stream, work on another one may still be writing the array. Who names a
    // stream has ordered his work on it.
    if (stream_in_use() == 0) check_cuda(cudaDeviceSynchronize(), "waiting for the velocity");
}

VelocityCheck check_velocity(FieldView<const float, Space::device> velocity) {
    Found found{VelocityCheck::none, 0, 0};
    CudaArray<Found> on_device(1);
    on_device.upload(std::span(&found, 1));
    check_nodes<<<blocks, threads, 0, cuda_stream()>>>(velocity.data(), velocity.size(),
                                                       on_device.data());
    check_cuda(cudaGetLastError(), "checking the velocity");
    on_device.download(std::span(&found, 1));
    VelocityCheck check{static_cast<std::size_t>(found.first_bad), 0, found.has_air != 0,
                        found.has_rock != 0};
    if (check.first_bad != VelocityCheck::none) {
        copy_and_wait(&check.bad_value, velocity.data() + check.first_bad, sizeof(float),
                      cudaMemcpyDeviceToHost, "fetching a velocity");
    }
    return check;
}

void fetch_box(FieldView<const float, Space::device> values, Index3 first, FieldView<float> box) {
    const auto bytes = [](int count) { return static_cast<std::size_t>(count) * sizeof(float); };
    const Shape whole = values.shape();
    const Shape part = box.shape();
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), bytes(whole.z),
                                      bytes(whole.z), static_cast<std::size_t>(whole.y));
    copy.srcPos = make_cudaPos(bytes(first.z), static_cast<std::size_t>(first.y),
                               static_cast<std::size_t>(first.x));
    copy.dstPtr = make_cudaPitchedPtr(box.data(), bytes(part.z), bytes(part.z),
                                      static_cast<std::size_t>(part.y));
    copy.extent = make_cudaExtent(bytes(part.z), static_cast<std::size_t>(part.y),
                                  static_cast<std::size_t>(part.x));
    copy.kind = cudaMemcpyDeviceToHost;
    check_cuda(cudaMemcpy3DAsync(&copy, cuda_stream()), "fetching velocities");
    check_cuda(cudaStreamSynchronize(cuda_stream()), "fetching velocities");
}

}  // namespace fermat
