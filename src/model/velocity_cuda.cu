#include <algorithm>
#include <vector>

#include "core/memory_cuda.hpp"
#include "core/pieces_cuda.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {
namespace {

constexpr int blocks = 1024;
constexpr int threads = 256;

/// All bits are set before the nodes are seen.
struct Found {
    unsigned long long first_bad;
    unsigned long long first_bad_slowness;
    unsigned lacks_air;
    unsigned lacks_rock;
};

/// What a thread has seen of the velocities.
struct Seen {
    unsigned long long bad = VelocityCheck::none;
    bool air = false;
    bool rock = false;

    __device__ void add(std::size_t n, float velocity) {
        if (!is_velocity(velocity) && n < bad) bad = n;
        air |= velocity == 0;
        rock |= velocity > 0;
    }
    /// All threads of a block call it.
    __device__ void tell(Found* found) const {
        if (bad != VelocityCheck::none) atomicMin(&found->first_bad, bad);
        const bool any_air = __syncthreads_or(air);
        const bool any_rock = __syncthreads_or(rock);
        if (threadIdx.x != 0) return;
        if (any_air) found->lacks_air = 0;
        if (any_rock) found->lacks_rock = 0;
    }
};

__global__ void check_nodes(const float* velocity, std::size_t count, Found* found) {
    Seen seen;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        seen.add(n, velocity[n]);
    }
    seen.tell(found);
}

__global__ void invert_nodes(const float* slowness, std::size_t count, float* velocity,
                             Found* found) {
    Seen seen;
    unsigned long long bad = VelocityCheck::none;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        const float s = slowness[n];
        if (!is_slowness(s) && n < bad) bad = n;
        const float v = 1 / s;
        velocity[n] = v;
        seen.add(n, v);
    }
    if (bad != VelocityCheck::none) atomicMin(&found->first_bad_slowness, bad);
    seen.tell(found);
}

/// Boxes of nodes as an argument of a kernel.
struct SomeBoxes {
    static constexpr int most = 64;
    NodeBox box[most];
    unsigned begin[most];  ///< where the values of each begin
};

__global__ void gather(FieldView<const float, Space::device> values, SomeBoxes boxes,
                       float* gathered) {
    const NodeBox box = boxes.box[blockIdx.x];
    float* const to = gathered + boxes.begin[blockIdx.x];
    const int plane = box.shape.y * box.shape.z;
    const int count = box.shape.x * plane;
    for (int n = static_cast<int>(threadIdx.x); n < count; n += static_cast<int>(blockDim.x)) {
        to[n] = values(box.first.x + n / plane, box.first.y + n / box.shape.z % box.shape.y,
                       box.first.z + n % box.shape.z);
    }
}

void gather_all(FieldView<const float, Space::device> values, std::span<const NodeBox> boxes,
                float* gathered) {
    std::size_t begin = 0;
    for (std::size_t first = 0; first < boxes.size(); first += SomeBoxes::most) {
        const std::size_t count = std::min<std::size_t>(SomeBoxes::most, boxes.size() - first);
        SomeBoxes some;
        for (std::size_t n = 0; n < count; ++n) {
            some.box[n] = boxes[first + n];
            some.begin[n] = static_cast<unsigned>(begin);
            begin += some.box[n].shape.count();
        }
        gather<<<static_cast<unsigned>(count), 128, 0, cuda_stream()>>>(values, some, gathered);
    }
}

/// Copies one box, however large.
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

float value_at(const float* values, std::size_t place) {
    float value = 0;
    copy_and_wait(&value, values + place, sizeof value, cudaMemcpyDeviceToHost,
                  "fetching a velocity");
    return value;
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
}

void wait_for_writers() {
    // On the default stream, work on another one may still be writing the array. Who names a
    // stream has ordered his work on it.
    if (stream_in_use() == 0) check_cuda(cudaDeviceSynchronize(), "waiting for the velocity");
}

std::shared_ptr<float> memory_in_stream(std::size_t count) {
    const auto memory = std::make_shared<CudaArray<float>>(count);
    return {memory, memory->data()};
}

MediumCheck look_at(const LookedAt& medium, std::span<const NodeBox> boxes,
                    std::span<Field<float>> values) {
    constexpr std::size_t most_gathered = std::size_t{1} << 20;
    std::size_t wanted = 0;
    for (const NodeBox& box : boxes) wanted += box.shape.count();
    const bool together = wanted <= most_gathered;
    const std::size_t bytes = sizeof(Found) + (together ? wanted * sizeof(float) : 0);
    const CudaArray<std::byte> report(bytes);
    auto* const found = reinterpret_cast<Found*>(report.data());
    auto* const gathered = reinterpret_cast<float*>(report.data() + sizeof(Found));
    check_cuda(cudaMemsetAsync(found, 0xff, sizeof(Found), cuda_stream()), "checking the velocity");
    const std::size_t nodes = medium.velocity.size();
    if (medium.slowness != nullptr) {
        invert_nodes<<<blocks, threads, 0, cuda_stream()>>>(medium.slowness, nodes, medium.made,
                                                            found);
    } else if (medium.check) {
        check_nodes<<<blocks, threads, 0, cuda_stream()>>>(medium.velocity.data(), nodes, found);
    }
    if (together) gather_all(medium.velocity, boxes, gathered);
    check_cuda(cudaGetLastError(), "checking the velocity");
    std::vector<std::byte> fetched(bytes);
    fetch_small(fetched.data(), report.data(), bytes, "checking the velocity");
    const std::byte* next = fetched.data() + sizeof(Found);
    for (std::size_t n = 0; n < boxes.size(); ++n) {
        if (!together) {
            fetch_box(medium.velocity, boxes[n].first, values[n].view());
            continue;
        }
        std::memcpy(values[n].data(), next, values[n].size() * sizeof(float));
        next += values[n].size() * sizeof(float);
    }
    Found seen;
    std::memcpy(&seen, fetched.data(), sizeof seen);
    MediumCheck check;
    check.velocity = {static_cast<std::size_t>(seen.first_bad), 0, seen.lacks_air == 0,
                      seen.lacks_rock == 0};
    check.first_bad_slowness = static_cast<std::size_t>(seen.first_bad_slowness);
    if (check.first_bad_slowness != VelocityCheck::none) {
        check.bad_slowness = value_at(medium.slowness, check.first_bad_slowness);
    }
    if (check.velocity.first_bad != VelocityCheck::none) {
        check.velocity.bad_value = value_at(medium.velocity.data(), check.velocity.first_bad);
    }
    return check;
}

}  // namespace fermat
