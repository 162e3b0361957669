#include "tomography/smoothing/smoothing_cuda.hpp"

#include <span>

#include "tomography/smoothing/smoother_cuda.hpp"

namespace fermat {
namespace {

template <class T>
CudaArray<T> to_device(FieldView<const T> values) {
    CudaArray<T> device(values.size());
    device.upload(std::span<const T>(values.data(), values.size()));
    return device;
}

}  // namespace

double smooth_cells_cuda(FieldView<double> perturbations, FieldView<const double> coverage,
                         const SmoothingSize& size, Smoother smoother, int passes) {
    const CudaArray<double> values = to_device<double>(perturbations);
    const CudaArray<double> weights = to_device(coverage);
    DeviceSmoother smooth(smoother);
    smooth.reserve(perturbations.shape());
    CudaTimer timer;
    timer.start();
    smooth.cells(values.data(), weights.data(), perturbations.shape(), size, passes);
    const double seconds = timer.stop("smoothing");
    values.download(std::span(perturbations.data(), perturbations.size()));
    return seconds;
}

double smooth_vertices_cuda(FieldView<double> values, FieldView<const std::uint8_t> mask,
                            const SmoothingSize& size, Smoother smoother, int passes) {
    const CudaArray<double> device = to_device<double>(values);
    CudaArray<std::uint8_t> masked;
    if (mask.data() != nullptr) masked = to_device(mask);
    DeviceSmoother smooth(smoother);
    smooth.reserve(values.shape());
    CudaTimer timer;
    timer.start();
    smooth.vertices(device.data(), masked.data(), values.shape(), size, passes);
    const double seconds = timer.stop("smoothing");
    device.download(std::span(values.data(), values.size()));
    return seconds;
}

}  // namespace fermat
