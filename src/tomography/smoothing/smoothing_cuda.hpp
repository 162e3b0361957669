#pragma once

#include <cstdint>

#include "core/field.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// Seconds of a call on the device, by what they go into.
struct SmoothingSplit {
    double to_device = 0;
    double kernels = 0;
    double to_host = 0;

    double total() const { return to_device + kernels + to_host; }
};

// smooth_cells and smooth_vertices on the CUDA device, by `table` or `running`, in the CPU's order
// of sums. Values go there, are smoothed in as many passes as are asked for, and come back. Both
// return the device's seconds, transfers excluded; `split`, where given, gets those too.
double smooth_cells_cuda(FieldView<double> perturbations, FieldView<const double> coverage,
                         const SmoothingSize& size, Smoother smoother, int passes,
                         SmoothingSplit* split = nullptr);
double smooth_vertices_cuda(FieldView<double> values, FieldView<const std::uint8_t> mask,
                            const SmoothingSize& size, Smoother smoother, int passes,
                            SmoothingSplit* split = nullptr);

}  // namespace fermat
