#pragma once

#include <cstdint>

#include "core/field.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

// smooth_cells and smooth_vertices on the CUDA device, by `table` or `running`, in the CPU's order
// of sums. Values go there, are smoothed in as many passes as are asked for, and come back. Both
// return the device's seconds, transfers excluded.
double smooth_cells_cuda(FieldView<double> perturbations, FieldView<const double> coverage,
                         const SmoothingSize& size, Smoother smoother, int passes);
double smooth_vertices_cuda(FieldView<double> values, FieldView<const std::uint8_t> mask,
                            const SmoothingSize& size, Smoother smoother, int passes);

}  // namespace fermat
