#include <span>
#include <vector>

#include "bench/papers/paper4_letter.hpp"
#include "core/kernel_profile_cuda.hpp"
#include "core/monitor.hpp"
#include "core/stopwatch.hpp"
#include "tomography/smoothing/box.hpp"
#include "tomography/smoothing/methods.hpp"
#include "tomography/smoothing/weights.hpp"

namespace fermat::bench {
namespace {

struct Boxes {
    BoxReach x;
    BoxReach y;
    BoxReach z;
};

/// A thread per line along x. With `with_coverage` the sum in the box is divided by that of a
/// second table, else by the number of elements.
template <bool with_coverage>
__global__ void smooth_lines(const double* sums, const double* rays, Shape entries, Shape shape,
                             Boxes boxes, double* smooth) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int k = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (j >= shape.y || k >= shape.z) return;
    const BoxRange y = box_range(j, shape.y, boxes.y);
    const BoxRange z = box_range(k, shape.z, boxes.z);
    for (int i = 0; i < shape.x; ++i) {
        const BoxRange x = box_range(i, shape.x, boxes.x);
        const double sum = table_box_sum(sums, entries, x, y, z);
        const double weight = with_coverage
                                  ? table_box_sum(rays, entries, x, y, z)
                                  : static_cast<double>(x.count()) * y.count() * z.count();
        smooth[shape.offset(i, j, k)] = weighted_mean(sum, weight);
    }
}

constexpr dim3 block{32, 16, 1};

dim3 grid_of(Shape shape) {
    const auto pieces = [](int count, unsigned each) {
        return (static_cast<unsigned>(count) + each - 1) / each;
    };
    return {pieces(shape.y, block.x), pieces(shape.z, block.y), 1};
}

}  // namespace

class LetterSmoother::Memory {
  public:
    explicit Memory(Shape shape)
        : shape(shape),
          entries(table_shape(shape)),
          sums(entries.count()),
          rays(entries.count()),
          device_sums(entries.count()),
          device_rays(entries.count()),
          device_smooth(shape.count()) {}

    Shape shape;
    Shape entries;
    std::vector<double> sums;
    std::vector<double> rays;
    CudaArray<double> device_sums;
    CudaArray<double> device_rays;
    CudaArray<double> device_smooth;
    CudaTimer timer;
};

LetterSmoother::LetterSmoother(Shape shape) : memory_(std::make_unique<Memory>(shape)) {}
LetterSmoother::~LetterSmoother() = default;

LetterSplit LetterSmoother::smooth(FieldView<double> values, FieldView<const double> coverage,
                                   const SmoothingSize& size) {
    Memory& m = *memory_;
    const bool cells = coverage.data() != nullptr;
    LetterSplit took;
    const Stopwatch watch;
    sum_volume(values, m.sums.data(), 1, silent_monitor());
    if (cells) sum_volume(coverage, m.rays.data(), 1, silent_monitor());
    took.tables = watch.seconds();

    m.timer.start();
    m.device_sums.upload(m.sums);
    if (cells) m.device_rays.upload(m.rays);
    took.device.to_device = m.timer.stop("sending tables");

    const Boxes boxes{box_reach(size.x, m.shape.x), box_reach(size.y, m.shape.y),
                      box_reach(size.z, m.shape.z)};
    m.timer.start();
    if (cells) {
        smooth_lines<true><<<grid_of(m.shape), block>>>(m.device_sums.data(), m.device_rays.data(),
                                                        m.entries, m.shape, boxes,
                                                        m.device_smooth.data());
    } else {
        smooth_lines<false><<<grid_of(m.shape), block>>>(m.device_sums.data(), nullptr, m.entries,
                                                         m.shape, boxes, m.device_smooth.data());
    }
    check_cuda(cudaGetLastError(), "smoothing");
    took.device.kernels = m.timer.stop("smoothing");

    m.timer.start();
    m.device_smooth.download(std::span(values.data(), values.size()));
    took.device.to_host = m.timer.stop("fetching a field");
    return took;
}

KernelProfile LetterSmoother::profile(bool cells) const {
    const dim3 grid = grid_of(memory_->shape);
    return cells ? profile_of("smooth", &smooth_lines<true>, grid, block)
                 : profile_of("smooth", &smooth_lines<false>, grid, block);
}

}  // namespace fermat::bench
