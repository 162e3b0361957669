#include "core/no_cuda.hpp"
#include "tomography/smoothing/resident_cuda.hpp"

namespace fermat {

class ResidentSmoothing::Memory {};

ResidentSmoothing::ResidentSmoothing(Shape, Shape, Smoother) { refuse_cuda(); }
ResidentSmoothing::~ResidentSmoothing() = default;

FieldView<double> ResidentSmoothing::perturbations() { refuse_cuda(); }
FieldView<double> ResidentSmoothing::coverage() { refuse_cuda(); }
FieldView<double> ResidentSmoothing::nodes() { refuse_cuda(); }

SmoothingSplit ResidentSmoothing::smooth_cells(const SmoothingSize&, int) { refuse_cuda(); }
SmoothingSplit ResidentSmoothing::smooth_vertices(const SmoothingSize&, int) { refuse_cuda(); }
SmoothingSplit ResidentSmoothing::smooth_both(const SmoothingSize&, const SmoothingSize&) {
    refuse_cuda();
}

std::vector<KernelProfile> cell_kernels(Smoother, Shape) { refuse_cuda(); }
std::vector<KernelProfile> vertex_kernels(Smoother, Shape) { refuse_cuda(); }

}  // namespace fermat
