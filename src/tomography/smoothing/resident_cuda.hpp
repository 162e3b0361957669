#pragma once

#include <memory>
#include <vector>

#include "core/field.hpp"
#include "core/kernel_profile.hpp"
#include "tomography/smoothing/smoothing.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat {

/// Both smoothers of a grid on the CUDA device, iteration after iteration, by `table` or `running`.
/// Memory of the device is taken once, and so is that of the host, page-locked: the device reads
/// and writes it without a copy on the way. Results are those of smooth_cells and smooth_vertices.
class ResidentSmoothing {
  public:
    ResidentSmoothing(Shape cells, Shape nodes, Smoother smoother);
    ~ResidentSmoothing();
    ResidentSmoothing(const ResidentSmoothing&) = delete;
    ResidentSmoothing& operator=(const ResidentSmoothing&) = delete;

    // Memory of the host. Each call below reads the fields it names anew.
    FieldView<double> perturbations();
    FieldView<double> coverage();
    FieldView<double> nodes();

    /// perturbations() and coverage() go to the device, perturbations() come back.
    SmoothingSplit smooth_cells(const SmoothingSize& size, int passes = 1);
    /// nodes() go to the device and come back.
    SmoothingSplit smooth_vertices(const SmoothingSize& size, int passes = 1);
    /// One iteration of paper 4 in one piece, as its section 5.5 proposes: cells are smoothed,
    /// spread to nodes and smoothed there without leaving the device. perturbations() and
    /// coverage() go there once, nodes() come back once.
    SmoothingSplit smooth_both(const SmoothingSize& cell, const SmoothingSize& vertex);

  private:
    class Memory;
    std::unique_ptr<Memory> memory_;
};

/// The kernels of one pass of each smoother, in their order.
std::vector<KernelProfile> cell_kernels(Smoother smoother, Shape shape);
std::vector<KernelProfile> vertex_kernels(Smoother smoother, Shape shape);

}  // namespace fermat
