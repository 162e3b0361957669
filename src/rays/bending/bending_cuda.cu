#include <algorithm>
#include <numeric>
#include <vector>

#include "core/block.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/memory_cuda.hpp"
#include "rays/bending/bending_cuda.hpp"
#include "rays/bending/lots.hpp"

namespace fermat {
namespace {

using DeviceMedium = GridMedium<Space::device>;

/// Lanes per ray. One lane solves for the step of the whole ray while the others wait, so that more
/// lanes would not help.
constexpr int lanes = 8;
constexpr int threads = 64;
constexpr int rays_per_block = threads / lanes;

/// Each group of lanes takes one ray after another, the longest first. Each group has memory for
/// the longest ray.
__global__ void __launch_bounds__(threads)
    bend_kernel(DeviceMedium medium, const BendTask* tasks, const int* order, int count,
                StartSet starts, int relaxations, int most_segments, Vec3* vectors, double* scalars,
                BentRay* winners, Vec3* points) {
    const CudaGroup<lanes> group;
    const auto place = blockIdx.x * rays_per_block + threadIdx.x / lanes;
    for (int r = static_cast<int>(place); r < count;
         r += static_cast<int>(gridDim.x) * rays_per_block) {
        const int n = order[r];
        const BendTask task = tasks[n];
        BendSettings settings;
        settings.segments = task.segments;
        settings.most_relaxations = relaxations;
        BendSpace space(vectors + place * BendSpace::vectors(most_segments),
                        scalars + place * BendSpace::scalars(most_segments), task.segments);
        const BentRay winner =
            bend_pair(group, medium, space, task.receiver, task.source, starts, settings);
        if (group.leads()) winners[n] = winner;
        group.for_each(task.segments + 1,
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
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, bend_kernel, threads, 0),
               "asking for the occupancy");
    const auto room = static_cast<std::size_t>(processors) * static_cast<std::size_t>(resident);
    const std::size_t needed = (tasks + rays_per_block - 1) / rays_per_block;
    return static_cast<int>(std::min(needed, std::max<std::size_t>(room, 1)));
}

}  // namespace

struct CudaBender::State {
    Grid grid;
    bool has_air;
    CudaArray<float> velocity;
    CudaArray<float> slowness;
};

CudaBender::CudaBender(const Model& model) {
    device_info(0);  // throws if there is no device
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

double CudaBender::bend(std::span<const BendTask> tasks, const StartSet& starts, int relaxations,
                        std::span<BentRay> winners, std::span<Vec3> points) {
    if (tasks.empty()) return 0;
    int most_segments = 0;
    for (const BendTask& task : tasks) most_segments = std::max(most_segments, task.segments);
    const int blocks = blocks_for(tasks.size());
    const auto rooms = static_cast<std::size_t>(blocks) * rays_per_block;
    // The rays of a warp run through the same loops, so they should have equal lengths.
    std::vector<int> order(tasks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return tasks[static_cast<std::size_t>(a)].segments >
               tasks[static_cast<std::size_t>(b)].segments;
    });
    CudaArray<int> device_order(order.size());
    CudaArray<BendTask> device_tasks(tasks.size());
    CudaArray<BentRay> device_winners(tasks.size());
    CudaArray<Vec3> device_points(points.size());
    CudaArray<Vec3> vectors(rooms * BendSpace::vectors(most_segments));
    CudaArray<double> scalars(rooms * BendSpace::scalars(most_segments));
    device_tasks.upload(tasks);
    device_order.upload(order);
    const Shape shape = state_->grid.shape;
    const DeviceMedium medium(state_->grid, {state_->velocity.data(), shape},
                              {state_->slowness.data(), shape}, state_->has_air);
    CudaTimer timer;
    timer.start();
    bend_kernel<<<blocks, threads>>>(medium, device_tasks.data(), device_order.data(),
                                     static_cast<int>(tasks.size()), starts, relaxations,
                                     most_segments, vectors.data(), scalars.data(),
                                     device_winners.data(), device_points.data());
    check_cuda(cudaGetLastError(), "bending rays");
    const double seconds = timer.stop("bending rays");
    device_winners.download(winners);
    device_points.download(points);
    return seconds;
}

}  // namespace fermat
