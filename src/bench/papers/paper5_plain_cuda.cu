#include "bench/papers/paper5_plain.hpp"
#include "core/device.hpp"
#include "core/memory_cuda.hpp"

namespace fermat::bench {
namespace {

__global__ void visit_blocks(PlainTimes field, const std::uint8_t* active,
                             std::uint8_t* converged) {
    __shared__ PlainRoom room;
    visit_plain_block(CudaBlock(), field, static_cast<int>(blockIdx.x), active, converged, room);
}

__global__ void renew_blocks(PlainTimes field, const std::uint8_t* active,
                             const std::uint8_t* converged, std::uint8_t* next, int* busy) {
    __shared__ PlainRoom room;
    const bool stays = renew_plain_block(CudaBlock(), field, static_cast<int>(blockIdx.x), active,
                                         converged, next, room);
    if (stays && threadIdx.x == 0) *busy = 1;
}

__global__ void start_at(PlainTimes field, PlainPoint source, std::uint8_t* active) {
    const int step = static_cast<int>(gridDim.x * blockDim.x);
    for (int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
         n < field.side * field.side; n += step) {
        field.times[n] = n == field.at(source.x, source.z) ? 0 : INFINITY;
        if (n < field.block_count()) {
            active[n] = n == source.x / plain_side * field.blocks + source.z / plain_side ? 1 : 0;
        }
    }
}

/// A thread per ray, as in the paper.
__global__ void trace_rays(PlainTimes field, const PlainPoint* receivers, int count,
                           PlainPoint source, PlainPoint* paths, int* lengths) {
    const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= count) return;
    const int most = plain_path_length(field.side - 1);
    lengths[n] =
        trace_plain_ray(field, receivers[n], source, paths + static_cast<std::size_t>(n) * most);
}

}  // namespace

PlainResult solve_plain_cuda(const PlainProblem& problem, Monitor& monitor) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    const cudaStream_t stream = cuda_stream();
    const int side = problem.points + 1;
    const auto rays = static_cast<int>(problem.receivers.size());
    const auto most = static_cast<std::size_t>(plain_path_length(problem.points));
    CudaArray<float> slowness(problem.slowness.size());
    CudaArray<float> times(problem.slowness.size());
    CudaArray<PlainPoint> receivers(problem.receivers.size());
    CudaArray<PlainPoint> paths(problem.receivers.size() * most);
    CudaArray<int> lengths(problem.receivers.size());
    CudaArray<int> busy(1);
    slowness.upload(problem.slowness);
    receivers.upload(problem.receivers);
    const PlainTimes field{side, (side + plain_side - 1) / plain_side, slowness.data(),
                           times.data()};
    const auto blocks = static_cast<unsigned>(field.block_count());
    CudaArray<std::uint8_t> active[2];
    for (auto& one : active) one = CudaArray<std::uint8_t>(blocks);
    CudaArray<std::uint8_t> converged(blocks);

    PlainResult result;
    CudaTimer timer;
    timer.start();
    start_at<<<256, 256, 0, stream>>>(field, problem.source, active[0].data());
    int going = 1;
    for (int now = 0; going != 0; now = 1 - now) {
        monitor.check();
        check_cuda(cudaMemsetAsync(busy.data(), 0, busy.bytes(), stream), "fast iterations");
        visit_blocks<<<blocks, plain_lanes, 0, stream>>>(field, active[now].data(),
                                                         converged.data());
        renew_blocks<<<blocks, plain_lanes, 0, stream>>>(
            field, active[now].data(), converged.data(), active[1 - now].data(), busy.data());
        check_cuda(cudaGetLastError(), "fast iterations");
        busy.download(std::span(&going, 1));
    }
    trace_rays<<<(static_cast<unsigned>(rays) + 31) / 32, 32, 0, stream>>>(
        field, receivers.data(), rays, problem.source, paths.data(), lengths.data());
    result.computing = timer.stop("fast iterations");

    result.times.resize(problem.slowness.size());
    times.download(result.times);
    std::vector<int> counts(problem.receivers.size());
    lengths.download(counts);
    std::vector<PlainPoint> all(paths.size());
    paths.download(all);
    for (std::size_t n = 0; n < counts.size(); ++n) {
        const PlainPoint* const first = all.data() + n * most;
        result.paths.emplace_back(first, first + counts[n]);
    }
    return result;
}

}  // namespace fermat::bench
