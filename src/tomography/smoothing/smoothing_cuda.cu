#include "tomography/smoothing/smoothing_cuda.hpp"

#include <span>

#include "tomography/smoothing/smoother_cuda.hpp"

namespace fermat {
namespace {

template <class T>
void to_device(FieldView<const T> values, CudaArray<T>& device) {
    device.upload(std::span<const T>(values.data(), values.size()));
}

/// Seconds of the device's work in `work`.
template <class Work>
double seconds_of(const char* what, Work work) {
    CudaTimer timer;
    timer.start();
    work();
    return timer.stop(what);
}

}  // namespace

double smooth_cells_cuda(FieldView<double> perturbations, FieldView<const double> coverage,
                         const SmoothingSize& size, Smoother smoother, int passes,
                         SmoothingSplit* split) {
    CudaArray<double> values(perturbations.size());
    CudaArray<double> weights(coverage.size());
    DeviceSmoother smooth(smoother);
    smooth.reserve(perturbations.shape());
    SmoothingSplit took;
    took.to_device = seconds_of("sending fields", [&] {
        to_device<double>(perturbations, values);
        to_device(coverage, weights);
    });
    took.kernels = seconds_of("smoothing", [&] {
        smooth.cells(values.data(), weights.data(), perturbations.shape(), size, passes);
    });
    took.to_host = seconds_of("fetching a field", [&] {
        values.download(std::span(perturbations.data(), perturbations.size()));
    });
    if (split != nullptr) *split = took;
    return took.kernels;
}

double smooth_vertices_cuda(FieldView<double> values, FieldView<const std::uint8_t> mask,
                            const SmoothingSize& size, Smoother smoother, int passes,
                            SmoothingSplit* split) {
    CudaArray<double> device(values.size());
    CudaArray<std::uint8_t> masked;
    if (mask.data() != nullptr) masked = CudaArray<std::uint8_t>(mask.size());
    DeviceSmoother smooth(smoother);
    smooth.reserve(values.shape());
    SmoothingSplit took;
    took.to_device = seconds_of("sending fields", [&] {
        to_device<double>(values, device);
        if (mask.data() != nullptr) to_device(mask, masked);
    });
    took.kernels = seconds_of("smoothing", [&] {
        smooth.vertices(device.data(), masked.data(), values.shape(), size, passes);
    });
    took.to_host = seconds_of("fetching a field",
                              [&] { device.download(std::span(values.data(), values.size())); });
    if (split != nullptr) *split = took;
    return took.kernels;
}

}  // namespace fermat
