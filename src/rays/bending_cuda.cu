#include <algorithm>

#include "core/block.hpp"
#include "core/cuda_memory.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "rays/bending_cuda.hpp"
#include "rays/bending_lots.hpp"

namespace fermat {
namespace {

using DeviceMedium = GridMedium<Space::device>;

constexpr int lanes = 32;

/// Blocks of one warp take ray after ray; each has room for the longest.
__global__ void bend_kernel(DeviceMedium medium, const BendTask* tasks, int count, StartSet starts,
                            int most_segments, Vec3* vectors, double* scalars, BentRay* winners,
                            Vec3* points) {
    const std::size_t block = blockIdx.x;
    for (int n = static_cast<int>(blockIdx.x); n < count; n += static_cast<int>(gridDim.x)) {
        const BendTask task = tasks[n];
        BendSettings settings;
        settings.segments = task.segments;
        BendSpace space(vectors + block * BendSpace::vectors(most_segments),
                        scalars + block * BendSpace::scalars(most_segments), task.segments);
        const BentRay winner =
            bend_pair(CudaBlock{}, medium, space, task.receiver, task.source, starts, settings);
        if (threadIdx.x == 0) winners[n] = winner;
        CudaBlock{}.for_each(task.segments + 1,
                             [&](int i) { points[task.first_point + i] = space.best[i]; });
    }
}

/// Enough blocks to fill the device.
int blocks_for(std::size_t tasks) {
    int device = 0;
    int processors = 1;
    int resident = 1;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
               "asking for the device");
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, bend_kernel, lanes, 0),
               "asking for the occupancy");
    const auto room = static_cast<std::size_t>(processors) * static_cast<std::size_t>(resident);
    return static_cast<int>(std::min(tasks, std::max<std::size_t>(room, 1)));
}

}  // namespace

struct CudaBender::State {
    Grid grid;
    bool has_air;
    CudaArray<float> velocity;
    CudaArray<float> slowness;
};

CudaBender::CudaBender(const Model& model) {
    device_info(0);  // throws the sentence where there is no device
    const std::size_t nodes = model.grid().node_count();
    state_ = std::make_unique<State>(
        State{model.grid(), model.has_air(), CudaArray<float>(nodes), CudaArray<float>(nodes)});
    const Field<float> slowness = detail::slowness_of(model);
    state_->velocity.upload({model.velocity().data(), nodes});
    state_->slowness.upload({slowness.data(), nodes});
    check_cuda(cudaDeviceSynchronize(), "sending the model");
}
CudaBender::CudaBender(CudaBender&&) noexcept = default;
CudaBender::~CudaBender() = default;

double CudaBender::bend(std::span<const BendTask> tasks, const StartSet& starts,
                        std::span<BentRay> winners, std::span<Vec3> points) {
    if (tasks.empty()) return 0;
    int most_segments = 0;
    for (const BendTask& task : tasks) most_segments = std::max(most_segments, task.segments);
    const int blocks = blocks_for(tasks.size());
    const auto rooms = static_cast<std::size_t>(blocks);
    CudaArray<BendTask> device_tasks(tasks.size());
    CudaArray<BentRay> device_winners(tasks.size());
    CudaArray<Vec3> device_points(points.size());
    CudaArray<Vec3> vectors(rooms * BendSpace::vectors(most_segments));
    CudaArray<double> scalars(rooms * BendSpace::scalars(most_segments));
    device_tasks.upload(tasks);
    const Shape shape = state_->grid.shape;
    const DeviceMedium medium(state_->grid, {state_->velocity.data(), shape},
                              {state_->slowness.data(), shape}, state_->has_air);
    CudaTimer timer;
    timer.start();
    bend_kernel<<<blocks, lanes>>>(medium, device_tasks.data(), static_cast<int>(tasks.size()),
                                   starts, most_segments, vectors.data(), scalars.data(),
                                   device_winners.data(), device_points.data());
    check_cuda(cudaGetLastError(), "bending rays");
    const double seconds = timer.stop("bending rays");
    device_winners.download(winners);
    device_points.download(points);
    return seconds;
}

}  // namespace fermat
